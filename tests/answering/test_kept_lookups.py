"""Finished lookups are kept line by line: what was kept is the same when it is read, and damage costs only itself."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from rows import each_row

from medground.answering.kept_lookups import KeptLookups
from medground.corpus.chunk import chunk
from medground.values.answer import SnapshotReference
from medground.values.document import Document, Hit
from medground.values.graph import GraphFact, GraphFinding
from medground.values.lookup import Found, Lookup
from medground.values.query import Filters

NO_FILTERS = Filters()
PAPER = Document(id="PMID:1", title="Lens", text="The lens moved.", identifiers={"doi": "10.1/x"})
OTHER = Document(id="PMID:2", text="Another paper — with “quotes”, a \u2028 separator and\ta tab.")
LOOKUP = Lookup.words("lens")


class Shelf:
    """As much of a source as the store reads, with one paper at hand."""

    name = "shelf"
    kinds = frozenset(["research"])

    def __init__(self, state: str = "1") -> None:
        self.state = SnapshotReference(name="shelf", hash=state)

    def held(self, ids: Sequence[str]) -> dict[str, Document]:
        return {PAPER.id: PAPER} if PAPER.id in ids else {}


def found() -> Found:
    passage = next(iter(chunk(PAPER)))
    hit = Hit(passage=passage, ranker="bm25", rank=1, score=0.1 + 0.2, source="shelf", scores={"bm25": 0.3})
    fact = GraphFact(sentence="A is B.", document_id="HP:1", start=0, end=7)
    return Found(
        LOOKUP,
        "shelf",
        rankings=((hit,), ()),
        finding=GraphFinding(relation="feature of", status="recorded", facts=(fact,)),
        notes=("a note",),
        wordings=("ask it so",),
    )


@pytest.fixture
def kept(tmp_path: Path) -> KeptLookups:
    return filled(tmp_path)


def filled(folder: Path) -> KeptLookups:
    store = KeptLookups(folder)
    store.keep_found(Shelf(), NO_FILTERS, found())
    store.keep_documents(Shelf(), ["PMID:2", "PMID:3"], {"PMID:2": OTHER})
    store.keep_count(Shelf(), LOOKUP, NO_FILTERS, 7)
    return store


def test_what_was_kept_is_read_unchanged(kept: KeptLookups, tmp_path: Path) -> None:
    again = KeptLookups(tmp_path)
    assert again.found(Shelf(), LOOKUP, NO_FILTERS) == found()
    read = again.found(Shelf(), LOOKUP, NO_FILTERS)
    assert read.rankings[0][0].passage.paper == PAPER.paper
    assert read.rankings[0][0].scores == {"bm25": 0.3}
    ids = ["PMID:1", "PMID:2", "PMID:3", "PMID:4"]
    assert again.documents(Shelf(), ids) == {"PMID:1": PAPER, "PMID:2": OTHER, "PMID:3": None}
    assert again.counted(Shelf(), LOOKUP, NO_FILTERS) == 7


def test_another_state_of_a_source_or_another_limit_is_another_lookup(kept: KeptLookups, tmp_path: Path) -> None:
    again = KeptLookups(tmp_path)
    assert again.found(Shelf("2"), LOOKUP, NO_FILTERS) is None
    assert again.documents(Shelf("2"), ["PMID:1"]) == {}
    assert again.found(Shelf(), LOOKUP, Filters(year_from=2000)) is None
    assert again.found(Shelf(), LOOKUP.model_copy(update={"limit": 3}), NO_FILTERS) is None
    assert again.found(Shelf(), LOOKUP.model_copy(update={"node": "q1 literature"}), NO_FILTERS) is not None


@each_row("cut", [1, 5, 11])
def test_a_line_that_was_cut_off_is_lost_and_no_other(tmp_path: Path, cut: int) -> None:
    filled(tmp_path)
    file = tmp_path / "lookups.jsonl"
    whole = file.read_bytes()
    lines = whole.splitlines(keepends=True)
    file.write_bytes(whole[: len(whole) - len(lines[-1]) * cut // 12])
    store = KeptLookups(tmp_path)
    assert store.counted(Shelf(), LOOKUP, NO_FILTERS) is None
    store.keep_count(Shelf(), LOOKUP, NO_FILTERS, 8)
    again = KeptLookups(tmp_path)
    assert again.counted(Shelf(), LOOKUP, NO_FILTERS) == 8
    assert again.found(Shelf(), LOOKUP, NO_FILTERS) == found()


def test_a_damaged_line_counts_as_a_call_that_was_not_made(kept: KeptLookups, tmp_path: Path) -> None:
    file = tmp_path / "lookups.jsonl"
    file.write_bytes(file.read_bytes().replace(b"a note", b"b note") + b'{"sha256": 1}\n[]\n\xff\n')
    again = KeptLookups(tmp_path)
    assert again.found(Shelf(), LOOKUP, NO_FILTERS) is None
    assert again.counted(Shelf(), LOOKUP, NO_FILTERS) == 7


def test_a_file_that_cannot_be_written_costs_nothing_but_a_warning(
    kept: KeptLookups, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "lookups.jsonl").unlink()
    (tmp_path / "lookups.jsonl").mkdir()
    for number in range(2):
        kept.keep_count(Shelf(), LOOKUP, NO_FILTERS, number)
    assert len(caplog.records) == 1
    assert "cannot keep what was found" in caplog.text
