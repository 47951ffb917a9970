"""Documents joined with their records in another corpus: what is filled, what stays, what is told."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from rows import each_row
from small_corpora import WordEmbedder, contents, make_documents, make_input

from medground.corpus.build import add, build
from medground.corpus.join import open_records, remembered
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.corpus.readers.base import Retracts
from medground.corpus.records import agrees, decide, difference, merged, restored
from medground.corpus.sync import enrich, sync
from medground.errors import ConfigError, SourceUnavailable, UsageError
from medground.values.document import Document, MeshHeading
from medground.values.query import Everything, Filters

TITLES = (
    "Losartan and dilation of the aortic root in Marfan syndrome",
    "Beta blockers for ectopia lentis in young adults",
    "Vitamin D supplements and fractures in older women",
    "Zinc for the common cold in children of school age",
    "Metformin and the risk of pancreatic cancer",
)


def record(n: int, **more: Any) -> Document:
    """The MEDLINE record of paper `n`."""
    fields = {
        "id": f"PMID:{n}",
        "title": TITLES[n % 5],
        "text": f"The abstract of paper {n}.",
        "year": 2001,
        "dates": {"published": "2001-05-06"},
        "journal": "Lancet",
        "authors": ("Gil A",),
        "language": "eng",
        "mesh": (MeshHeading(descriptor="Losartan"),),
        "publication_types": ("Randomized Controlled Trial",),
        "identifiers": {"pmid": str(n), "doi": f"10.1000/Paper.{n}"},
        "url": f"https://pubmed.ncbi.nlm.nih.gov/{n}/",
    }
    return Document.model_validate({**fields, **more})


def paper(n: int, **more: Any) -> dict[str, Any]:
    """What a file says of paper `n`: its title, its text and its DOI."""
    text = f"We studied paper {n}. It worked well in most patients."
    return {"id": f"P{n}", "title": TITLES[n % 5], "text": text, "doi": f"https://doi.org/10.1000/PAPER.{n}.", **more}


def write(path: Path, *papers: dict[str, Any]) -> None:
    path.write_text("".join(json.dumps(one) + "\n" for one in papers))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one file for each of three papers, and a note without ids."""
    made = tmp_path / "papers"
    made.mkdir()
    for n in (1, 2, 3):
        write(made / f"{n}.jsonl", paper(n))
    (made / "note.txt").write_text("A note on statins without any id of a paper.")
    return made


@pytest.fixture
def medline(library: Library) -> Callable[..., None]:
    """Builds the corpus `medline` of these records."""

    def make(*records: Document) -> None:
        build(library, "medline", [make_input(records, fingerprint=str(hash(repr(records))))])

    return make


def documents(library: Library, name: str = "papers") -> dict[str, Document]:
    """The documents of a corpus, each found by its journal."""
    found = contents(library, name)
    with library.open(name) as snapshot:
        for document in found.values():
            by_journal = snapshot.bm25(Everything(), 10_000, Filters(where={"journal": document.journal or "none"}))
            assert (document.id in {h.passage.document_id for h in by_journal}) == bool(document.journal)
    return found


def told(library: Library, name: str = "papers") -> list[str]:
    with library.open(name) as snapshot:
        return [one.line() for one in snapshot.source_reports()]


def built(library: Library, folder: Path, *sources: str, **more: Any) -> Any:
    return build(library, "papers", find_inputs([folder]), records=open_records(library, "papers", sources), **more)


def test_what_a_file_lacks_is_filled_and_what_it_says_stays(library: Library, folder: Path, medline: Any) -> None:
    medline(record(1), record(2, retraction="retracted"))
    write(folder / "1.jsonl", paper(1, journal="My journal", keywords=["own"], publication_types=["Preprint"]))
    manifest = built(library, folder, "medline")
    found = documents(library)
    first = found["DOC:P1"]
    assert (first.journal, first.keywords) == ("My journal", ("own",))
    assert first.text.startswith("We studied paper 1.")
    assert first.authors == ("Gil A",)
    assert first.publication_types == ("Preprint", "Randomized Controlled Trial")
    assert first.identifiers["pmid"] == "1"
    assert first.dates == {"published": "2001-05-06"}
    (note,) = first.joined
    assert (note.record, note.source) == ("PMID:1", "corpus:medline")
    assert set(note.fields) >= {"authors", "mesh", "identifiers.pmid", "dates.published", "publication_types", "year"}
    assert not {"journal", "keywords", "title", "text"} & set(note.fields)
    assert found["DOC:P2"].retraction == "retracted"
    assert not found["DOC:P3"].joined
    assert manifest.counts.retracted == 1
    assert told(library) == [
        "joined with medline: 2 of 4 documents (1 retracted); 1 carries no PMID or DOI; 1 not found"
    ]


