"""A snapshot as a source: the contract of all sources, and what is its own."""

from __future__ import annotations

import asyncio
import itertools
import zlib

import numpy as np
import pytest

from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers.base import Input
from medground.errors import ConfigError, UsageError
from medground.query import Filters, Words
from medground.sources.corpus import CorpusSource
from medground.testing import DOCUMENTS, QueryContract, SourceContract


class Embedder:
    dimensions = 16

    def __init__(self, name="hashes"):
        self.name = name
        self.identity = f"{name}@1"

    def embed(self, texts):
        vectors = np.full((len(texts), self.dimensions), 0.01, dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for word in text.lower().split():
                row[zlib.crc32(word.encode()) % self.dimensions] += 1
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def make_source(folder, documents, *, built_with=None, asked_with=None):
    library = Library(folder)
    read = Input(name="made", reader="test", fingerprint="1", read=lambda skip: iter(documents[skip:]))
    build(library, "made", [read], embedder=built_with)
    return CorpusSource(library.open("made"), asked_with)


class TestWordsAlone(SourceContract, QueryContract):
    @pytest.fixture
    def make(self, tmp_path):
        count = itertools.count()
        return lambda: make_source(tmp_path / str(next(count)), DOCUMENTS)


class TestWithVectors(SourceContract, QueryContract):
    @pytest.fixture
    def make(self, tmp_path):
        count = itertools.count()
        return lambda: make_source(tmp_path / str(next(count)), DOCUMENTS, built_with=Embedder(), asked_with=Embedder())

    nothing = None  # vectors always have a nearest neighbour


def search(source, text="marfan syndrome", **more):
    asked = {"limit": 10, "filters": Filters()} | more
    return asyncio.run(source.search(Words(text=text), text=text, **asked))


def test_one_ranking_per_ranker(home):
    found = search(make_source(home, DOCUMENTS, built_with=Embedder(), asked_with=Embedder()))
    assert [ranking[0].ranker for ranking in found.rankings] == ["bm25", "dense"]
    assert found.notes == ()


def test_without_vectors_a_model_that_is_open_is_told_of(home):
    found = search(make_source(home, DOCUMENTS, asked_with=Embedder()))
    assert len(found.rankings) == 1
    assert found.notes == ("no vectors in this corpus: searched by words alone",)


def test_without_a_model_nobody_expects_vectors(home):
    assert search(make_source(home, DOCUMENTS)).notes == ()


def test_vectors_that_are_not_used_are_told_of(home):
    found = search(make_source(home, DOCUMENTS, built_with=Embedder()))
    assert found.notes == ("its vectors were not used: searched by words alone",)


def test_another_embedding_model_is_refused_with_the_way_to_mend_it(home):
    with pytest.raises(ConfigError, match=r"built with the embedding model hashes@1, the one now is other@1; build it"):
        make_source(home, DOCUMENTS, built_with=Embedder(), asked_with=Embedder("other"))


def test_the_snapshot_is_named(home):
    source = make_source(home, DOCUMENTS)
    assert source.name == "corpus:made"
    assert source.snapshot.name == "made"
    assert len(source.snapshot.hash) == 64


def test_no_question_no_search_by_meaning(home):
    source = make_source(home, DOCUMENTS, built_with=Embedder(), asked_with=Embedder())
    assert search(source, " ").rankings == ((), ())


@pytest.mark.parametrize("limit", [0, -1, 10_001])
def test_a_wrong_limit_is_refused(home, limit):
    with pytest.raises(UsageError, match="limit from 1 to"):
        search(make_source(home, DOCUMENTS), limit=limit)
