"""PubMed's files read in parallel: what a serial build makes, also where processes are killed, and with Ray."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest
from growth_medline import DATA, killed, readers, state, write_files

from medground.corpus import patch
from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.parallel import Workers
from medground.corpus.readers import find_inputs
from medground.corpus.sync import updated
from medground.errors import BadDocument
from medground.values.query import Words

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="needs the MEDLINE files of the project's data")


@pytest.fixture(scope="module")
def pubmed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three files of real records with new PMIDs, and two update files."""
    folder = tmp_path_factory.mktemp("pubmed")
    write_files(folder, 3, 60, 2)
    return folder


@pytest.fixture(scope="module")
def serial(pubmed: Path) -> Path:
    """A home with the corpus of all files, made by one process."""
    home = pubmed / "serial"
    build(Library(home), "pubmed", find_inputs([pubmed / "baseline", pubmed / "updates"]))
    return home


def test_a_parallel_build_is_a_serial_one_though_a_reader_is_killed(home, pubmed, serial):
    inputs = find_inputs([pubmed / "baseline", pubmed / "updates"])
    kills = []

    def killing(step, done, total):
        if not kills and (children := readers(os.getpid())):
            kills.append(os.kill(children[0], signal.SIGKILL))

    build(Library(home), "pubmed", inputs, workers=Workers(2), progress=killing)
    assert kills
    assert state(home) == state(serial)
    assert not [*Library(home).current("pubmed").glob("*.read"), *Library(home).current("pubmed").glob(".*")]


def test_ray_reads_the_same(home, pubmed, serial):
    pytest.importorskip("ray", reason="needs the extra ray")
    build(Library(home), "pubmed", find_inputs([pubmed / "baseline", pubmed / "updates"]), workers=Workers(2, "local"))
    assert state(home) == state(serial)


def test_an_update_goes_into_the_successor_of_a_corpus_that_is_read(home, pubmed, serial, monkeypatch):
    monkeypatch.setattr(patch, "_RENEW_BELOW", 0)
    library, baseline = Library(home), find_inputs([pubmed / "baseline"])
    updates = find_inputs([pubmed / "updates"])
    assert updated(library, "pubmed", baseline, [], limit=1000, workers=Workers(2)).counts.documents == 180
    with library.open("pubmed") as reader:
        before = reader.bm25(Words(text="revised"), 10)
        made = updated(library, "pubmed", baseline, updates, limit=1000, workers=Workers(2))
        assert (reader.bm25(Words(text="revised"), 10), made.counts.deleted) == (before, 20)
    with library.open("pubmed") as one, Library(serial).open("pubmed") as other:
        assert [*one.all_records()] == [*other.all_records()]
    assert updated(library, "pubmed", baseline, updates, limit=1000) is None


@pytest.mark.slow
def test_killed_at_random_moments_nothing_is_lost_or_doubled(home, pubmed, serial):
    kills = 0
    for number in range(3):
        options = ["--workers", "2", "--updates", str(pubmed / "updates")]
        kills += killed(pubmed, home / str(number), 1.5, options, number, most=2)[0]
        assert state(home / str(number)) == state(serial)
    assert kills


def dying(skip):
    os.kill(os.getpid(), signal.SIGKILL)
    yield


def test_a_file_that_ends_its_readers_is_told_and_the_others_are_read(home, pubmed):
    deadly, *others = find_inputs([pubmed / "baseline"])
    inputs = [replace(deadly, read=dying), *others]
    made = build(Library(home), "c", inputs, workers=Workers(2))
    assert (made.counts.documents, made.counts.passed_over, next(iter(made.files))) == (120, 1, "documents.sqlite")


def test_a_file_that_ends_early_is_told_as_without_workers(home, tmp_path):
    (tmp_path / "whole.txt").write_text("A note.")
    (tmp_path / "cut.xml").write_text("<PubmedArticleSet><PubmedArticle>")
    inputs = find_inputs([tmp_path])
    counts = [build(Library(home), "c", inputs, workers=one).counts for one in (None, Workers(2))]
    assert counts[0] == counts[1]
    assert (counts[0].documents, counts[0].passed_over) == (1, 1)
    with pytest.raises(BadDocument, match="not well-formed"):
        build(Library(home), "d", inputs, workers=Workers(2), strict=True)
