"""Small corpora made for the tests, and checks of what a corpus holds."""

import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers.base import Input, Item
from medground.language import words
from medground.values.document import Document
from medground.values.query import Everything


class WordEmbedder:
    """Unit vectors of hashed words, or of their `stems`: deterministic, and similar for texts that share words."""

    def __init__(self, name: str = "words", dimensions: int = 32, *, stems: bool = False) -> None:
        self.name = name
        self.identity = f"{name}@1"
        self.dimensions = dimensions
        self.embedded = 0
        self._words = words.terms if stems else lambda text: text.lower().split()

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        self.embedded += len(texts)
        vectors = np.full((len(texts), self.dimensions), 1e-3, dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for word in self._words(text):
                row[zlib.crc32(word.encode()) % self.dimensions] += 1
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def make_input(items: Sequence[Item], name: str = "made", fingerprint: str = "1") -> Input:
    def read(skip: int) -> Iterator[Item]:
        return iter(items[skip:])

    return Input(name=name, reader="test", fingerprint=fingerprint, read=read, license="CC0")


def corpus_of_documents(home: Path, documents: Sequence[Item], name: str = "papers", **options: Any) -> Library:
    """The library of a home, with a corpus of these documents."""
    library = Library(home)
    build(library, name, [make_input(documents)], **options)
    return library


def make_documents(count: int, first: int = 0) -> list[Document]:
    topics = ["heart", "liver", "kidney", "lung", "zebrafish", "gene", "trial", "protein", "statin", "tumour"]
    return [
        Document(
            id=f"PMID:{n + 1}",
            title=f"Study {n} of {topics[n % 10]}",
            text=" ".join(f"Sentence {i} about {topics[(n + i) % 10]} number {n * i}." for i in range(4)),
            year=1990 + n % 30,
            publication_types=("Review",) if n % 3 == 0 else ("Journal Article",),
        )
        for n in range(first, first + count)
    ]


def contents(library: Library, name: str) -> dict[str, Document]:
    """The documents of a corpus, after every check of what the index and the database hold of them."""
    with library.open(name) as snapshot:
        snapshot.verify()
        found = {d.id: d for d in snapshot.all_documents()}
        hits = snapshot.bm25(Everything(), 10_000)
        assert {h.passage.document_id for h in hits} == set(found)
        assert len(hits) == snapshot.manifest.counts.passages == len({h.passage.key for h in hits})
        for hit in hits:
            stored = found[hit.passage.document_id]
            assert stored.text[hit.passage.start : hit.passage.end] == hit.passage.text
            assert hit.passage.publication_types == stored.publication_types
        return found


def vectors_fit(library: Library, name: str, embedder: WordEmbedder) -> None:
    """Check that each passage of a corpus is found first by its own vector."""
    with library.open(name) as snapshot:
        hits = snapshot.bm25(Everything(), 1000)
        assert len(snapshot.vectors()) == len(hits)
        for hit in hits:
            [vector] = embedder.embed([f"{hit.passage.title} {hit.passage.text}"])
            best = snapshot.dense(vector, 5)
            assert best[0].score == pytest.approx(1, abs=2e-3)
            assert hit.passage.key in {b.passage.key for b in best if b.score >= best[0].score - 2e-3}
