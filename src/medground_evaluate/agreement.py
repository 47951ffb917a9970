"""Agreement between two annotators, people or critics: Cohen's kappa, scores by label, and files of labels."""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import get_args

from pydantic import NonNegativeInt

from medground.errors import UsageError
from medground.values import Answer, AtLeastOne, Category, Frozen, NonEmpty, grouped
from medground_evaluate.datasets.loader import checked, json_file, json_lines
from medground_evaluate.judges.judgements import LONG_AXES, PAIR_AXES, Judgement
from medground_evaluate.judges.results import ORDERS, OVERALL, outcomes
from medground_evaluate.statistics import ClassScore, scores_by_class


class Annotation(Frozen):
    """One label. `context` is j of CONTEXT-j, `statement` counts from 0."""

    item: NonEmpty
    annotator: NonEmpty
    context: AtLeastOne
    statement: NonNegativeInt
    label: Category

    @property
    def place(self) -> tuple[str, int]:
        """The item and its statement."""
        return self.item, self.statement


def read_annotations(paths: Sequence[Path], *, context: int = 5) -> list[Annotation]:
    """The annotations of all files together.

    Args:
        paths: annotation files, and answers as JSON (`*.json`).
        context: the context that the labels of answers are for, which an answer does not contain.
    """
    read: list[Annotation] = []
    for path in paths:
        if path.suffix != ".json":
            read += [checked(Annotation, record, where) for where, record in json_lines(path)]
            continue
        answer = checked(Answer, json_file(path), f"{path}: not a Medground answer")
        for n, verdict in enumerate(statement.verdict for statement in answer.statements):
            if (label := verdict.category) is not None:
                about = {"item": answer.id, "annotator": verdict.labelled_by, "context": context}
                read.append(Annotation(**about, statement=n, label=label))
    if not read:
        raise UsageError(f"no labels in {', '.join(map(str, paths))}; give files of annotations or labelled answers")
    (first, times), *_ = Counter((a.annotator, a.context, *a.place) for a in read).most_common(1)
    if times > 1:
        annotator, j, item, statement = first
        raise UsageError(
            f"{annotator} labels statement {statement} of {item} under CONTEXT-{j} {times} times; keep one"
        )
    return read


_LANDIS_KOCH = {0.2: "slight", 0.4: "fair", 0.6: "moderate", 0.8: "substantial", 1.0: "almost perfect"}
"""The upper end of each band, inclusive; below 0 is poor."""


@dataclass(frozen=True)
class Agreement:
    """The agreement of two annotators under one context.

    Attributes:
        reference: the first annotator, whose labels count as correct for precision and recall.
        context: j of CONTEXT-j; None for all contexts together.
        statements: number of statements that both labelled.
        kappa: agreement beyond chance, -1 to 1; None if both gave one and the same label to every statement, as chance
            then explains everything.
    """

    reference: str
    other: str
    context: int | None
    statements: int
    observed: float
    kappa: float | None
    labels: tuple[ClassScore, ...]
    binary: float | None


def agreements(annotations: Sequence[Annotation], reference: str | None = None) -> list[Agreement]:
    """Every pair of annotators under every context and, if there are several contexts, over all of them.

    Args:
        reference: the annotator to compare all others with; None compares every pair.
    """
    names = list(dict.fromkeys(a.annotator for a in annotations))
    if len(names) < 2:
        raise UsageError(
            f"agreement needs two annotators; found {names[0] if names else 'none'}; add a file of another annotator"
        )
    if reference is not None and reference not in names:
        raise UsageError(f"no annotator is called {reference!r}; choose from {', '.join(names)}")
    pairs = [pair for pair in combinations(names, 2) if reference is None or reference in pair]
    found: list[Agreement] = []
    for one, other in pairs:
        first, second = (other, one) if other == reference else (one, other)
        here = sorted({a.context for a in annotations if a.annotator in (first, second)})
        found += [_compared(annotations, first, second, j) for j in here]
        if len(here) > 1:
            found.append(_compared(annotations, first, second, None))
    return found


def kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> float | None:
    """Cohen's kappa of two lists of labels in the same order; None if chance alone explains full agreement."""
    if len(first) != len(second) or not first:
        raise UsageError(f"kappa needs two labels per statement, not {len(first)} and {len(second)} labels")
    n = len(first)
    observed = same_share(first, second)
    # Integers, so that rounding cannot hide a chance of exactly 1.
    chance = sum(first.count(label) * second.count(label) for label in set(first))
    return None if chance == n * n else (observed - chance / n**2) / (1 - chance / n**2)


