"""Questions with sentences to choose from, for `train_pair.py`: good ones, and ones that only look good.

A group is a question, and sentences with their titles and what each is worth as the first quote of its answer, 0 to 1.
Sentences come from Medground's own search by words. Beside one or two good ones stand the best by words, others from
the same document, ones that say what is asked of another subject, and ones that answer nothing. Of some questions all
documents that answer are left out, so that no sentence is worth anything. Texts are read from the shared data.
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import marked as mk
import marked_people as mp
import marked_trials as mt
from letters import Letter, chosen_by, held_out, read_letters

from medground.answering.rank.fuse import fuse, merge_duplicates
from medground.answering.read.reading_list import WEIGHED, Reading, places, reading_list, spans
from medground.corpus.library import Library
from medground.corpus.snapshot import Snapshot
from medground.language import words
from medground.language.quoting.judged import Candidate
from medground.values.query import Words

SIZE = 12
"""Sentences of a group."""
HARD, SAME = 4, 2
"""Of these, the best by words, and others of a document that answers."""
_LENGTHS = range(20, 700)
"""Characters of a sentence that may be quoted."""
_LEAST = 4
_READ = 3000
"""Characters of an answer that are read for what it says of another disease."""
OWN, SAME_ASPECT, SAME_SUBJECT = 0.3, 0.2, 0.08
"""What other sentences are worth: of the document that answers, of one that answers the same about the same disease,
and of one that answers something else about it."""
EMPTY = 0.2
"""Share of the questions that are asked again without the documents that answer them."""
UNTITLED = 0.25
"""Share of the groups whose titles are dropped."""


class Row(NamedTuple):
    """A sentence that was found: its title, its worth, and whether its document answers the question."""

    title: str
    sentence: str
    worth: float
    answers: bool


class Groups:
    """Writes groups to a file, and counts them."""

    def __init__(self, path: Path, seed: int = 1) -> None:
        self.file = path.open("w", encoding="utf-8", buffering=1)
        self.random = random.Random(seed)

    def add(self, name: str, identity: str, question: str, rows: Sequence[Row], strangers: Sequence[Row] = ()) -> int:
        """Write the groups of a question: with what answers it, and for some without; returns how many."""
        rows = [row for row in rows if len(row.sentence) in _LENGTHS]
        best = max((row.worth for row in rows), default=0.0)
        if best < 0.8 or len(rows) < _LEAST:
            return 0
        weights = {term: words.weight(term) for term in words.terms(question)}
        ordered = sorted(rows, key=lambda row: -_likeness(weights, row))
        good = [row for row in ordered if row.worth >= best - 1e-6]
        first = good[0] if self.random.random() < 0.4 else self.random.choice(good)
        rest = [row for row in ordered if row.worth <= 0.7 and row.sentence != first.sentence]
        written = self._write(name, identity, question, [first, *self._others(rest, strangers)])
        if self.random.random() < EMPTY:
            left = [row for row in ordered if not row.answers]
            written += self._write(f"{name} empty", identity, question, self._others(left, strangers))
        return written

    def _others(self, ordered: Sequence[Row], strangers: Sequence[Row]) -> list[Row]:
        same = [row for row in ordered[HARD:] if row.answers]
        chosen = [*ordered[:HARD], *self.random.sample(same, min(SAME, len(same)))]
        chosen += self.random.sample(list(strangers), min(2, len(strangers)))
        left = [row for row in ordered[HARD:60] if row not in chosen]
        return chosen + self.random.sample(left, min(SIZE - 1 - len(chosen), len(left)))

    def _write(self, name: str, identity: str, question: str, rows: Sequence[Row]) -> int:
        if len(rows) < _LEAST:
            return 0
        titled = self.random.random() >= UNTITLED
        sentences = [[row.title if titled else "", row.sentence, round(float(row.worth), 3)] for row in rows]
        self.file.write(json.dumps({"set": name, "id": identity, "question": question, "sentences": sentences}) + "\n")
        return 1


def _likeness(weights: Mapping[str, float], row: Row) -> float:
    """How many of the question's words a sentence has; its title counts less."""
    title, stems = set(words.terms(row.title)), words.terms(row.sentence)
    shared = sum(w * (1.0 if term in stems else 0.4 if term in title else 0.0) for term, w in weights.items())
    return shared / (1 + 0.004 * max(0, len(stems) - 25))


def found(question: str, snapshot: Snapshot) -> list[Reading]:
    """What a search by words finds for a question."""
    hits = merge_duplicates(fuse([snapshot.bm25(Words(text=question), mk.DEPTH)]))
    return reading_list(hits, mk.KEEP, WEIGHED)


def rows_of(one: mk.Marked, readings: Sequence[Reading], worth: mk.Worth) -> list[Row]:
    """The sentences of what was found, each with its worth."""
    rows = []
    for reading in readings:
        texts, title = [text for _, text in places(reading)], reading.passages[0].title or ""
        values = worth(one, reading, Candidate(title=title, sentences=texts))
        rows += [
            Row(title, text, value, reading.document_id in one.gold) for text, value in zip(texts, values, strict=True)
        ]
    return rows