def test_a_wrong_doi_and_a_doi_of_two_records_are_not_joined_and_are_named(
    library: Library, folder: Path, medline: Any
) -> None:
    twin = record(6, identifiers={"pmid": "6", "doi": "10.1000/paper.1"})
    other = record(7, title="Something else about zinc", identifiers={"pmid": "7", "doi": "10.1000/paper.2"})
    medline(record(1), twin, record(2), other, record(3, title="Another paper about the genes of the zebrafish"))
    built(library, folder, "medline")
    found = documents(library)
    assert not found["DOC:P1"].joined
    assert found["DOC:P2"].joined[0].record == "PMID:2"  # the title decides
    assert not found["DOC:P3"].joined
    assert "1 not joined, the record has another title (3.jsonl)" in told(library)[0]
    assert "1 not joined, several records have its id (1.jsonl)" in told(library)[0]
    with library.open("papers") as snapshot:
        lines = {entry.document: entry.line() for entry in snapshot.document_reports()}
    assert lines["DOC:P3"] == "not joined with corpus:medline: the record with its id has another title"
    assert lines["DOC:P2"].startswith("joined with PMID:2 of corpus:medline: journal, authors, year")


def test_enrich_later_forget_and_enrich_again(library: Library, folder: Path, medline: Any) -> None:
    medline(record(1), record(2))
    embedder = WordEmbedder()
    plain = built(library, folder, embedder=embedder)
    embedded = embedder.embedded
    read = enrich(library, "papers", open_records(library, "papers", ["medline"]), embedder=embedder)
    assert embedder.embedded == embedded  # texts and titles stay, so vectors do
    assert read.hash != plain.hash
    assert documents(library)["DOC:P1"].joined
    assert [one.name for one in remembered(library, "papers")] == ["medline"]
    forgotten = enrich(library, "papers", [], embedder=embedder)
    assert forgotten.hash == plain.hash
    assert not forgotten.enriched
    assert told(library) == []
    again = enrich(library, "papers", open_records(library, "papers", ["medline"]), embedder=embedder)
    assert again.hash == read.hash
    with library.open("papers") as snapshot:
        assert len(snapshot.vectors()) == again.counts.passages


def test_sync_remembers(library: Library, folder: Path, medline: Any) -> None:
    medline(record(1), record(4))
    built(library, folder, "medline")
    _, changes = sync(library, "papers", folder)
    assert not changes.any
    write(folder / "4.jsonl", paper(4))
    write(folder / "1.jsonl", paper(1, ward="ICU"))
    (folder / "2.jsonl").unlink()
    sync(library, "papers", folder)
    found = documents(library)
    assert found["DOC:P4"].joined[0].record == "PMID:4"
    assert found["DOC:P1"].joined
    assert found["DOC:P1"].metadata == {"ward": ("ICU",)}
    assert told(library) == ["joined with medline: 2 of 4 documents; 1 carries no PMID or DOI; 1 not found"]
    synced, _ = sync(library, "papers", folder, records=[])
    assert not any(d.joined for d in documents(library).values())
    assert not synced.enriched


def test_a_retraction_that_the_records_or_a_notice_tell_of_arrives(
    library: Library, folder: Path, medline: Any
) -> None:
    medline(record(1), record(2))
    built(library, folder, "medline")
    medline(record(1, retraction="retracted"), record(2))
    _, changes = sync(library, "papers", folder)
    assert changes.unjoined == 4
    found = documents(library)
    assert (found["DOC:P1"].retraction, found["DOC:P2"].retraction) == ("retracted", "none")
    assert not sync(library, "papers", folder)[1].any
    add(library, "papers", [make_input([Retracts(("PMID:2",))])])
    assert documents(library)["DOC:P2"].retraction == "retracted"


def test_add_joins_what_is_there_too(library: Library, folder: Path, medline: Any, tmp_path: Path) -> None:
    medline(record(1), record(4))
    built(library, folder)
    write(tmp_path / "more.jsonl", paper(4))
    more = find_inputs([tmp_path / "more.jsonl"])
    add(library, "papers", more, records=open_records(library, "papers", ["medline"]))
    found = documents(library)
    assert [bool(found[i].joined) for i in ("DOC:P1", "DOC:P2", "DOC:P4")] == [True, False, True]
    write(tmp_path / "more.jsonl", paper(4, ward="ED"))
    add(library, "papers", find_inputs([tmp_path / "more.jsonl"]))  # remembered
    assert documents(library)["DOC:P4"].joined


