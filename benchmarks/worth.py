"""What is each list, pattern, number, column and model of the keyless way to the first line worth?

    python benchmarks/worth.py bioasq=NAME medquad=NAME pubmed=NAME jats=NAME covidqa=NAME --kept FOLDER
        [--only PART ...] [--questions 100] [--asked FILE.tsv ...]

Each is left out in turn, in a process of its own: a list is empty, a pattern matches nothing, a number is halved and
doubled, the weight of a column is zero, a model says nothing. Then the same questions are asked: people's questions
with their answers by pattern (`scripts/people_questions.jsonl`, which the weights learned from), and rows of files in
the form of `asked_questions.tsv`. FOLDER keeps what each process found, so that a cut run resumes; `--only model
number` leaves out only these. A row says how many first lines become right and wrong when a part is left out (right:
the answer or a quote on the subject, or a true "nothing found"), with the difference in points and its 95 % interval;
and the changes in refusals of what is held and in first quotes that are off the subject. A part that is worth something
has a difference below zero.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import importlib
import json
import random
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from medground_evaluate.statistics import paired_difference

ROOT = Path(__file__).resolve().parent.parent
LANGUAGE = ROOT / "src" / "medground" / "language"
NUMBERED = (
    *("language.quoting.leading", "language.quoting.scorer", "language.quoting.judged", "language.thresholds"),
    *("answering.read.reading_list", "answering.write.draft", "answering.verify.context"),
    *("language.kinds", "language.words"),
)
"""Modules whose numbers decide the first line."""
SAFE = ("notices", "rules")
"""Tables that are a promise, not a guess."""
SEED = 7
Row = Mapping[str, Any]
Outcome = str
RIGHT = ("the answer", "on the subject", "true nothing")


# What is left out


def parts() -> Iterator[str]:
    """The names of all parts, `kind:of:what`."""
    yield from (f"model:{name}" for name in MODELS)
    yield from (f"column:{name}" for name in groups())
    for module in NUMBERED:
        text = (ROOT / "src" / "medground" / (module.replace(".", "/") + ".py")).read_text(encoding="utf-8")
        for names, values in re.findall(r"^(_?[A-Z][A-Z_]*(?:, _?[A-Z_]+)*) = (-?[\d.]+(?:, -?[\d.]+)*)$", text, re.M):
            for name, value in zip(names.split(", "), values.split(", "), strict=True):
                yield from (f"number:{module}.{name}={float(value) * times:g}" for times in (0.5, 2.0))
    for path in sorted(LANGUAGE.glob("*.txt")):
        for heading in re.findall(r"^\[(.+?)\]", path.read_text(encoding="utf-8"), re.M):
            yield f"list:{path.stem}:{heading}"
    yield "table:people_words"


def groups() -> list[str]:
    """The columns of the scorer."""
    from medground.language.quoting.scorer import COLUMNS

    return list(COLUMNS)


def without(part: str) -> None:
    """Leave a part out of this process, before what uses it is imported."""
    from medground.home import files
    from medground.language import word_lists

    kind, _, rest = part.partition(":")
    if kind == "list":
        name, _, heading = rest.partition(":")
        whole = word_lists.word_lists
        word_lists.word_lists = lambda asked: whole(asked) | ({heading: frozenset()} if asked == name else {})
    elif kind == "table":
        rows = files.rows
        files.rows = lambda room, name: [["nothing"] * 2] if name == rest else rows(room, name)
    elif kind == "number":
        name, _, value = rest.partition("=")
        module, _, number = name.rpartition(".")
        _set(importlib.import_module(f"medground.{module}"), number, float(value))
    elif kind == "column":
        _without_column(rest)
    elif kind == "model":
        MODELS[rest]()


def _set(module: Any, name: str, value: float) -> None:
    """Set a number in its module, and in those that import it."""
    whole = isinstance(before := getattr(module, name), int)
    sharing = [one for key, one in sys.modules.items() if key.startswith("medground") and not name.startswith("_")]
    for other in (module, *(one for one in sharing if getattr(one, name, None) is before)):
        setattr(other, name, round(value) if whole else value)


def _without_column(*names: str) -> None:
    import numpy as np

    from medground.language.quoting import scorer

    kept = scorer._weights() * np.array([name not in names for name in groups()])
    scorer._weights = lambda: kept


def _without_kinds() -> None:
    import numpy as np

    from medground.language import kinds

    even = np.full(len(kinds.KINDS), 1 / len(kinds.KINDS), dtype=np.float32)
    kinds.asked, kinds.told = (lambda question: even), (lambda stems, names=(): even)


def _without_order() -> None:
    _without_column(*(name for name in groups() if name != "searched"))


MODELS = {"kinds": _without_kinds, "columns but searched": _without_order}


# Asking


def questions(files: Sequence[Path], most: int) -> list[Row]:
    """Some of all questions, the same each time, with the corpora that each is asked of."""
    lines = (ROOT / "scripts" / "people_questions.jsonl").read_text(encoding="utf-8").splitlines()
    found = [{**row, "corpora": row["corpus"].replace("none", "medquad bioasq")} for row in map(json.loads, lines)]
    for path in files:
        with path.open(encoding="utf-8") as file:
            rows = [row for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE) if row["subject"]]
        held = ("on subject", "nothing found")
        found += [
            {**row, "answer": "", "corpus": "none" if row["right first line"] == "nothing found" else ""}
            for row in rows
            if row["right first line"] in held
        ]
    return random.Random(SEED).sample(found, min(most, len(found)))


def outcome(row: dict[str, Any], answer: Any) -> str:
    """What stands first in an answer."""
    if answer.decision.status == "unanswerable" or not answer.evidence:
        return "refused"
    lead = answer.evidence[0]
    title = next(one.title for one in answer.documents if one.id == lead.document_id)
    if row["answer"] and re.search(row["answer"], lead.quote, re.IGNORECASE):
        return "the answer"
    seen = f"{lead.quote} {title}"
    named = all(re.search(part, seen, re.IGNORECASE) for part in row["subject"].split(";") if part)
    return "on the subject" if named else "something else"


async def outcomes(rows: Sequence[Row], corpora: Mapping[str, str]) -> list[Outcome]:
    """What stands first in the answer to each question."""
    from medground import Engine, Settings

    first = dict[str, Outcome]()
    for asked in dict.fromkeys(row["corpora"] for row in rows):
        names = ",".join(corpora.get(name, name) for name in asked.split())
        async with await Engine.open(Settings.load(options={"retrieval.corpora": names})) as engine:
            for row in (one for one in rows if one["corpora"] == asked):
                shown = outcome(row, await engine.ask(row["question"]))
                first[row["id"]] = "true nothing" if (shown, row["corpus"]) == ("refused", "none") else shown
    return [first[row["id"]] for row in rows]


def main() -> None:
    """Ask without each part, and print what each is worth."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="+", metavar="SET=NAME")
    parser.add_argument("--kept", type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=[""], help="beginnings of the names of parts")
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--asked", type=Path, nargs="*", default=[ROOT / "benchmarks" / "asked_questions.tsv"])
    parser.add_argument("--without", help=argparse.SUPPRESS)
    given = parser.parse_args()
    given.kept.mkdir(parents=True, exist_ok=True)
    if given.without is not None:
        without(given.without)
        names = dict(pair.split("=", 1) for pair in given.corpora)
        print(json.dumps(asyncio.run(outcomes(questions(given.asked, given.questions), names))))
        return
    shipped = left_out(given.kept, "")
    print(f"{len(shipped)} questions; shipped: {sum(one in RIGHT for one in shipped)} right")
    print("| left out | becomes right | becomes wrong | difference, points | refused though held | off the subject |")
    print("| --- | --- | --- | --- | --- | --- |")
    for part in parts():
        if part.startswith(tuple(given.only)):
            print(told(part, shipped, left_out(given.kept, part)), flush=True)


