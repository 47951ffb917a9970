"""The record index: built once, completely or not at all."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rows import each_row

from medground.errors import SnapshotCorrupt
from medground.faces.eutils.records import RecordsIndex
from medground.faces.eutils.records_fields import ORDERS, value_of
from medground.pubmed.mesh import mesh_values, vocabulary
from medground.values.document import Document, MeshHeading
from medground.values.query import And, DateRange, Everything, Mesh, Not, Or, Query, Range, Term

HEADINGS = ("Asthma", "Bronchial Diseases", "Lung Diseases", "Neoplasms", "Lung Neoplasms",
            "Child", "Persons", "Unheard Of")  # fmt: skip
QUALIFIERS = ("therapy", "drug therapy", "diet therapy", "surgery")


def documents(count: int = 30) -> list[Document]:
    return [
        Document(
            id=f"PMID:{number}",
            title=f"Record {number} on {'asthma' if number % 3 else 'colds'}",
            text=f"Words of record {number}.",
            year=1990 + number,
            mesh=(MeshHeading(descriptor=HEADINGS[number % len(HEADINGS)], qualifiers=(QUALIFIERS[number % 4],)),),
        )
        for number in range(1, count + 1)
    ]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> RecordsIndex:
    return RecordsIndex.open_or_build(tmp_path_factory.mktemp("index") / "a", documents)


def test_it_is_built_once_and_leaves_no_other_files(tmp_path: Path) -> None:
    calls: list[int] = []

    def counted() -> list[Document]:
        calls.append(1)
        return documents()

    folder = tmp_path / "cache" / "index"
    threads = [threading.Thread(target=RecordsIndex.open_or_build, args=(folder, counted)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    before = len(calls)
    assert RecordsIndex.open_or_build(folder, counted).records == 30
    assert len(calls) == before
    assert [path.name for path in folder.parent.iterdir()] == ["index"]


def test_a_failed_build_leaves_nothing_behind_and_a_damaged_index_is_reported(tmp_path: Path) -> None:
    def broken() -> list[Document]:
        raise SnapshotCorrupt("row 7 is damaged")

    with pytest.raises(SnapshotCorrupt, match="row 7"):
        RecordsIndex.open_or_build(tmp_path / "index", broken)
    assert list(tmp_path.iterdir()) == []
    RecordsIndex.open_or_build(tmp_path / "index", documents)
    (tmp_path / "index" / "meta.json").write_text("{")
    with pytest.raises(SnapshotCorrupt):
        RecordsIndex.open_or_build(tmp_path / "index", documents)


@each_row("order", ORDERS)
def test_pages_add_up_to_the_whole_result(index: RecordsIndex, order: str) -> None:
    whole = index.search(Everything(), order=order, limit=100)
    pages = [index.search(Everything(), order=order, start=start, limit=7).ids for start in range(0, 35, 7)]
    assert whole.count == 30
    assert tuple(pmid for page in pages for pmid in page) == whole.ids
    assert len(set(whole.ids)) == 30


def leaf_queries() -> st.SearchStrategy[Query]:
    qualifiers = st.lists(st.sampled_from(QUALIFIERS), max_size=2).map(tuple)
    return st.one_of(
        st.builds(Mesh, heading=st.sampled_from(HEADINGS), qualifiers=qualifiers, explode=st.booleans()),
        st.builds(Term, value=st.sampled_from(["asthma", "colds", "record", "7"]), field=st.just("title_abstract")),
        st.builds(Range, low=st.integers(1990, 2005), high=st.integers(2006, 2021)),
        st.builds(DateRange, low=st.dates().filter(lambda d: 1990 < d.year < 2020)),
    )


queries = st.recursive(
    leaf_queries(),
    lambda inner: st.one_of(
        st.builds(lambda parts: And(parts=tuple(parts)), st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda parts: Or(parts=tuple(parts)), st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda part: Not(part=part), inner),
    ),
    max_leaves=6,
)


def matches(query: Query, record: Document) -> bool:
    """Evaluate a query directly on a record."""
    match query:
        case And():
            return all(matches(part, record) for part in query.parts)
        case Or():
            return any(matches(part, record) for part in query.parts)
        case Not():
            return not matches(query.part, record)
        case Mesh():
            pairs = [(h.descriptor, q) for h in record.mesh for q in ("", *h.qualifiers)]
            own = {value_of("mesh", f"{name}/{q}" if q else name) for name, q in pairs}
            return bool(own & {value_of("mesh", value) for value in mesh_values(query, vocabulary())})
        case Range():
            return (query.low or 0) <= (record.year or 0) <= (query.high or 9999)
        case DateRange():
            assert query.low is not None
            return (record.year or 0, 1, 1) >= (query.low.year, query.low.month, query.low.day)
        case Term():
            text = f"{record.title} {record.text}".casefold().replace(".", "").split()
            return query.value in text
    raise AssertionError(query)


@given(query=queries)
@settings(max_examples=60, deadline=None)
def test_search_results_match_the_query_tree(index: RecordsIndex, query: Query) -> None:
    expected = {record.id.removeprefix("PMID:") for record in documents() if matches(query, record)}
    found = index.search(query, order="newest", limit=100)
    assert set(found.ids) == expected
    assert found.count == len(expected) == index.count(query)