class Scripted:
    """A source of records that fails when the test says so, and counts what it is asked."""

    name = "far"
    source = "pubmed:far"
    state = ""

    def __init__(self, *records: Document) -> None:
        self.records = records
        self.fails = False
        self.asked = 0

    async def find(self, documents: Sequence[Document]) -> list[tuple[Document, ...]]:
        self.asked += len(documents)
        if self.fails:
            raise SourceUnavailable("no response within 60 s", source=self.source)
        return [tuple(r for r in self.records if {*r.paper} & {*d.paper}) for d in documents]

    async def close(self) -> None:
        return None


def test_a_source_that_is_down_is_told_and_asked_again(library: Library, folder: Path, medline: Any) -> None:
    medline(record(1))
    far = Scripted(record(2))
    far.fails = True
    records = [*open_records(library, "papers", ["medline"]), far]
    build(library, "papers", find_inputs([folder]), records=records)
    assert told(library)[1] == (
        "joined with far: 0 of 4 documents; 1 carries no PMID or DOI; "
        "3 could not be looked up (no response within 60 s); the next sync tries again"
    )
    assert documents(library)["DOC:P1"].joined  # the other source answered
    _, changes = sync(library, "papers", folder, records=records)
    assert changes.unjoined == 3
    far.fails = False
    sync(library, "papers", folder, records=records)
    assert documents(library)["DOC:P2"].joined[0].source == "pubmed:far"
    assert "could not be looked up" not in told(library)[1]
    asked = far.asked
    assert not sync(library, "papers", folder, records=records)[1].any
    assert far.asked == asked
    far.fails = True
    enrich(library, "papers", [far])
    assert documents(library)["DOC:P2"].joined, "what was filled stays while its source is down"
    assert "3 could not be looked up" in told(library)[0]


def test_one_source_gives_the_id_by_which_the_next_knows_it(library: Library, folder: Path) -> None:
    first = Scripted(record(1, mesh=(), publication_types=()))
    second = Scripted(record(1, identifiers={"pmid": "1"}, retraction="retracted"))
    second.name, second.source = "second", "pubmed:second"
    build(library, "papers", find_inputs([folder]), records=[first, second])
    found = documents(library)["DOC:P1"]
    assert [note.source for note in found.joined] == ["pubmed:far", "pubmed:second"]
    assert found.joined[1].fields == ("mesh", "publication_types", "retraction")


def test_a_build_that_was_stopped_asks_only_for_the_rest(library: Library, tmp_path: Path) -> None:
    papers = make_documents(250)
    far = Scripted(*(d.model_copy(update={"retraction": "retracted"}) for d in papers[:150]))

    def stopping(step: str, done: int, total: int | None) -> None:
        if step.startswith("join") and done >= 200:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(library, "papers", [make_input(papers)], records=[far], progress=stopping)
    assert (far.asked, library.has("papers")) == (200, False)
    manifest = build(library, "papers", [make_input(papers)], records=[far])
    assert far.asked == 250
    assert manifest.counts.retracted == 150


def test_a_source_that_is_gone_does_not_stop_sync(library: Library, folder: Path, medline: Any) -> None:
    medline(record(1))
    built(library, folder, "medline")
    library.remove("medline")
    write(folder / "4.jsonl", paper(4))
    sync(library, "papers", folder)
    assert documents(library)["DOC:P1"].joined
    assert "1 could not be looked up (it is no longer there)" in told(library)[0]


def test_names_of_sources(library: Library, folder: Path, medline: Any) -> None:
    medline(record(1))
    built(library, folder)
    for error, name, source, message in (
        (UsageError, "papers", "medlin", "no corpus 'medlin' to enrich from; the nearest: medline"),
        (UsageError, "new", "§", "use one of pubmed, medline, papers"),
        (UsageError, "papers", "papers", "papers cannot be enriched from itself"),
        (ConfigError, "papers", "ftp://x", "is not an address"),
    ):
        refused(error, message, open_records, library, name, [source])
    refused(UsageError, "none cannot be combined", open_records, library, "papers", ["none", "medline"])
    assert open_records(library, "papers", ["none"]) == []
    opened = open_records(library, "papers", ["live", "pubmed", "medline"])
    assert [one.source for one in opened] == ["pubmed:live", "corpus:medline"]


def test_a_title_that_is_filled_is_embedded(library: Library, tmp_path: Path, medline: Any) -> None:
    medline(record(1))
    write(tmp_path / "a.jsonl", paper(1, title=None), paper(2))
    embedder = WordEmbedder()
    build(library, "papers", find_inputs([tmp_path / "a.jsonl"]), embedder=embedder)
    before = embedder.embedded
    enrich(library, "papers", open_records(library, "papers", ["medline"]), embedder=embedder)
    assert embedder.embedded == before + 1
    assert documents(library)["DOC:P1"].title == TITLES[1]


