"""Findings on the same topic that seem to disagree: one reports an effect and the other none, or opposite directions.

This is not a judgement, because the papers may have asked different questions. It is a reason to read both.
"""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from medground.operators.keyless.flags import differences
from medground.operators.keyless.sentences import states_purpose
from medground.text import words

Kind = Literal["an effect and none", "opposite directions"]

SAME_TOPIC = 0.6
"""Minimum share of the question's topic words, by weight, that both papers name in title or quote."""
SAME_FINDING = 0.3
"""Minimum share of them that both quotes contain."""
OPPOSITE = 1.0
"""The same for opposite directions: what rises in one paper and what falls in another are seldom the same thing."""
SAME_CAUSE = 0.5
"""Minimum share of the question's subject, before its verb, that each paper names in title or quote."""
SAME_OUTCOME = 0.5
"""Minimum share of the question's outcome, after its verb, that each quote itself contains: papers on one treatment
report many outcomes, and findings on two outcomes do not disagree."""
LEAST_SHARED = 2
"""Minimum number of topic words that both quotes contain."""
MOST_NAMED = 5
"""Maximum number of shared words that name the topic of the disagreement."""

_NULL = re.compile(
    r"\b(?:(?:did|does|do|was|were|is|are) )?(?:no|not|nor|neither|without|lack of)\b[^.;,]{0,60}?\b(?:significan|"
    r"differ|associat|correlat|effect|impact|improv|relationship|influence|change|evidence|predict|increase|reduc|"
    r"benefit|affect|related)\w*|\b(?:non-?significant|insignificant)\w*|\bfail(?:s|ed)? to\b|"
    r"\b(?:did|does|do|was|were|is|are) not\b",
    re.IGNORECASE,
)
_EFFECT = re.compile(
    r"(?<!no )(?<!not )\b(?:significantly|independent(?:ly)? (?:predict|associat)\w*|(?:is|are|was|were) "
    r"(?:(?:strong|close|positive|inverse|negative)ly )?(?:associated|correlated|effective|predictive|superior)|"
    r"(?:increas|decreas|reduc|improv|affect|predict|prevent|influenc)(?:e|es|ed|s)\b|(?:more|less) likely|(?:higher|"
    r"lower|better|worse)\b[^.;]{0,40}\bthan\b|(?:differences?|associations?|correlations?|effects?) (?:was|were) "
    r"(?:also )?(?:found|observed|noted|seen))",
    re.IGNORECASE,
)
_TURN = re.compile(r"\b(?:but|although|though|however|whereas|while|except|despite|unless|only)\b", re.IGNORECASE)
_UNSETTLED = re.compile(
    r"\b(?:if|whether|should|would|hypothes\w+|(?:remains?|yet|need(?:s|ed)?|has|have) (?:\w+ )?to be (?:\w+ )?\w+ed|"
    r"(?:previously|already|generally|widely|well|are|is) (?:shown|demonstrated|reported|known|established)|"
    r"will (?:be )?\w+|(?:not|yet) been|(?:is|are) (?:currently |now )?(?:recommended|thought|believed|considered)|"
    r"(?:previous|prior|earlier|recent|other|some|several|many|most|observational|epidemiologic(?:al)?|animal|pilot) "
    r"(?:\w+ )?(?:studies|trials|reports|research|evidence|data|reviews|meta-analys[ei]s)|"
    r"(?:studies|trials) (?:have|had)|(?:has|have) been (?:\w+ )?(?:shown|reported|suggested|found|associated|linked|"
    r"used|proposed|recommended|implicated|demonstrated)|literature)\b",
    re.IGNORECASE,
)
"""What was planned, assumed, left open, or found by others is not a finding of the paper."""
_OTHER_NULL = re.compile(
    r"\b(?:not|no|nor|without|non)\b[^.;,]{0,30}\b(?:superior\w*|inferior\w*|equivalen\w+|(?:negative|adverse|harmful|"
    r"detrimental|side|deleterious|unwanted)(?: \w+)? (?:effects?|impact|events?|reactions?))|\bnon-?inferior",
    re.IGNORECASE,
)
"""No better than another treatment, or no harm: neither means that there is no effect."""


