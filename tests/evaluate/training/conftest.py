"""A small embedder with records and a corpus for building pools, and judged questions for tests of what is learned."""

import gzip
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from small_corpora import WordEmbedder

from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.home.settings import Settings
from medground.recipes.reason_and_verify import demonstrations as shots
from medground.values.source_plan import SourceDescription, SourceQuery
from medground_evaluate.planning.work import Head, Judged, JudgedQuery, TrainItem, WorkFile

TOPICS = ["aspirin", "statins", "insulin", "zinc", "exercise", "vitamin D", "metformin", "surgery", "radiotherapy"]
OUTCOMES = ["stroke", "gout", "asthma", "migraine"]


@pytest.fixture(scope="module")
def stems() -> Iterator[WordEmbedder]:
    """The embedding model for these tests, whatever name is opened."""
    embedder = WordEmbedder("stems", 256, stems=True)
    shots.opened_embedder.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shots, "open_embedder", lambda name, home: embedder)
        yield embedder
    shots.opened_embedder.cache_clear()


def record(number: int, split: str, question: str | None = None) -> dict[str, Any]:
    topic, outcome = TOPICS[number % len(TOPICS)], OUTCOMES[number % len(OUTCOMES)]
    return {
        "pmid": str(1000 + number),
        "split": split,
        "question": question or f"Does {topic} prevent {outcome} in ward {number * 31}?",
        "contexts": [f"We asked about {topic} in ward {number * 31}.", f"{topic.title()} reduced {outcome} in adults."],
        "labels": ["BACKGROUND", "RESULTS"],
        "meshes": [],
        "year": "2001",
        "final_decision": ("yes", "no", "maybe")[number % 3],
    }


@pytest.fixture
def a_record() -> Callable[..., dict[str, Any]]:
    """Makes a record of PubMedQA from a number, a split and, if it matters, a question."""
    return record


@pytest.fixture
def write_records(tmp_path: Path) -> Callable[[Sequence[dict[str, Any] | str]], Path]:
    """Writes a file in PubMedQA's format."""

    def write(records: Sequence[dict[str, Any] | str]) -> Path:
        path = tmp_path / "records.jsonl.gz"
        with gzip.open(path, "wt", encoding="utf-8") as lines:
            lines.writelines((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in records)
        return path

    return write


@pytest.fixture
def records_file(write_records: Callable[..., Path]) -> Path:
    """Twelve training records and four of the test split, one of which repeats a training question."""
    training = [record(n, "train") for n in range(12)]
    held_out = [record(n, "test") for n in range(12, 15)]
    return write_records([*training, *held_out, record(15, "test", training[4]["question"])])


@pytest.fixture
def settings(tmp_path: Path, records_file: Path) -> Settings:
    """Settings with a home folder that has a corpus of these records."""
    home = tmp_path / "home"
    build(Library(home), "small", find_inputs([records_file]))
    environ = {"MEDGROUND_HOME": str(home)}
    options = {"retrieval.corpora": ("small",), "model.cache": False, "recipe.name": "reason-and-verify"}
    return Settings.load(environ=environ, options=options)


SOURCES = (
    SourceDescription(name="book", kind="book", about="Textbooks.", licence="CC BY 4.0", origin="made by the test"),
    SourceDescription(name="graph", kind="graph", about="Concepts.", licence="CC0", origin="made by the test"),
)
ASKED_ABOUT = ("zinc", "aspirin", "insulin", "statins", "exercise", "surgery")


def judged_question(number: int, *, positive: bool = True, negative: bool = True) -> Judged:
    """A question whose book helps and whose graph does not."""
    topic = ASKED_ABOUT[number % len(ASKED_ABOUT)]
    asked = TrainItem(
        id=f"Q{number}", text=f"Does {topic} prevent gout?", task="yes-no-maybe", gold=("yes",), answer="yes"
    )
    queries = []
    if positive:
        queries.append(JudgedQuery(source="book", query=SourceQuery(text=f"{topic} gout"), label="positive"))
    if negative:
        query = SourceQuery(term=topic, text="gout prevention")
        queries.append(JudgedQuery(source="graph", query=query, label="negative"))
    return Judged(question=asked, queries=tuple(queries))


@pytest.fixture
def judged_file(tmp_path: Path) -> Callable[..., Path]:
    """Writes a file of judgements: of six questions, or of those given."""

    def write(*lines: Judged, name: str = "judged.jsonl") -> Path:
        head = Head(step="judgements", dataset="made", digest="0", model="keyless", sources=SOURCES)
        with WorkFile(tmp_path / name, head, Judged) as work:
            for line in lines or map(judged_question, range(6)):
                work.add(line)
        return tmp_path / name

    return write


@pytest.fixture
def a_judged_question() -> Callable[..., Judged]:
    """Makes a question whose book helps and whose graph does not, or without one of the two."""
    return judged_question
