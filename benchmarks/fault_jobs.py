"""Commands that write, each with the state before it and what there is to see of the state after it.

    python fault_jobs.py JOB HOME INPUTS

does one job as a program of its own; `prepare` makes the state before it, `seen` reads what is there.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medground.corpus import phases, vectors
from medground.corpus.build import add, build
from medground.corpus.embedder import Embedder
from medground.corpus.library import Library
from medground.corpus.readers.base import Input, Item
from medground.corpus.snapshot import Snapshot
from medground.corpus.sync import sync
from medground.errors import MedgroundError, UsageError
from medground.graph.bases.record import Bases
from medground.graph.vocabularies.releases import mesh
from medground.graph.writing import build_graph
from medground.values.document import Document
from medground.values.query import Term

sys.path.append(str(Path(__file__).resolve().parent.parent / "tests" / "kits"))

from knowledge_base import ALL, BOOK, GUIDELINE, filled, made, written

_TOPICS = ("heart", "liver", "kidney", "lung", "zebrafish", "gene", "trial", "protein", "statin", "tumour")
_INDEXED = 100
"""With more passages than this, the vectors get an index here."""
MODELS = "MODELS_FOR_TESTS"
"""Names the folder with MiniLM, which one job needs."""
_ALL = 1000
"""Hits, so that no tie is cut: which of equal hits is the last one is open."""
RUN = "run.jsonl"
_ASKED, _BEFORE = 20, 8
"""Questions of a run, and how many of them have their lines before it."""


class Words:
    """Unit vectors of hashed words: quick, and similar for texts that share words."""

    name, identity, dimensions = "words", "words@1", 32

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """A row for each text."""
        vectors = np.full((len(texts), self.dimensions), 1e-3, dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for word in text.lower().split():
                row[zlib.crc32(word.encode()) % self.dimensions] += 1
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def studies(count: int, first: int = 0) -> Input:
    """An input of made-up papers."""
    papers = [
        Document(
            id=f"PMID:{n + 1}",
            title=f"Study {n} of {_TOPICS[n % 10]}",
            text=" ".join(f"Sentence {i} about {_TOPICS[(n + i) % 10]} number {n * i}." for i in range(4)),
            year=1990 + n % 30,
        )
        for n in range(first, first + count)
    ]

    def read(skip: int) -> Iterator[Item]:
        return iter(papers[skip:])

    return Input(name=f"papers {first}", reader="test", fingerprint="1", read=read)


@dataclass(frozen=True)
class Job:
    """A command that writes.

    Attributes:
        before: makes the state before it, from the home folder and a folder for its inputs.
        change: changes the inputs after that.
        do: the command.
    """

    before: Callable[[Path, Path], object]
    do: Callable[[Path, Path], object]
    change: Callable[[Path], object] = lambda inputs: None


def _built(home: Path, count: int, embedder: Embedder | None) -> None:
    build(Library(home), "c", [studies(count)], embedder=embedder)


def _notes(inputs: Path) -> Path:
    folder = inputs / "notes"
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(40):
        (folder / f"{number:02}.txt").write_text(f"Note {number}: the {_TOPICS[number % 10]} was examined twice.\n")
    return folder


def _changed_notes(inputs: Path) -> None:
    folder = inputs / "notes"
    for number in range(6):
        (folder / f"{number:02}.txt").unlink()
        (folder / f"{number + 10}.txt").write_text(f"Note {number + 10} says something else about the heart now.\n")
        (folder / f"{number + 60}.txt").write_text(f"A new note {number} on the statin.\n")


def _thesaurus(inputs: Path, count: int) -> Path:
    inputs.mkdir(parents=True, exist_ok=True)
    path = inputs / "mesh.tsv"
    rows = (f"D{n:06}\tHeading {n} of the {_TOPICS[n % 10]}\t\tA{n % 9 + 1:02}.{n + 100}\t" for n in range(1, count))
    path.write_text("\n".join(rows) + "\n")
    return path


def _graph(home: Path, inputs: Path) -> None:
    build_graph(Library(home), "g", [mesh(inputs / "mesh.tsv")])


def _minilm(home: Path, _: Path) -> None:
    from medground.models.minilm import open_minilm

    build(Library(home), "c", [studies(60)], embedder=open_minilm(Path(os.environ[MODELS]).parent))


def _base(home: Path, inputs: Path, *sources: str) -> None:
    if not inputs.is_dir():
        filled(inputs)
    made(written(inputs, *sources), home)


def _begun_run(home: Path, inputs: Path) -> None:
    """A run of which the first questions are answered."""
    _built(home, 60, None)
    inputs.mkdir(parents=True, exist_ok=True)
    asked = ({"id": f"q{n}", "question": f"Does the {_TOPICS[n % 10]} fail?", "answer": "yes"} for n in range(_ASKED))
    (inputs / "questions.jsonl").write_text("".join(json.dumps(one) + "\n" for one in asked))
    _run(home, inputs)
    whole = (home / RUN).read_bytes().splitlines(keepends=True)
    (home / RUN).write_bytes(b"".join(whole[: _BEFORE + 1]))


def _run(home: Path, inputs: Path) -> None:
    from medground.faces.cli.app import main

    os.environ["MEDGROUND_HOME"] = str(home)
    options = ["--data", str(inputs / "questions.jsonl"), "--corpus", "c", "--out", str(home / RUN), "--quiet"]
    sys.argv = ["medground", "eval", "run", "jsonl", *options]
    try:
        main()
    except SystemExit as ended:
        if ended.code:
            raise


JOBS: Mapping[str, Job] = {
    "build": Job(lambda home, _: _built(home, 60, None), lambda home, _: _built(home, 300, Words())),
    "add": Job(
        lambda home, _: _built(home, 200, Words()),
        lambda home, _: add(Library(home), "c", [studies(150, 150)], embedder=Words()),
    ),
    "sync": Job(
        lambda home, inputs: sync(Library(home), "c", _notes(inputs), embedder=Words(), records=()),
        lambda home, inputs: sync(Library(home), "c", inputs / "notes", embedder=Words(), records=()),
        _changed_notes,
    ),
    "remove": Job(lambda home, _: _built(home, 60, Words()), lambda home, _: Library(home).remove("c")),
    "embed": Job(lambda home, _: _built(home, 60, None), _minilm),
    "kb build": Job(
        lambda home, inputs: _base(home, inputs, BOOK, GUIDELINE), lambda home, inputs: _base(home, inputs, *ALL)
    ),
    "graph build": Job(
        lambda home, inputs: (_thesaurus(inputs, 20), _graph(home, inputs)),
        _graph,
        lambda inputs: _thesaurus(inputs, 400),
    ),
    "eval run": Job(_begun_run, _run),
}


def command(job: str, home: Path, inputs: Path) -> list[str]:
    """The command line that does a job."""
    return [sys.executable, __file__, job, str(home), str(inputs)]


def prepare(job: str, home: Path, inputs: Path) -> None:
    """Make the state before a job, with its inputs, in a process of its own."""
    home.mkdir(parents=True)
    subprocess.run([*command(job, home, inputs), "before"], check=True, capture_output=True)


def restore(source: Path, target: Path) -> None:
    """Make a folder as another is, with its links and times."""
    shutil.rmtree(target, ignore_errors=True)
    subprocess.run(["cp", "-a", str(source), str(target)], check=True)


def seen(home: Path) -> dict[str, Any]:
    """What a reader finds: each corpus verified and searched, each base, each line of a run.

    Raises:
        MedgroundError: something cannot be read.
    """
    library = Library(home)
    found: dict[str, Any] = {f"corpus {name}": _searched(library, name) for name in library.list()}
    for name in Bases(home).list():
        try:
            found[f"base {name}"] = list(Bases(home).read(name).sources)
        except UsageError:  # its first build has not finished
            continue
    if (home / RUN).exists():
        found["run"] = _lines(home / RUN)
    return found


def left(home: Path) -> list[str]:
    """Unfinished work that no command needs; what is in a finished state goes with it."""
    paths = [*home.glob("corpora/*/building-*"), *home.glob("corpora/*/.*.part*"), *home.glob("corpora/.*.graph")]
    return sorted(str(path.relative_to(home)) for path in paths)


def _searched(library: Library, name: str) -> list[Any]:
    manifest = library.verify(name)
    with library.open(name) as snapshot:
        texts = list(snapshot.passage_texts())
        documents = [document.id for document in snapshot.all_documents()]
        ranked = [[*_ranked(snapshot, topic)] for topic in _TOPICS]
        near = []
        if manifest.embedding is not None:
            rows = snapshot.vectors()
            query = rows.take(np.array([0], dtype=np.int64))[0].astype(np.float32)
            near = [(hit.passage.document_id, round(hit.score, 3)) for hit in snapshot.dense(query, 5)]
        attached = [path.stat().st_size for one in manifest.attachments if (path := snapshot.attachment(one))]
    return [manifest.hash, manifest.counts.model_dump(), len(texts), documents, ranked, near, attached]


def _ranked(snapshot: Snapshot, topic: str) -> Iterator[tuple[str, float]]:
    for hit in snapshot.bm25(Term(value=topic), _ALL):
        yield hit.passage.document_id, round(hit.score, 4)


def _lines(path: Path) -> list[tuple[str, str, list[str]]]:
    """Id, status and answer of each line of a run; half a line at the end and zeros are no lines."""
    found = []
    for row in path.read_bytes().replace(b"\0", b"").splitlines()[1:]:
        try:
            one = json.loads(row)
        except ValueError:
            continue
        found.append((str(one["id"]), str(one["status"]), [str(text) for text in one.get("answer", ())]))
    return found


def small(put: Callable[[Any, str, int], object] = setattr) -> None:
    """Make batches so small, by `put`, that these few documents fill several."""
    put(vectors, "EXACT_LIMIT", _INDEXED)
    for name, size in zip(("_ITEMS", "_PASSAGES", "_TEXTS"), (40, 60, 32), strict=True):
        put(phases, name, size)


def _main(job: str, home: Path, inputs: Path, *before: str) -> None:
    small()
    try:
        if before:
            JOBS[job].before(home, inputs)
            JOBS[job].change(inputs)
        else:
            JOBS[job].do(home, inputs)
    except MedgroundError as error:
        sys.exit(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    _main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), *sys.argv[4:])
