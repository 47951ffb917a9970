"""Questions with the papers and sentences that experts marked, and what a search finds for them.

Read by `train_scorer.py`, which learns from them, and by `benchmarks/answers.py`, which measures with them.
"""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from medground.answering.rank.fuse import as_one, fuse, merge_duplicates
from medground.answering.read.evidence import with_findings
from medground.answering.read.reading_list import WEIGHED, Reading, candidates, reading_list
from medground.corpus.build import build
from medground.corpus.embedder import Embedder
from medground.corpus.library import Library
from medground.corpus.readers import READERS
from medground.corpus.snapshot import Snapshot, rank_together
from medground.language import words
from medground.language.question_reading import reading_of
from medground.language.quoting.judged import Candidate
from medground.language.quoting.leading import states_purpose
from medground.language.sentences import sentence_spans
from medground.values.query import Words

DEPTH, KEEP = 100, 20
"""As the settings have them: hits of each ranker, and documents that are read."""


@dataclass
class Marked:
    """One question.

    Attributes:
        name: the data set, with its part.
        id: its id there.
        kind: its type there.
        group: questions of one group are in one fold.
        question: the question.
        gold: the papers that experts chose, each with the texts they marked in it (normalised).
        answers: the exact answers, normalised; any of them is right.
        ideal: the answers in a paragraph.
        candidates: what the search found, in order.
        readings: the same, as it is read.
        documents: the id of each of these.
        values: what each of its sentences is worth as a quote, 0 to 1.
    """

    name: str
    id: str
    kind: str
    group: str
    question: str
    gold: Mapping[str, Sequence[str]] = field(default_factory=dict)
    answers: Sequence[str] = ()
    ideal: Sequence[str] = ()
    candidates: Sequence[Candidate] = ()
    readings: Sequence[Reading] = ()
    documents: Sequence[str] = ()
    values: Any = None


Worth = Callable[[Marked, Reading, Candidate], Sequence[float]]
"""What the sentences of a paper are worth as quotes."""


def plain(text: str) -> str:
    """A text in lower-case words, for comparison."""
    return " ".join(words.tokens(text))


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """Records of a file of JSON Lines, plain or gzip."""
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def holds(text: str, answers: Iterable[str]) -> bool:
    """Whether a normalised text holds one of the answers as whole words."""
    return any(f" {answer} " in f" {text} " for answer in answers)


# BioASQ


def bioasq(data: Path) -> list[Marked]:
    """The questions of tasks 7b to 9b; questions that share a paper, directly or in a chain, are one group."""
    questions = [
        question
        for task in "789"
        for question in json.loads(gzip.decompress((data / "bioasq" / f"task{task}b.json.gz").read_bytes()))[
            "questions"
        ]
    ]
    marked = []
    groups = _Groups()
    for question in questions:
        gold: dict[str, list[str]] = defaultdict(list)
        for snippet in question["snippets"]:
            gold[_pmid(snippet)].append(plain(snippet["text"]))
        group = groups.join([question["id"], *gold])
        exact = question.get("exact_answer") if question["type"] == "factoid" else None
        answers = [plain(a) for one in exact or [] for a in (one if isinstance(one, list) else [one])]
        ideal = question["ideal_answer"]
        marked.append(
            Marked("bioasq", question["id"], question["type"], group, question["body"], dict(gold),
                   [a for a in answers if a], [ideal] if isinstance(ideal, str) else ideal)
        )  # fmt: skip
    for one in marked:
        one.group = groups.of(one.group)
    return marked


