"""How well the check of texts tells what cited texts say, on real sentences with people's labels."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from medground.engine import Engine
from medground.values import Finding
from medground_evaluate.items import Item
from medground_evaluate.statistics import Share

CLEAN = ("supported", "not_checked")


@dataclass(frozen=True)
class CitingResult:
    """The findings on citing sentences, beside their gold answers.

    Attributes:
        area: how often a sentence that its source supports is more likely than one that it does not (area under the
            ROC curve; ties count half); None where all sentences are of one kind. One whose source says something else
            is less likely than all others; without a critic, findings alone count: 1, 0, or a half.
        right, found: of those called contradicted, how many are; of those that are, how many are called so.
        alarms: supported sentences that are told as a fault.
        kinds: how many findings there are of each kind, for each gold answer.
    """

    area: float | None
    right: Share
    found: Share
    alarms: Share
    kinds: dict[str, dict[str, int]]


async def findings_on(engine: Engine, items: Sequence[Item]) -> list[Finding]:
    """What a check finds of each item's sentence, with its own text as the only paper that is stored."""
    view = replace(engine, sources=[])  # it shares models with the engine, and is never closed
    return await view.check_against([(item.question.text, item.context) for item in items])


def measured(items: Sequence[Item], findings: Sequence[Finding]) -> CitingResult:
    """The figures over items with a finding each."""
    rows = [(item.gold[0], one) for item, one in zip(items, findings, strict=True)]
    said = [gold for gold, one in rows if one.kind == "contradicted"]
    true = [one.kind for gold, one in rows if gold == "no"]
    clean = [one.kind for gold, one in rows if gold == "yes"]
    return CitingResult(
        area=area([_score(one) for gold, one in rows if gold == "yes"], [_score(one) for g, one in rows if g != "yes"]),
        right=Share(said.count("no"), len(said)),
        found=Share(true.count("contradicted"), len(true)),
        alarms=Share(sum(kind not in CLEAN for kind in clean), len(clean)),
        kinds={gold: dict(Counter(one.kind for g, one in rows if g == gold)) for gold in sorted({g for g, _ in rows})},
    )


def _score(finding: Finding) -> float:
    if finding.likelihood is None:
        return 1.0 if finding.kind == "supported" else 0.5 if finding.kind == "not_checked" else 0.0
    return finding.likelihood - (finding.kind not in (*CLEAN, "silent", "elsewhere"))


def area(positive: Sequence[float], negative: Sequence[float]) -> float | None:
    """The area under the ROC curve: the share of pairs in which the positive has the higher score; ties count half."""
    if not positive or not negative:
        return None
    return sum((one > other) + (one == other) / 2 for one in positive for other in negative) / (
        len(positive) * len(negative)
    )