class MedQuad:
    """MedQuAD's answers: which are about the same disease, and what answers the same question about others."""

    def __init__(self, data: Path, seed: int = 2) -> None:
        self.random = random.Random(seed)
        self.records = {mp.identity(record): record for record in mp.records(data)}
        self.by_kind: dict[str, list[Mapping[str, Any]]] = {}
        for record in self.records.values():
            self.by_kind.setdefault(record["qtype"], []).append(record)

    def nearness(self, document: str, other: str) -> float:
        """What a sentence of a document is worth for a question that another one answers."""
        one, two = self.records.get(document), self.records.get(other)
        if one is None or two is None or (mp.things(one) & mp.things(two)) <= {""}:
            return 0.0
        return SAME_ASPECT if one["qtype"] == two["qtype"] else SAME_SUBJECT

    def strangers(self, question: str, document: str) -> list[Row]:
        """The six sentences likest to a question in 12 answers to the same question about other things."""
        own = self.records.get(document)
        if own is None:
            return []
        others = self.by_kind[own["qtype"]]
        drawn = self.random.sample(others, min(12, len(others)))
        weights = {term: words.weight(term) for term in words.terms(question)}
        rows = [
            Row(record["question"], record["answer"][start:end], 0.0, False)
            for record in drawn
            if not mp.things(record) & mp.things(own)
            for start, end in spans(record["answer"][:_READ])
        ]
        rows = [row for row in rows if len(row.sentence) in _LENGTHS]
        return sorted(rows, key=lambda row: -_likeness(weights, row))[:6]


def write_letters(groups: Groups, data: Path, home: Path) -> Iterator[str]:
    """Groups of the letters: what is found for each, with the sentence that it asks for."""
    letters = read_letters(data)
    medquad = MedQuad(data)
    for corpus in sorted({letter.corpus for letter in letters}):
        own, written = [letter for letter in letters if letter.corpus == corpus], 0
        with Library(home).open(build(corpus, data, home)) as snapshot:
            for letter in own:
                rows = _rows_of_letter(letter, medquad, snapshot)
                strangers = medquad.strangers(letter.question, letter.document)
                written += groups.add("letter", letter.id, letter.question, rows, strangers)
        yield f"letters on {corpus}: {len(own)} letters, {written} groups"


def _rows_of_letter(letter: Letter, medquad: MedQuad, snapshot: Snapshot) -> list[Row]:
    """Sentences found for a letter; its own is sought by its words where the letter's words do not find it."""
    readings = found(letter.question, snapshot)
    if letter.document not in {reading.document_id for reading in readings}:
        readings += found(letter.target, snapshot)[:3]
    target, rows = mk.plain(letter.target), list[Row]()
    for reading in readings:
        is_own = reading.document_id == letter.document
        nearness = OWN if is_own else medquad.nearness(reading.document_id, letter.document)
        for _, text in places(reading):
            worth = 1.0 if is_own and mk.is_in(mk.plain(text), [target]) else nearness
            rows.append(Row(reading.passages[0].title or "", text, worth, nearness > 0))
    return rows


def build(name: str, data: Path, home: Path) -> str:
    """Build the corpus of a set unless it is there; gives its name."""
    return mt.build_trials(data, home) if name == "trials" else mk.build_corpus(name, data, home)


def write_sets(groups: Groups, data: Path, home: Path) -> Iterator[str]:
    """Groups of the sets that experts marked; those on a subject or a paper that is kept out are left out."""
    medquad, kept_out = MedQuad(data), chosen_by()
    task = json.loads(gzip.decompress((data / "bioasq" / "task9b.json.gz").read_bytes()))
    ninth = {question["id"] for question in task["questions"]}
    sets: list[tuple[str, list[mk.Marked], mk.Worth]] = [
        ("bioasq", [one for one in mk.bioasq(data) if one.id not in ninth], mk._values),
        ("scifact", mk.scifact(data, "train"), mk._values),
        ("covidqa", mk.covidqa(data, "train"), mk._values),
        ("trials", mt.trials(data)[:300], mt.worth),
    ]
    for name, seed in (("people", 5), ("people named", 6)):
        asked = [one for one in mp.people(data, name, seed=seed) if not held_out(medquad.records[one.id], data)]
        sets.append((name, asked, mp.worth))
    for name, marked, worth in sets:
        asked, written = [one for one in marked if kept_out.isdisjoint(one.gold)], 0
        with Library(home).open(build(name, data, home)) as snapshot:
            for one in asked:
                rows = rows_of(one, found(one.question, snapshot), worth)
                written += groups.add(name, one.id, one.question, rows, medquad.strangers(one.question, one.id))
        yield f"{name}: {len(asked)} questions, {written} groups"
    written = 0
    for one in mk.pubmedqa(data):
        if one.name == "pubmedqa concluded":
            worths = (0.75 * (value == 1) + 0.25 * value for value in one.values)
            pairs = zip(one.candidates[0].sentences, worths, strict=True)
            written += groups.add("pubmedqa", one.id, one.question, [Row("", *pair, True) for pair in pairs])
    yield f"pubmedqa: {written} groups"


WRITERS = {"sets": write_sets, "letters": write_letters}


def written(name: str, data: Path, home: Path) -> Path:
    """The file of groups of the sets or of the letters; it is written if it is missing."""
    path = home / f"groups-{name}.jsonl"
    if not path.exists():
        unfinished = path.with_suffix(".part")
        for line in WRITERS[name](Groups(unfinished), data, home):
            print(line, flush=True)
        unfinished.rename(path)
    return path
