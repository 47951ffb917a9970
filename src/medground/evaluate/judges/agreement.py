"""Agreement between two judges, models or people: Cohen's kappa on outcomes, or on marks of long answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from medground.document import Frozen
from medground.errors import UsageError
from medground.evaluate.judges.lines import LONG_AXES, PAIR_AXES, Judgement, by_judge
from medground.evaluate.judges.results import ORDERS, OVERALL, outcomes
from medground.verify.agreement import in_words, kappa


class JudgesAgreement(Frozen):
    """Two judges on one axis.

    Attributes:
        about: names of the answers that they judged.
        items: how many items both judged; items that only one judged do not count.
        observed: share of equal judgements, 0 to 1.
        kappa: agreement beyond chance; None if both gave one and the same judgement throughout.
        words: the kappa in words.
    """

    judges: tuple[str, str]
    about: tuple[str, ...]
    axis: str
    items: int
    observed: float
    kappa: float | None
    words: str


def judges_agreement(lines: Sequence[Judgement]) -> list[JudgesAgreement]:
    """Every pair of judges on the items that both judged: win, tie or loss of two answers, marks of long answers.

    Raises:
        UsageError: there are fewer than two judges, or no two judged the same items.
    """
    judges = by_judge(lines)
    if len(judges) < 2:
        raise UsageError(
            f"agreement needs two judges; found {', '.join(judges) or 'none'}; add a file of another judge"
        )
    found = [
        agreement
        for one, other in combinations(judges, 2)
        for about in sorted({tuple(sorted(line.shown)) for line in lines})
        for agreement in _agreements((one, other), about, judges[one], judges[other])
    ]
    if not found:
        raise UsageError(f"no two of {', '.join(judges)} have judged the same items; give files about the same runs")
    return found


def _agreements(
    names: tuple[str, str], about: tuple[str, ...], one: Iterable[Judgement], other: Iterable[Judgement]
) -> Iterator[JudgesAgreement]:
    by_side = [[line for line in lines if tuple(sorted(line.shown)) == about] for lines in (one, other)]
    for axis in (OVERALL, *PAIR_AXES) if len(about) == ORDERS else LONG_AXES:
        first, second = (_labels(lines, about, axis) for lines in by_side)
        if both := sorted(first.keys() & second.keys()):
            labels = [first[item] for item in both], [second[item] for item in both]
            found = kappa(*labels)
            yield JudgesAgreement(
                judges=names,
                about=about,
                axis=axis,
                items=len(both),
                observed=sum(a == b for a, b in zip(*labels, strict=True)) / len(both),
                kappa=found,
                words=in_words(found),
            )


def _labels(lines: Sequence[Judgement], about: tuple[str, ...], axis: str) -> dict[str, str]:
    if len(about) == ORDERS:
        return {item: str(outcome) for item, outcome in outcomes(lines, about[0], axis).items()}
    return {line.item: str(line.marks[0][axis].score) for line in lines if line.marks and axis in line.marks[0]}