def bioasq_corpus(data: Path) -> Iterator[dict[str, Any]]:
    """The papers of the snippets: a snippet of the title is the title, the others in order are the abstract."""
    titles: dict[str, str] = {}
    parts: dict[str, set[tuple[int, str]]] = defaultdict(set)
    for task in "789":
        content = json.loads(gzip.decompress((data / "bioasq" / f"task{task}b.json.gz").read_bytes()))
        for snippet in (s for question in content["questions"] for s in question["snippets"]):
            text = " ".join(snippet["text"].split())
            parts[_pmid(snippet)].update(set())
            if snippet["beginSection"] == "title":
                titles.setdefault(_pmid(snippet), text)
            else:
                parts[_pmid(snippet)].add((snippet["offsetInBeginSection"], text))
    for pmid, found in parts.items():
        kept: list[tuple[int, str]] = []
        for offset, text in sorted(found, key=lambda part: (-len(part[1]), part)):
            if not any(text in other for _, other in kept):
                kept.append((offset, text))
        yield {
            "pmid": pmid.removeprefix("PMID:"),
            "title": titles.get(pmid, ""),
            "abstract": "\n".join(text for _, text in sorted(kept)),
        }


def _pmid(snippet: Mapping[str, Any]) -> str:
    return "PMID:" + str(snippet["document"]).rsplit("/", 1)[1]


class _Groups:
    """Sets of names that are joined."""

    def __init__(self) -> None:
        self._up: dict[str, str] = {}

    def of(self, name: str) -> str:
        while (above := self._up.setdefault(name, name)) != name:
            name = above
        return name

    def join(self, names: Sequence[str]) -> str:
        for other in names[1:]:
            self._up[self.of(other)] = self.of(names[0])
        return self.of(names[0])


# SciFact, COVID-QA and PubMedQA


def scifact(data: Path, split: str) -> list[Marked]:
    """The claims that have evidence."""
    texts = {str(r["doc_id"]): r["abstract"] for r in lines(data / "scifact" / "corpus.jsonl.gz")}
    return [
        Marked(f"scifact {split}", str(r["id"]), "claim", f"scifact {min(r['evidence'])}", r["claim"],
               {f"SCIFACT:{d}": [plain(texts[d][n]) for e in found for n in e["sentences"]]
                for d, found in r["evidence"].items()})
        for r in lines(data / "scifact" / f"claims_{split}.jsonl")
        if r["evidence"]
    ]  # fmt: skip


def scifact_corpus(data: Path) -> Iterator[dict[str, Any]]:
    """The abstracts."""
    for r in lines(data / "scifact" / "corpus.jsonl.gz"):
        yield {"id": f"SCIFACT:{r['doc_id']}", "title": r["title"], "text": " ".join(r["abstract"])}


def covidqa(data: Path, part: str) -> list[Marked]:
    """The questions on a random half of the articles: `train` or `test`."""
    articles = sorted(r["doc_id"] for r in lines(data / "covidqa" / "documents.jsonl.gz"))
    random.Random(0).shuffle(articles)
    half = len(articles) // 2
    chosen = set(articles[:half] if part == "train" else articles[half:])
    return [
        Marked(f"covidqa {part}", str(r["id"]), "span", f"covidqa {r['doc_id']}", r["question"],
               {f"COVIDQA:{r['doc_id']}": [plain(a["text"]) for a in r["answers"]]},
               [plain(a["text"]) for a in r["answers"]])
        for r in lines(data / "covidqa" / "questions.jsonl")
        if r["doc_id"] in chosen and r["answers"] and not r["is_impossible"]
    ]  # fmt: skip


def covidqa_corpus(data: Path) -> Iterator[dict[str, Any]]:
    """The articles."""
    for r in lines(data / "covidqa" / "documents.jsonl.gz"):
        yield {"id": f"COVIDQA:{r['doc_id']}", "title": r["title"], "text": r["text"]}


