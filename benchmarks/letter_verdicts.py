"""What stands first in the answer to a letter.

    python benchmarks/letter_verdicts.py medquad=NAME bioasq=NAME covidqa=NAME pubmed=NAME [--letters FILE] [--show]

Each NAME is a corpus built of the set's texts. The letters were written from the texts, without a look at what the
program answers. Of `held_out_letters.jsonl`, 80 are answered by a sentence of their collection; for 40 every document
that answers by the pattern is taken out of the search ("gold removed"). It is for the last measurement of a change:
nothing may be mended by its single letters, and no script opens it. `letters_to_mend_by.jsonl` has 60 of the same kind
that may be looked at. `earlier_letters.jsonl` was the last measurement of 28 November, and is known since.

A verdict is strict, and given by reading the first quote (`held_out_verdicts.tsv`, by letter and quote; `second` is
that of another reader, who knew nothing of the first). A quote that nobody has read is judged by patterns: what it,
with its title, must name, and what it must say.

- answers: the first quote says what is asked, of the subject that is asked about;
- on the subject: it only names the subject;
- true nothing: nothing is shown as an answer, and the collection has none;
- else: another subject, an answer where there is none, or nothing where there is one.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from medground import Engine, Settings
from medground.corpus.library import Library
from medground.values.answer import Answer
from medground.values.document import Document
from medground.values.query import Filters
from medground.values.question import Question
from medground_evaluate.statistics import wilson

HERE = Path(__file__).parent
VERDICTS = ("answers", "on the subject", "true nothing", "else")
Letter = Mapping[str, Any]
Read = Mapping[tuple[str, str], str]
"""The verdicts that were given by reading, by the letter's id and the digest of the quote."""


def digest(quote: str) -> str:
    """What stands for a quote in the table of verdicts, whose texts are not ours."""
    return hashlib.sha256(" ".join(quote.split()).encode()).hexdigest()[:12]


def read_verdicts(path: Path = HERE / "held_out_verdicts.tsv") -> Read:
    """The verdicts that were given by reading."""
    with path.open(encoding="utf-8") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {(row["id"], row["quote"]): row["verdict"] for row in rows}


def has_answer(letter: Letter) -> bool:
    """Whether a document that may be searched answers the letter."""
    return bool(letter["answer"]) and not letter.get("removed")


def verdict(letter: Letter, answer: Answer, read: Read) -> tuple[str, bool]:
    """What the first line of an answer is worth, one of `VERDICTS`; and whether somebody has read it."""
    if answer.decision.status == "unanswerable" or not answer.evidence:
        return "else" if has_answer(letter) else "true nothing", True
    lead = answer.evidence[0]
    if known := read.get((letter["id"], digest(lead.quote))):
        return known, True
    title = next(document.title for document in answer.documents if document.id == lead.document_id)
    if not has_answer(letter) or not re.search(letter["subject"], f"{title} {lead.quote}", re.IGNORECASE):
        return "else", False
    return "answers" if re.search(letter["answer"], lead.quote, re.IGNORECASE) else "on the subject", False


def question(letter: Letter, documents: list[Document]) -> Question:
    """The letter; where its answer is taken out, to the other documents alone."""
    if not letter.get("removed"):
        return Question.ask(letter["question"])
    return Question.ask(
        letter["question"], filters=Filters(ids=tuple(one.id for one in documents if not answers(letter, one)))
    )


def answers(letter: Letter, document: Document) -> bool:
    """Whether a document is the one that the letter was written from, or fits both its patterns."""
    text = f"{document.title}\n{document.text}"
    fits = (re.search(letter[name], text, re.IGNORECASE) for name in ("subject", "answer"))
    return document.id == letter["document"] or all(fits)


async def main() -> None:
    """Print how many letters got which verdict; with `--show` each that got no answer."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="+", metavar="SET=NAME")
    parser.add_argument("--letters", type=Path, default=HERE / "held_out_letters.jsonl")
    parser.add_argument("--show", action="store_true")
    arguments = parser.parse_args()
    names = dict(pair.split("=", 1) for pair in arguments.corpora)
    with arguments.letters.open(encoding="utf-8") as file:
        letters = [json.loads(line) for line in file]
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    unread, known = 0, read_verdicts()
    for name, corpus in names.items():
        with Library(Settings.load().home).open(corpus) as snapshot:
            documents = [*snapshot.all_documents()]
        async with await Engine.open(Settings.load(options={"retrieval.corpora": corpus})) as engine:
            for letter in (letter for letter in letters if letter["corpus"] == name):
                answer = await engine.ask(question(letter, documents))
                found, is_read = verdict(letter, answer, known)
                unread += not is_read
                counts["with an answer" if has_answer(letter) else "with none"][found] += 1
                if has_answer(letter) and answer.decision.status == "unanswerable":
                    counts["with an answer"]["refused"] += 1
                if arguments.show and found not in ("answers", "true nothing"):
                    print(f"{letter['id']} {found} | {letter['question']} | {letter['reason']}")
    for line in table(counts):
        print(line)
    print(f"{unread} first quotes were judged by patterns alone")


def table(counts: Mapping[str, Counter[str]]) -> Iterator[str]:
    """The rows of the counts; refused letters are among "else"."""
    yield " | ".join(["", *VERDICTS, "refused"])
    for kind, own in counts.items():
        total = sum(own[one] for one in VERDICTS)
        shares = (f"{own[one]} of {total} ({_interval(own[one], total)})" for one in (*VERDICTS, "refused"))
        yield " | ".join([kind, *shares])


def _interval(number: int, total: int) -> str:
    low, high = wilson(number, total)
    return f"{100 * low:.0f} to {100 * high:.0f} %"


if __name__ == "__main__":
    asyncio.run(main())