def test_a_field_named_joined_is_no_provenance(library: Library, tmp_path: Path) -> None:
    note = {"record": "PMID:1", "source": "corpus:medline", "fields": ["mesh"]}
    write(tmp_path / "a.jsonl", paper(1, joined=[note]))
    build(library, "papers", find_inputs([tmp_path / "a.jsonl"]))
    assert documents(library)["DOC:P1"].joined == ()


LINE = (0, 9, 1, 0, 0, 9, 9)


@each_row(
    ("own", "other", "same"),
    [
        ({}, {}, True),
        ({"title": "losartan and dilation of the AORTIC ROOT in Marfan syndrome."}, {}, True),
        ({"title": "Losartan and dilation of the aortic root"}, {}, True),  # without its subtitle
        ({"title": "Losartan and dilatation of the aortic root in Marfan's syndrome"}, {}, True),
        ({}, {"title": f"RETRACTED: {TITLES[0]}"}, True),
        ({"title": "Marfan syndrome"}, {}, False),
        ({"title": "Zinc for the common cold"}, {}, False),
        ({"title": "Research article", "text": f"{TITLES[0].upper()}\nWe studied it."}, {}, True),
        ({"title": "", "lines": (LINE,)}, {}, False),  # a PDF whose title is not known
        ({"title": "", "lines": (LINE,), "text": f"{TITLES[0]} We studied it."}, {}, True),
        ({"title": ""}, {}, True),  # a row of a table without a title, with a DOI of its own
        ({"title": ""}, {"title": ""}, True),
        ({"title": "Losartán y la raíz aórtica", "authors": ("Gil A",)}, {"title": "[Losartan and the root]."}, True),
        ({"title": "Losartán y la raíz aórtica", "authors": ("Roe B",)}, {"title": "[Losartan and the root]."}, False),
        ({"title": f"{TITLES[0]}, II", "year": 1995}, {"title": f"{TITLES[0]}: part one"}, False),
    ],
)
def test_titles_that_agree(own: dict[str, Any], other: dict[str, Any], same: bool) -> None:
    document = record(5).model_copy(update={"text": "We studied it in many patients.", **own})
    assert agrees(document, record(5, **other)) is same


def test_the_record_with_most_ids_in_common_is_chosen() -> None:
    document = record(1, id="FILE:a.pdf")
    copy = record(1, id="FILE:copy.pdf")
    assert decide(document, [copy, record(1)]) == ("joined", record(1))
    other = record(1, id="PMID:9", identifiers={"doi": "10.1000/paper.1", "pmid": "9"})
    assert decide(document, [other, record(1)]) == ("joined", record(1))


WORDS = st.sampled_from(["", "aspirin", "zinc"])
MANY = st.lists(st.sampled_from(["Review", "review", "Letter", "Editorial"]), max_size=3).map(tuple)
DOCUMENTS = st.builds(
    Document,
    id=st.sampled_from(["PMID:1", "FILE:a", "DOI:10.1000/x"]),
    title=WORDS,
    text=st.just("A text."),
    year=st.none() | st.integers(1990, 1992),
    journal=st.none() | WORDS,
    authors=MANY,
    keywords=MANY,
    publication_types=MANY,
    cautions=MANY,
    dates=st.dictionaries(st.sampled_from(["published", "entered"]), st.sampled_from(["1990", "1991-02"])),
    imprint=st.dictionaries(st.sampled_from(["volume", "pages"]), WORDS),
    identifiers=st.dictionaries(st.sampled_from(["pmid", "doi", "omim"]), st.sampled_from(["1", "10.1000/X", "?"])),
    retraction=st.sampled_from(["none", "concern", "notice", "retracted"]),
    language=st.none() | st.just("eng"),
)


@given(DOCUMENTS, DOCUMENTS, DOCUMENTS)
def test_merging_fills_and_never_replaces(own: Document, first: Document, second: Document) -> None:
    joined = merged(merged(own, first, "a"), second, "b")
    assert (joined.id, joined.text) == (own.id, own.text)
    for name in ("title", "year", "journal", "authors", "keywords", "language"):
        assert not getattr(own, name) or getattr(joined, name) == getattr(own, name)
    for name in ("identifiers", "dates", "imprint"):
        assert getattr(own, name).items() <= getattr(joined, name).items()
    for name in ("publication_types", "cautions"):
        assert getattr(joined, name)[: len(getattr(own, name))] == getattr(own, name)
    assert restored(joined, difference(own, joined)) == own
    assert merged(joined, second, "b") == joined  # a record that was joined adds nothing more
    changed = {name for name in Document.model_fields if getattr(joined, name) != getattr(own, name)} - {"joined"}
    assert changed == {field.partition(".")[0] for note in joined.joined for field in note.fields}