def pubmedqa(data: Path) -> Iterator[Marked]:
    """The training questions, each with its own abstract only: with the paper's conclusion in it, and without."""
    for r in lines(data / "pubmedqa" / "pqa_l.jsonl.gz"):
        if r["split"] == "test":
            continue
        parts = [(sentence, label) for text, label in zip(r["contexts"], r["labels"], strict=True)
                 for sentence in _sentences(text)]  # fmt: skip
        body, labels = [sentence for sentence, _ in parts], [label for _, label in parts]
        end = _sentences(r["long_answer"])
        headings = [*labels, *["CONCLUSION"] * len(end)] if int(r["pmid"]) % 2 else []  # many records have none
        shared = np.array([(0.3 if states_purpose(s) else 1.0) * overlap(s, r["long_answer"]) for s in body])
        for sentences, values in (
            (body, (shared / (shared.max() or 1.0)) ** 2),
            ([*body, *end], np.array([0.0] * len(body) + [1.0] * len(end))),
        ):
            name = "pubmedqa concluded" if len(sentences) > len(body) else "pubmedqa"
            candidate = Candidate("", sentences, headings=headings[: len(sentences)])
            yield Marked(name, str(r["pmid"]), "own", f"pubmedqa {r['pmid']}", r["question"],
                         candidates=[candidate], values=values)  # fmt: skip


def overlap(one: str, other: str) -> float:
    """Token F1."""
    a, b = Counter(words.tokens(one)), Counter(words.tokens(other))
    shared = sum((a & b).values())
    return 2 * shared / (a.total() + b.total()) if shared else 0.0


def _sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


# Searching


CORPORA = {"bioasq": bioasq_corpus, "scifact": scifact_corpus, "covidqa": covidqa_corpus}


def build_corpus(name: str, data: Path, home: Path, embedder: Embedder | None = None) -> str:
    """Build a corpus unless it is there; gives its name, which ends in `-vectors` if it has vectors."""
    full = f"{name}-vectors" if embedder else name.replace(" ", "-")
    library = Library(home)
    if not library.has(full):
        home.mkdir(parents=True, exist_ok=True)
        path = home / f"{name}.jsonl"
        with path.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(record) + "\n" for record in CORPORA[name](data))
        build(library, full, [READERS["jsonlines"].open(path)], embedder=embedder)
    return full


def find(marked: Sequence[Marked], snapshots: Sequence[Snapshot], worth: Worth | None = None) -> None:
    """Search several corpora as one for each question, and set its candidates and their values."""
    worth = worth or _values
    rank_together(snapshots)
    for one in marked:
        (ranking,) = as_one([snapshot.bm25(Words(text=one.question), DEPTH) for snapshot in snapshots]) or [()]
        readings = reading_list(merge_duplicates(fuse([ranking])), KEEP, WEIGHED)
        ids = [reading.document_id for reading in readings]
        documents = {key: document for snapshot in snapshots for key, document in snapshot.documents(ids).items()}
        one.readings = with_findings(reading_of(one.question), readings, documents)
        one.candidates = candidates(one.readings)
        one.documents = [reading.document_id for reading in one.readings]
        one.values = np.array([v for r, c in zip(one.readings, one.candidates, strict=True) for v in worth(one, r, c)])


def _values(one: Marked, reading: Reading, candidate: Candidate) -> list[float]:
    """What the sentences of a paper are worth: the marked ones most, others of a chosen paper something."""
    marked = one.gold.get(reading.document_id)
    texts = [plain(s) for s in candidate.sentences]
    if one.kind == "factoid" and one.answers:
        if marked is None:
            return [0.1 * holds(t, one.answers) for t in texts]
        return [1.0 if holds(t, one.answers) else 0.65 if is_in(t, marked) else 0.45 for t in texts]
    rest = {"claim": 0.6, "span": 0.12}.get(one.kind, 0.55)
    return [0.0 if marked is None else 1.0 if is_in(t, marked) else rest for t in texts]


def is_in(text: str, marked: Sequence[str]) -> bool:
    """Whether a sentence is part of a marked text, or holds one."""
    return bool(text) and any(f" {text} " in f" {m} " or f" {m} " in f" {text} " for m in marked if m)