def in_words(value: float | None) -> str:
    """Landis and Koch's word for a kappa."""
    if value is None:
        return "undefined: one label only"
    if value < 0:
        return "poor"
    return next(word for bound, word in _LANDIS_KOCH.items() if round(value, 2) <= bound)


def same_share(first: Sequence[Hashable], second: Sequence[Hashable]) -> float:
    """The share of equal labels."""
    return sum(a == b for a, b in zip(first, second, strict=True)) / len(first)


def faithfulness_by_item(annotations: Sequence[Annotation]) -> Mapping[tuple[str, int, str], float]:
    """Faith(R) by item, context and annotator: the share of labels that are CORRECT (Eq. 1)."""
    labels = grouped(((a.item, a.context, a.annotator), a.label.startswith("CORRECT")) for a in annotations)
    return {key: sum(correct) / len(correct) for key, correct in labels.items()}


def _compared(annotations: Sequence[Annotation], first: str, second: str, context: int | None) -> Agreement:
    labels = [
        {(a.context, *a.place): a.label for a in annotations if a.annotator == name and context in (None, a.context)}
        for name in (first, second)
    ]
    if odd := sorted(labels[0].keys() ^ labels[1].keys()):
        j, item, statement = odd[0]
        who, missing = (first, second) if odd[0] in labels[0] else (second, first)
        raise UsageError(
            f"{missing} has no label for statement {statement} of {item} under CONTEXT-{j}, which {who} labels "
            f"({len(odd)} such cases); label the same statements in both"
        )
    places = sorted(labels[0])
    one, other = ([given[place] for place in places] for given in labels)
    scores = {one.label: one for one in scores_by_class(((a,), (b,)) for a, b in zip(one, other, strict=True))}
    return Agreement(
        reference=first,
        other=second,
        context=context,
        statements=len(places),
        observed=same_share(one, other),
        kappa=kappa(one, other),
        labels=tuple(scores[label] for label in get_args(Category) if label in scores),
        binary=kappa(*([label.split("-")[0] for label in given] for given in (one, other))),
    )


class JudgesAgreement(Frozen):
    """Two judges on one axis.

    Attributes:
        items: how many items both judged; items that only one judged do not count.
        kappa: agreement beyond chance; None if both gave one and the same judgement throughout.
    """

    judges: tuple[str, str]
    about: tuple[str, ...]
    axis: str
    items: int
    observed: float
    kappa: float | None
    words: str


def judges_agreement(lines: Sequence[Judgement]) -> list[JudgesAgreement]:
    """Every pair of judges on the items that both judged: win, tie or loss of two answers, marks of long answers."""
    judges = grouped((line.judge, line) for line in lines)
    if len(judges) < 2:
        raise UsageError(
            f"agreement needs two judges; found {', '.join(judges) or 'none'}; add a file of another judge"
        )
    found: list[JudgesAgreement] = []
    for one, other in combinations(judges, 2):
        for about in sorted({tuple(sorted(line.shown)) for line in lines}):
            found += _on_each_axis((one, other), about, judges[one], judges[other])
    if not found:
        raise UsageError(f"no two of {', '.join(judges)} have judged the same items; give files about the same runs")
    return found


def _on_each_axis(
    names: tuple[str, str], about: tuple[str, ...], one: Iterable[Judgement], other: Iterable[Judgement]
) -> Iterator[JudgesAgreement]:
    by_side = [[line for line in lines if tuple(sorted(line.shown)) == about] for lines in (one, other)]
    for axis in (OVERALL, *PAIR_AXES) if len(about) == ORDERS else LONG_AXES:
        first, second = (_said(lines, about, axis) for lines in by_side)
        if both := sorted(first.keys() & second.keys()):
            labels = [first[item] for item in both], [second[item] for item in both]
            found = kappa(*labels)
            yield JudgesAgreement(
                judges=names,
                about=about,
                axis=axis,
                items=len(both),
                observed=same_share(*labels),
                kappa=found,
                words=in_words(found),
            )


def _said(lines: Sequence[Judgement], about: tuple[str, ...], axis: str) -> dict[str, str]:
    if len(about) == ORDERS:
        return {item: str(outcome) for item, outcome in outcomes(lines, about[0], axis).items()}
    return {line.item: str(line.marks[0][axis].score) for line in lines if line.marks and axis in line.marks[0]}
