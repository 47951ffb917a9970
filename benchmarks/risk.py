"""Measures who gets a notice for a person at risk: recall on wordings of our own, false alarms on real questions.

    python benchmarks/risk.py SHARED_DATA_FOLDER

The wordings are those of `tests/risk/wordings.tsv`. The real questions are PubMedQA, BioASQ 7b to 9b, MedQuAD (all of
it, and a fixed sample of 1,000) and MIRAGE: none is by a person at risk now, so each notice there is a false alarm.
Recall on wordings that the rules were written for, or mended with, says little: docs/measurements/risk.md has what
each round found when it was new. Intervals are Wilson's, 95 %.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import time
import zlib
from collections import Counter
from collections.abc import Container, Sequence
from pathlib import Path

from medground.language.risk.notices import notice_for
from medground_evaluate.statistics import wilson

WORDINGS = Path(__file__).resolve().parent.parent / "tests" / "risk" / "wordings.tsv"
KINDS = ("self-harm", "emergency", "see-doctor", "treatment", "none")


def kind(text: str) -> str:
    """The kind of notice for a text, or `none`."""
    notice = notice_for(text)
    return notice.kind if notice else "none"


def lines(path: Path) -> list[str]:
    """The questions of a file of JSON Lines."""
    with gzip.open(path, "rt", encoding="utf-8") as opened:
        return [json.loads(line)["question"] for line in opened]


def real(folder: Path) -> dict[str, list[str]]:
    """Real questions by data set."""
    bioasq = []
    for path in sorted((folder / "bioasq").glob("*.json.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as opened:
            bioasq += [question["body"] for question in json.load(opened)["questions"]]
    medquad = lines(folder / "medquad" / "qa.jsonl.gz")
    return {
        "PubMedQA": lines(folder / "pubmedqa" / "pqa_l.jsonl.gz"),
        "BioASQ 7b-9b": bioasq,
        "MedQuAD, 1,000": random.Random(0).sample(medquad, 1000),
        "MIRAGE": lines(folder / "mirage" / "questions.jsonl.gz"),
        "MedQuAD, all": medquad,
    }


def consumers(folder: Path, ids: Container[str] | None = None) -> list[str]:
    """What consumers asked health services: personal, and nearly never in danger now. Only those with these IDs, if
    given.
    """
    with gzip.open(folder / "omni_long" / "questions.jsonl.gz", "rt", encoding="utf-8") as opened:
        rows = [json.loads(line) for line in opened]
    return list(dict.fromkeys(row["question"] for row in rows if ids is None or row["id"] in ids))


def show_consumers(questions: Sequence[str]) -> None:
    """Print the notices of the unseen half of these questions; self-harm and emergency are nearly always false."""
    unseen = [kind(question) for question in questions if not trained_on(question)]
    cells = [share(unseen.count(one), len(unseen)) for one in KINDS]
    print(f"\n| consumers' questions, unseen | {' | '.join(KINDS)} |")
    print("| --- | " + "--- | " * len(KINDS))
    print(f"| {len(unseen)} | {' | '.join(cells)} |")


def trained_on(question: str) -> bool:
    """Whether a real question is of the half that `scripts/train_risk.py` learns from."""
    return zlib.crc32(question.encode()) % 2 == 0


def share(right: int, of: int) -> str:
    """A count and a share with its interval."""
    low, high = wilson(right, of)
    return f"{right}/{of} [{low:.0%}, {high:.0%}]"


def show_wordings(rows: Sequence[Sequence[str]]) -> None:
    """Print recall and precision of each kind."""
    print("| wordings | " + " | ".join(KINDS) + " |")
    print("| --- | " + "--- | " * len(KINDS))
    found = [(wanted, written, kind(text)) for wanted, written, text in rows]
    for group in [*dict.fromkeys(row[1] for row in rows), "all"]:
        inside = [(wanted, got) for wanted, written, got in found if group in (written, "all")]
        cells = [share(inside.count((k, k)), sum(wanted == k for wanted, _ in inside)) for k in KINDS]
        print(f"| {group} | {' | '.join(cells)} |")
    given = Counter(got for _, _, got in found)
    cells = [share(sum(wanted == got == k for wanted, _, got in found), given[k]) for k in KINDS]
    print(f"| precision, all | {' | '.join(cells)} |")


def show_alarms(sets: dict[str, list[str]]) -> None:
    """Print false alarms, and the time of a question."""
    alarms = []
    print("\n| real questions | read | false alarms | of those unseen | microseconds each, mean; slowest |")
    print("| --- | --- | --- | --- | --- |")
    for name, questions in sets.items():
        seconds, count, unseen = [], 0, 0
        for text in questions:
            start = time.perf_counter()
            got = kind(text)
            seconds.append(time.perf_counter() - start)
            if got != "none":
                count += 1
                unseen += not trained_on(text)
                alarms.append(f"{name}, {got}: {text}")
        mean, slowest = 1e6 * sum(seconds) / len(seconds), 1e6 * max(seconds)
        new = sum(not trained_on(text) for text in questions)
        print(f"| {name} | {len(questions):,} | {count} | {unseen} of {new:,} | {mean:.0f}; {slowest:.0f} |")
    print("\n".join(["", *alarms]))


def main() -> None:
    """Print both tables and the false alarms."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    notice_for("I read the rules before the clock starts")
    text = WORDINGS.read_text(encoding="utf-8")
    show_wordings([line.split("\t") for line in text.splitlines() if not line.startswith("#")])
    folder = parser.parse_args().folder
    show_consumers(consumers(folder))
    show_alarms(real(folder))


if __name__ == "__main__":
    main()