_ASKED = re.compile(
    r"\b(?:improv|reduc|increas|decreas|prevent|affect|caus|influenc|reliev|lower|rais|treat|help|alter|chang|enhanc|"
    r"attenuat|shorten|prolong|promot|protect|predict|worsen|induc|lead|impact)(?:e|es|ed|s|ing)?\b|"
    r"\b(?:associat|correlat|link|relat)\w* (?:with|to|between)\b|\b(?:effects?|impact|influence|role|benefits?|"
    r"efficacy) (?:on|in|for)\b|\b(?:effective|useful|beneficial|superior|safe|risk factor) (?:in|for|to|against)\b",
    re.IGNORECASE,
)
"""The verb between the subject and the outcome of a question."""
_HEAD_TO_HEAD = re.compile(
    r"\b(?:superior|inferior|better|worse|(?:more|less) effective) (?:to|than) (?!(?:the |a |an )?(?:placebo|controls?|"
    r"sham|usual|no|standard|baseline|before)\b)",
    re.IGNORECASE,
)
"""A comparison of two treatments does not compare either with no treatment."""
_GIVEN_ANYWAY = re.compile(
    r"\b(?:add(?:ed|ing)?(?: on)? to|taking|receiving|controlled (?:on|with|by)|on top of|refractory to)\s+([\w-]+)",
    re.IGNORECASE,
)
"""A treatment that both arms receive is not the one that was studied."""
_ANY_TREATMENT = frozenset(
    map(
        words.stem, ("supplementation", "supplements", "supplement", "training", "therapy", "treatment", "intervention")
    )
)
"""Generic words for a treatment, ignored if another word names it."""


@dataclass(frozen=True)
class Difference:
    """How two findings differ, and their shared words as the first one writes them."""

    kind: Kind
    about: str


@dataclass(frozen=True)
class Finding:
    """A quote, and the title of its paper, which may name what the quote leaves out."""

    title: str
    quote: str


def difference(question: str, one: Finding, other: Finding) -> Difference | None:
    """How two findings differ on the question; None if their words do not show a difference.

    Sentences with a contrast (`but`, `whereas`) report more than one finding, so they are not compared.
    """
    if not (_comparable(one.quote) and _comparable(other.quote)):
        return None
    topic = words.topic(question)
    named = topic & _terms(one.title, one.quote) & _terms(other.title, other.quote)
    shared = topic & _terms(one.quote) & _terms(other.quote)
    if len(shared) < min(LEAST_SHARED, len(topic)) or (kind := _kind(one.quote, other.quote)) is None:
        return None
    least = OPPOSITE if kind == "opposite directions" else SAME_FINDING
    if words.coverage(topic, named) < SAME_TOPIC or words.coverage(topic, shared) < least:
        return None
    if not (_answers(question, one) and _answers(question, other)):
        return None
    return Difference(kind, _named(shared, one.quote))


def _answers(question: str, finding: Finding) -> bool:
    """Whether a finding is about the question's subject and outcome; true if its verb is not recognised."""
    if (verb := _ASKED.search(question)) is None:
        return True
    about, outcome = (
        words.topic(part) & words.topic(question) for part in (question[: verb.start()], question[verb.end() :])
    )
    about = about - _ANY_TREATMENT or about
    if any(words.stem(given.lower()) in about for given in _GIVEN_ANYWAY.findall(finding.quote)):
        return False
    on_cause = not about or words.coverage(about, _terms(finding.title, finding.quote)) >= SAME_CAUSE
    return on_cause and (not outcome or words.coverage(outcome, _terms(finding.quote)) >= SAME_OUTCOME)


@lru_cache(maxsize=1024)
def _comparable(quote: str) -> bool:
    """Whether a quote reports a single finding of its own paper."""
    return not states_purpose(quote) and not any(
        no.search(quote) for no in (_TURN, _UNSETTLED, _OTHER_NULL, _HEAD_TO_HEAD)
    )


def _terms(*texts: str) -> set[str]:
    return {term for text in texts for term in words.terms(text)}


def _kind(one: str, other: str) -> Kind | None:
    nothing = [bool(_NULL.search(text)) for text in (one, other)]
    effect = [bool(_EFFECT.search(_NULL.sub(" ", text))) for text in (one, other)]
    if nothing[0] != nothing[1]:
        found = effect[nothing.index(False)]
        return "an effect and none" if found and not effect[nothing.index(True)] else None
    if not any(nothing) and "direction" in {*differences(one, other)} & {*differences(other, one)}:
        return "opposite directions"
    return None


def _named(shared: Set[str], text: str) -> str:
    named = dict.fromkeys(token for token in words.tokens(text) if words.stem(token) in shared)
    heaviest = sorted(named, key=lambda token: -words.weight(words.stem(token)))[:MOST_NAMED]
    return ", ".join(token for token in named if token in heaviest)