def left_out(folder: Path, part: str) -> list[Outcome]:
    """The outcomes without a part, from its file or from a process of its own; empty where that failed."""
    path = folder / (re.sub(r"\W+", "-", part or "shipped") + ".json")
    if not path.exists():
        command = [sys.executable, *sys.argv, "--without", part]
        ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        path.write_text(ran.stdout.splitlines()[-1] if ran.returncode == 0 else "[]", encoding="utf-8")
    return list(json.loads(path.read_text(encoding="utf-8")))


def told(part: str, shipped: Sequence[Outcome], left: Sequence[Outcome]) -> str:
    """The row of a part."""
    if len(left) != len(shipped):
        return f"| {part} | nothing works without it | | | | |"
    pairs = [(before in RIGHT, after in RIGHT) for before, after in zip(shipped, left, strict=True)]
    won, lost = pairs.count((False, True)), pairs.count((True, False))
    points = paired_difference(won, lost, len(pairs))
    assert points
    interval = f"{100 * points.value:+.1f} ({100 * points.low:+.1f} to {100 * points.high:+.1f})"
    changes = [left.count(name) - shipped.count(name) for name in ("refused", "something else")]
    return f"| {part} | {won} | {lost} | {interval} | {changes[0]:+d} | {changes[1]:+d} |"


if __name__ == "__main__":
    main()
