"""How far a judge of queries can be trusted: its labels beside labels made by hand.

Source: Omni-RAG, appendix A.2 (Table 9): a person reads question, gold answer and documents, and says whether they
support it. The person's labels are the reference; Cohen's kappa is agreement beyond chance.
"""

from __future__ import annotations

import csv
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from medground.corpus.faults import writing
from medground.errors import BadDocument, UsageError
from medground.values.source_plan import SourceQuery
from medground_evaluate.agreement import in_words, kappa, same_share
from medground_evaluate.planning.exploring import read_yes_no
from medground_evaluate.planning.judging import shown
from medground_evaluate.planning.work import Explored, Judged
from medground_evaluate.statistics import ClassScore

SAMPLES = 100
_COLUMNS = ("id", "question", "gold answer", "source", "term", "query", "documents", "supports")
_OF_A_QUERY = ("id", "source", "term", "query")


@dataclass(frozen=True)
class JudgeAgreement:
    """A judge's labels beside those made by hand.

    Attributes:
        labels: queries that both labelled.
        failed: labelled by hand, but not by the judge.
        kappa: None if both gave one and the same label throughout.
        accuracy: share of equal labels.
        supports: how the judge finds what supports the answer; the labels made by hand are right.
    """

    labels: int
    failed: int
    kappa: float | None
    accuracy: float
    supports: ClassScore

    def line(self, judge: str) -> str:
        """One line, such as `judge X: kappa 0.81 (almost perfect) with 100 labels made by hand`."""
        value = "undefined (one label only)" if self.kappa is None else f"{self.kappa:.2f} ({in_words(self.kappa)})"
        found = self.supports
        measured = {"accuracy": self.accuracy, "precision": found.precision, "recall": found.recall}
        measured["F1"] = found.f1 if found.gold or found.given else None
        figures = ", ".join(f"{name} {'-' if one is None else f'{one:.1%}'}" for name, one in measured.items())
        left = f"; {self.failed} more that it did not judge" if self.failed else ""
        return (
            f"judge {judge}: kappa {value} with {self.labels} labels made by hand, {found.gold} of them yes; "
            f"{figures}{left}"
        )


def write_sheet(
    explored: Sequence[Explored],
    out: Path,
    *,
    samples: int = SAMPLES,
    seed: int = 0,
    passages: int | None = None,
) -> int:
    """Write a sheet (CSV) of randomly drawn queries with what they found, and an empty column `supports`.

    The judge's labels are not in it. `passages` shows as many passages as the judge was shown.

    Returns:
        the number of rows.

    Raises:
        UsageError: the file exists (it may hold labels), or nothing was found by any query.
        StorageFailed: the file cannot be written.
    """
    if out.exists():
        raise UsageError(f"{out} exists and may hold labels; name another file")
    rows = [
        (
            one.question.id,
            one.question.text,
            one.question.answer,
            tried.source,
            tried.query.term,
            tried.query.text,
            "\n\n".join(f"[{p.document_id}] {p.title}\n{p.text}".strip() for p in shown(tried, one, passages)),
            "",
        )
        for one in explored
        for tried in one.queries
        if tried.found
    ]
    if not rows:
        raise UsageError("no query found anything, so there is nothing to label; explore more questions")
    random.Random(seed).shuffle(rows)
    with writing(out.parent):
        out.parent.mkdir(parents=True, exist_ok=True)
        with out.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([_COLUMNS, *rows[:samples]])
    return len(rows[:samples])


def agreement(sheet: Path, judged: Sequence[Judged]) -> JudgeAgreement:
    """Compare the labels of a sheet with those of a judge. Rows without a label are passed over.

    Raises:
        UsageError: the file cannot be read, has no label, or its queries are not those that were judged.
        BadDocument: a label is neither yes nor no, or a column is missing.
    """
    by_hand = _read_sheet(sheet)
    label_of = {(one.question.id, query.source, query.query): query.label for one in judged for query in one.queries}
    pairs = [(hand, label_of[place]) for place, hand in by_hand.items() if place in label_of]
    both = [(hand, label == "positive") for hand, label in pairs if label != "failed"]
    if not both:
        raise UsageError(f"{sheet} and the judgements have no labelled query in common; label some rows yes or no")
    hands, judges = [str(hand) for hand, _ in both], [str(judge) for _, judge in both]
    given, right = judges.count("True"), sum(hand and judge for hand, judge in both)
    supports = ClassScore("supports", hands.count("True"), given, right)
    return JudgeAgreement(len(both), len(pairs) - len(both), kappa(hands, judges), same_share(hands, judges), supports)


def _read_sheet(path: Path) -> dict[tuple[str, str, SourceQuery], bool]:
    csv.field_size_limit(10_000_000)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            rows = list(reader)
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror or error}); write one with `label`") from None
    except (csv.Error, UnicodeDecodeError) as error:
        raise BadDocument(f"not a CSV file in UTF-8 ({error})", file=str(path)) from None
    if missing := [name for name in (*_OF_A_QUERY, "supports") if name not in (reader.fieldnames or ())]:
        raise BadDocument(f"no column {', '.join(missing)}; write a sheet with `label`", file=str(path), position=1)
    found: dict[tuple[str, str, SourceQuery], bool] = {}
    for number, row in enumerate(rows, start=2):
        said = (row["supports"] or "").strip()
        if not said:
            continue
        read = read_yes_no({"y": "yes", "n": "no"}.get(said.lower(), said))
        if read not in ("yes", "no"):
            raise BadDocument(f"the label {said[:40]!r} is neither yes nor no", file=str(path), position=number)
        found[row["id"], row["source"], SourceQuery(term=row["term"] or "", text=row["query"] or "")] = read == "yes"
    return found
