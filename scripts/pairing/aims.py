"""Statements under sentences that only say what was planned or done, which prove nothing either way.

`We enrolled 310 adults with asthma to test vitamin D` neither supports nor refutes `vitamin D helps asthma`, although
it names all of it.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence

from medground.answering.verify.reporting import asks_or_plans
from pairing.changed import contrary
from pairing.pair import Pair, Weights, joined
from pairing.paraphrase import reworded

_DONE = re.compile(
    r"\b(?:were|was) (?:randomly )?(?:randomi[sz]ed|enrolled|recruited|assigned|allocated|included|measured|performed|"
    r"assessed|conducted|collected|selected|obtained|evaluated|treated|followed|analy[sz]ed|interviewed|used|studied|"
    r"administered|given|examined|investigated|calculated|determined by|monitored|identified from|searched|invited)\b|"
    r"\bwe (?:used|performed|measured|analy[sz]ed|conducted|compared|tested|examined|investigated|assessed|evaluated|"
    r"studied|searched|enrolled|recruited|included|collected|followed|undertook|randomi[sz]ed|assigned|sought)\b|"
    r"\b(?:randomi[sz]ed|cross-sectional|cohort|case-control|double-blind|prospective|retrospective)\b.{0,60}\b(?:trial|"
    r"study|analysis)\b",
    re.IGNORECASE,
)
_FOUND = re.compile(
    r"\b(?:found|show\w*|demonstrat\w+|reveal\w+|observ\w+|conclu\w+|suggest\w*|indicat\w+|confirm\w*|higher|lower|greater|"
    r"fewer|less|more|increas\w+|decreas\w+|reduc\w+|improv\w+|significant\w*|associated|correlat\w+|differ\w*|"
    r"effective|result(?:s|ed)|caus\w+|induc\w+|inhibit\w+|prevent\w*|predict\w*|had|no)\b|[<=>]|\d\s*%",
    re.IGNORECASE,
)


def only_plans(sentence: str) -> bool:
    """Whether a sentence says what was asked or done, and no result."""
    return len(sentence.split()) >= 8 and (
        asks_or_plans(sentence) or bool(_DONE.search(sentence) and not _FOUND.search(sentence))
    )


def from_aims(
    statement: str, sentences: Sequence[str], weights: Weights, rng: random.Random, source: str
) -> Iterator[Pair]:
    """A statement under the one or two sentences of its abstract that plan and share most words with it."""
    plans = [s for s in sentences if only_plans(s)]
    best = weights.best(statement, plans, rng.choice((1, 1, 2)))
    if best and max(weights.overlap(statement, plans[i]) for i in best) >= 0.3:
        kinds = ("negation", "direction")
        turned = [t for k in kinds if (t := contrary(k, statement, rng))] if rng.random() < 0.5 else []
        said = rng.choice(turned) if turned else statement
        yield Pair(joined([plans[i] for i in best]), reworded(said, rng.getrandbits(30)), "neutral", source)
