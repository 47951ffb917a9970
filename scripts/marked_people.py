"""Questions in people's words on the diseases of MedQuAD, with the answers to them, for `train_scorer.py`."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from marked import CORPORA, Marked, lines

from medground.answering.read.reading_list import Reading
from medground.language.quoting.judged import Candidate

WORDINGS = Path(__file__).parent / "wordings_people.json"
"""By what is asked, ways in which people ask it. Others than those from which the kinds of questions are learned
(`train_kinds.py`), so that the reader learns how far to trust what is read in a question."""
EACH = 60
"""Questions of each kind."""
_LEAST, _NAME = 80, range(4, 40)
"""Characters of an answer, and of a name."""


def records(data: Path) -> list[dict[str, Any]]:
    """The pairs of question and answer."""
    return list(lines(data / "medquad" / "qa.jsonl.gz"))


def identity(record: Mapping[str, Any]) -> str:
    """The id of a pair."""
    return f"MQ:{record['collection'].split('_')[0]}:{record['qid']}"


def medquad_corpus(data: Path) -> Iterator[dict[str, Any]]:
    """The answers, each under its question."""
    for r in records(data):
        yield {"id": identity(r), "title": r["question"], "text": r["answer"]}


def named_corpus(data: Path) -> Iterator[dict[str, Any]]:
    """The answers, each under the name of the disease alone."""
    for r in records(data):
        yield {"id": identity(r), "title": r["focus"], "text": r["answer"]}


CORPORA.update({"people": medquad_corpus, "people named": named_corpus})


def people(data: Path, name: str, *, seed: int = 0, each: int = EACH, wordings: Path = WORDINGS) -> list[Marked]:
    """Questions in people's words, so many of each kind. Those on one disease are one group."""
    rng, by_kind, about = random.Random(seed), defaultdict[str, list](list), defaultdict[str, set[str]](set)
    asked = json.loads(wordings.read_text(encoding="utf-8"))
    for record in records(data):
        if record["qtype"] in asked and len(record["focus"]) in _NAME and len(record["answer"]) > _LEAST:
            by_kind[record["qtype"]].append(record)
        for one in things(record):
            about[one].add(identity(record))
    kinds = {identity(record): record["qtype"] for record in records(data)}
    found = []
    for kind in (kind for kind in asked if by_kind[kind]):
        for record in rng.sample(by_kind[kind], min(each, len(by_kind[kind]))):
            own, focus = sorted(things(record)), record["focus"]
            said = focus if focus[:2].isupper() or rng.random() < 0.4 else focus.lower()
            gold = {i: [kinds[i]] for one in own for i in about[one]}
            question = rng.choice(asked[kind]).format(said)
            found.append(Marked(name, identity(record), kind, f"medquad {own[0]}", question, gold))
    return found


def things(record: Mapping[str, Any]) -> set[str]:
    """The names and concepts of what a pair is about."""
    return {record["focus"].lower(), *(record["cuis"] or ())}


NEAR: Mapping[str, set[str]] = {
    "genetic changes": {"causes", "inheritance"},
    "causes": {"genetic changes", "susceptibility"},
    "susceptibility": {"causes", "frequency"},
    "inheritance": {"genetic changes", "causes"},
}
"""Kinds whose answers often answer another one, too."""


def worth(one: Marked, reading: Reading, candidate: Candidate) -> list[float]:
    """What sentences are worth: those of the answer to what is asked most, its first ones before others."""
    kinds = one.gold.get(reading.document_id)
    if kinds is None:
        return [0.0] * len(candidate.sentences)
    right, near = one.kind in kinds, not NEAR.get(one.kind, set()).isdisjoint(kinds)
    base = 1.0 if right else 0.4 if near else 0.15 if "information" in kinds else 0.08
    asks = [sentence.rstrip().endswith("?") for sentence in candidate.sentences]
    return [base * (0.6 if one else 1.0 if n < 3 else 0.85) for n, one in enumerate(asks)]
