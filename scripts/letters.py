"""Letters to learn from: questions as people write them, each for a sentence of the shared data that answers it.

`letters.jsonl` has a question, and the document and the offsets of the sentence that it was written for; the text is
read from the shared data, with white space collapsed. Six writers in different voices wrote the letters one by one.
They saw the text and not the program; texts were drawn at random over diseases and aspects. `letters_choosing.jsonl`
has letters of another voice on other documents, with what the first quote must say; they choose between trained models.

What is measured with is not here: the diseases that `held_out` names, the papers of BioASQ 9b and the held half of
COVID-QA are left to the benchmarks.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import marked as mk
import marked_people as mp

HERE = Path(__file__).parent
LETTERS, CHOOSING = HERE / "letters.jsonl", HERE / "letters_choosing.jsonl"
_HELD = 8
"""One in so many diseases is left to the benchmarks."""
CORPUS_OF = {"MQ": "people", "PMID": "bioasq", "PQA": "pubmedqa"}


class Letter(NamedTuple):
    """A question, the corpus and the document that answer it, and the sentence that does."""

    id: str
    question: str
    corpus: str
    document: str
    target: str


def pubmedqa_corpus(data: Path) -> Iterator[dict[str, Any]]:
    """The abstracts of PubMedQA's training questions, without titles: those are the questions."""
    for record in mk.lines(data / "pubmedqa" / "pqa_l.jsonl.gz"):
        if record["split"] != "test":
            text = " ".join([*record["contexts"], record["long_answer"]])
            yield {"id": f"PQA:{record['pmid']}", "title": "", "text": text}


mk.CORPORA.update({"pubmedqa": pubmedqa_corpus})


@cache
def _components(data: Path) -> Any:
    groups = mk._Groups()
    for record in mp.records(data):
        groups.join(sorted(mp.things(record)))
    return groups


def held_out(record: Any, data: Path) -> bool:
    """Whether the disease of a pair of MedQuAD, under any of its names, is left to the benchmarks."""
    name = _components(data).of(min(mp.things(record)))
    return zlib.crc32(name.encode()) % _HELD == 0


def texts(data: Path) -> dict[str, str]:
    """The texts of all documents that letters are written for, by their ids."""
    found = {mp.identity(record): record["answer"] for record in mp.records(data)}
    found |= {f"PMID:{record['pmid']}": record["abstract"] for record in mk.bioasq_corpus(data)}
    found |= {record["id"]: record["text"] for record in pubmedqa_corpus(data)}
    return {identity: " ".join(text.split()) for identity, text in found.items()}


def read_letters(data: Path) -> list[Letter]:
    """The letters to learn from, each with its sentence."""
    known, letters = texts(data), []
    for row in mk.lines(LETTERS):
        target = known[row["document"]][row["start"] : row["end"]]
        corpus = CORPUS_OF[row["document"].split(":")[0]]
        letters.append(Letter(row["id"], row["question"], corpus, row["document"], target))
    return letters


def chosen_by() -> set[str]:
    """The documents of the letters that choose between models."""
    return {row["document"] for row in mk.lines(CHOOSING) if row["document"]}


_NEAR = {"a": "sq", "e": "wr", "i": "uo", "o": "ip", "n": "bm", "t": "ry", "s": "ad", "r": "et", "l": "k", "c": "xv"}


def noisy(text: str, chance: random.Random, most: int = 3) -> str:
    """A text as somebody types it in a hurry: letters swapped, missing, doubled, and no capitals or marks.

    >>> noisy("What causes scurvy?", random.Random(3))
    """
    if chance.random() < 0.4:
        text = text.lower()
    if chance.random() < 0.3:
        text = text.replace(",", "").replace("'", "").rstrip("?.!")
    letters = list(text)
    for _ in range(chance.choice([0, 0, 1, 1, 2, most])):
        place = chance.randrange(1, max(2, len(letters) - 2))
        if not (letters[place].isalpha() and letters[place - 1].isalpha()):
            continue
        kind = chance.random()
        if kind < 0.3:
            letters[place - 1], letters[place] = letters[place], letters[place - 1]
        elif kind < 0.6:
            letters[place] = ""
        elif kind < 0.8:
            letters[place] *= 2
        else:
            letters[place] = chance.choice(_NEAR.get(letters[place].lower(), letters[place]))
        letters = list("".join(letters))
    return "".join(letters)
