"""The vector file and its index."""

from __future__ import annotations

import numpy as np
import pytest

from medground.corpus.build import build
from medground.corpus.vectors import FILE_NAME, INDEX_NAME, Vectors, VectorWriter, write_index
from medground.errors import ConfigError, SnapshotCorrupt


def unit(count, dimensions, seed=0):
    centres = np.random.default_rng(seed).standard_normal((20, dimensions))
    noise = np.random.default_rng(seed + 1).standard_normal((count, dimensions))
    rows = centres[np.arange(count) % 20] + 0.6 * noise
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def write(folder, rows):
    folder.mkdir(exist_ok=True)
    writer = VectorWriter(folder, rows.shape[1], 0)
    writer.append(rows)
    writer.close()
    return Vectors(folder, rows.shape[1])


def test_exact_search_is_exact(tmp_path):
    rows = unit(3000, 48)
    vectors = write(tmp_path, rows)
    truth = rows.astype(np.float16).astype(np.float32)
    for query in unit(5, 48, seed=9):
        scores = truth @ query
        found = vectors.search(query, 10)
        assert [number for number, _ in found] == list(np.argsort(-scores)[:10])
        assert [score for _, score in found] == pytest.approx(np.sort(scores)[::-1][:10], abs=2e-3)
        allowed = np.arange(0, 3000, 7)
        best = allowed[np.argsort(-scores[allowed])[:10]]
        assert [number for number, _ in vectors.search(query, 10, allowed)] == list(best)


def test_the_index_finds_nearly_all_and_scores_exactly(tmp_path):
    rows = unit(600, 48)
    vectors = write(tmp_path, rows)
    write_index(tmp_path, 48)
    assert (tmp_path / INDEX_NAME).exists()
    indexed = Vectors(tmp_path, 48)
    seen = 0
    for query in unit(10, 48, seed=9):
        exact = dict(vectors.search(query, 10))
        found = dict(indexed.search(query, 10))
        seen += len(exact.keys() & found.keys())
        assert all(found[n] == pytest.approx(exact[n], abs=2e-3) for n in found.keys() & exact.keys())
    assert seen >= 90


def test_a_large_corpus_gets_an_index(library, make_documents, make_input, embedder, monkeypatch):
    monkeypatch.setattr("medground.corpus.vectors.EXACT_LIMIT", 40)
    manifest = build(library, "c", [make_input(make_documents(60))], embedder=embedder)
    assert INDEX_NAME in manifest.files
    small = build(library, "d", [make_input(make_documents(20))], embedder=embedder)
    assert INDEX_NAME not in small.files
    with library.open("c") as snapshot:
        snapshot.verify()
        [vector] = embedder.embed(["Study 3 of lung"])
        assert snapshot.dense(vector, 5)[0].rank == 1


def test_writing_resumes_after_the_last_whole_row(tmp_path):
    rows = unit(10, 8)
    write(tmp_path, rows[:6])
    with (tmp_path / FILE_NAME).open("ab") as file:
        file.write(b"half")
    writer = VectorWriter(tmp_path, 8, 7)
    assert writer.rows == 6
    writer.append(rows[6:])
    writer.close()
    assert np.array_equal(Vectors(tmp_path, 8).take(np.arange(10)), rows.astype(np.float16))


def test_edge_cases(tmp_path):
    vectors = write(tmp_path, unit(3, 8))
    query = unit(1, 8)[0]
    assert len(vectors.search(query, 100)) == 3
    assert vectors.search(query, 0) == []
    assert vectors.search(query, 5, np.array([], dtype=np.int64)) == []
    assert write(tmp_path / "empty", np.empty((0, 8), dtype=np.float32)).search(query, 5) == []
    writer = VectorWriter(tmp_path, 8, 0)
    with pytest.raises(ConfigError, match="no finite vectors of length 8"):
        writer.append(np.full((1, 8), np.nan, dtype=np.float32))
    writer.close()
    rows = unit(10, 8)
    rows[4] *= 3000
    with pytest.raises(SnapshotCorrupt, match="not of length 1"):
        write(tmp_path / "damaged", rows).search(rows[4] / 3000, 3)
