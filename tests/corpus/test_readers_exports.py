"""What reference managers and PubMed export: nbib, RIS, EndNote, BibTeX, CSV, CSL-JSON, Zotero RDF."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from read_files import document_of, items_of, sample, written
from rows import each_row

from medground.corpus.readers import find_inputs
from medground.corpus.readers.base import Note, Retracts
from medground.corpus.readers.entry import described
from medground.corpus.readers.reference_managers import entry_document
from medground.corpus.readers.tagged import FORMS, tagged_document
from medground.corpus.readers.values import iso_date
from medground.errors import BadDocument
from medground.values.document import Document

NBIB = sample("pubmed.nbib")


def test_nbib_as_pubmed_saves_it(tmp_path: Path) -> None:
    first, notice, retracts, bad = items_of(written(tmp_path / "pubmed-statins.txt", NBIB), "nbib")
    assert first.id == "PMID:123456"
    assert first.title == "Statins in the old: a trial in three countries."
    assert (first.authors, first.year, first.language) == (("Gil A", "Li B"), 2020, "eng")
    assert first.journal == "Lancet (London, England)"
    assert first.dates["published"] == "2020-03-28"
    assert first.dates["entered"] == "2020-03-15"
    expected = {"pmid": "123456", "pmc": "PMC7270627", "doi": "10.1016/s0140-6736(20)30566-3"}
    assert first.identifiers == expected
    assert [(s.label, first.text[s.start : s.end]) for s in first.sections] == [
        ("BACKGROUND", "Statins may help."),
        ("METHODS", "We took 12 people. They were old."),
        ("RESULTS AND DISCUSSION", "It helped."),
    ]
    statins = first.mesh[1]
    assert (statins.descriptor, statins.major, statins.major_qualifiers) == ("Statins", True, ("therapeutic use",))
    assert first.keywords == ()
    assert [(one.name, one.number) for one in first.substances] == [("Aspirin", "R16CO5Y76E")]
    assert first.publication_types[1] == "Randomized Controlled Trial"
    assert (first.retraction, notice.retraction) == ("retracted", "notice")
    assert first.metadata["pages"] == ("1054-62",)
    assert retracts == Retracts(("PMID:555",))
    assert (bad.position, bad.reason) == (36, "'x1' is not a PMID")


RIS = sample("library.ris")


@each_row("encoding", ["utf-8", "utf-8-sig", "latin-1", "utf-16"])
@each_row("end", ["\n", "\r\n"])
def test_ris_in_every_encoding(tmp_path: Path, encoding: str, end: str) -> None:
    paper, book, bad = items_of(written(tmp_path / "refs.ris", RIS.replace("\n", end).encode(encoding)), "ris")
    assert (paper.id, paper.title, paper.text) == ("PMID:31234567", "Größe und Maß", "One study.")
    assert (paper.authors, paper.year) == (("Müller, Jürgen", "Doe, Ann B."), 2019)
    assert (paper.journal, paper.dates, paper.keywords) == ("Thorax", {"published": "2019-05"}, ("asthma", "lung"))
    assert paper.identifiers == {"pmid": "31234567", "doi": "10.1136/thorax.1"}
    assert paper.metadata["ris_zz"] == ("own tag",)
    assert (book.kind, book.year, book.authors, book.text) == ("book", 2001, ("Roe, Jane",), "A book")
    assert book.id.startswith("REF:")
    assert (bad.position, bad.reason) == (24, "text: the field is missing")


ENW = sample("library.enw")


def test_enw(tmp_path: Path) -> None:
    by_line = ENW.replace("%K asthma; child", "%K asthma\nchild")
    assert document_of(written(tmp_path / "y.enw", by_line), "enw").keywords == ("asthma", "child")
    document = document_of(written(tmp_path / "x.enw", ENW), "enw")
    assert (document.title, document.authors) == ("Asthma in the young", ("Gil, Ana", "Li, Bo"))
    assert (document.year, document.dates, document.journal) == (2018, {"published": "2018-03-04"}, "Thorax")
    assert (document.text, document.keywords, document.metadata) == (
        "An abstract.",
        ("asthma", "child"),
        {"volume": ("3",), "doi": ("10.1/x",)},
    )


BIB = sample("library.bib")


def test_bibtex_with_macros(tmp_path: Path) -> None:
    paper, book, broken, again, empty = items_of(written(tmp_path / "library.bib", BIB), "bibtex")
    assert paper.id == "PMID:30000001"
    assert paper.title == "The DNA of ösophagus & more"
    assert paper.authors == ("Gíl, Ana", "Li, Bo", "WHO Group")
    assert paper.journal == "New England Journal of Medicine"
    assert (paper.year, paper.dates) == (2019, {"published": "2019-03"})
    assert paper.text == "Risk fell by 5%."
    assert paper.metadata == {"citation_key": ("gil2019",), "entry_type": ("article",)}
    assert (book.title, book.year, book.kind) == ("Part two", 1999, "book")
    assert book.metadata["publisher"] == ("New England Journal of Medicine, weekly",)
    assert (again.id, again.title, again.dates["published"]) == ("PMID:123", "The same key, C# code", "2020-05-06")
    assert "empty: text: the field is missing" in str(empty)
    assert "library.bib:12: a broken entry (@article{broken" in str(broken)


ZOTERO_CSV = (
    '"Key","Item Type","Publication Year","Author","Title","Publication Title","DOI","Abstract Note","Date","Extra"\n'
    '"AB12","journalArticle","2019","Gil, Ana; Li, Bo","Asthma, in ""old"" age","Thorax","10.1136/x.1",'
    '"An abstract,\nof two lines.","2019-05-06","PMID: 3"\n'
    '"CD34","book","","","","","","","",""\n'
)


def test_csv_of_zotero(tmp_path: Path) -> None:
    document, bad = items_of(written(tmp_path / "z.csv", "\ufeff" + ZOTERO_CSV), "csv")
    assert (document.id, document.title) == ("PMID:3", 'Asthma, in "old" age')
    assert (document.authors, document.year, document.journal) == (("Gil, Ana", "Li, Bo"), 2019, "Thorax")
    assert document.dates == {"published": "2019-05-06"}
    assert document.metadata == {"item_type": ("journalArticle",), "extra": ("PMID: 3",)}
    assert bad.position == 4


PUBMED_CSV = """PMID,Title,Authors,Citation,First Author,Journal/Book,Publication Year,Create Date,PMCID,NIHMS ID,DOI
31000001,A trial,"Gil A, Li BC.",Thorax. 2019,Gil A,Thorax,2019,2019/05/06,PMC1,,10.1/x
"""


def test_csv_of_pubmed(tmp_path: Path) -> None:
    document = document_of(written(tmp_path / "p.csv", PUBMED_CSV), "csv")
    assert (document.id, document.authors, document.journal) == ("PMID:31000001", ("Gil A", "Li BC"), "Thorax")
    assert (document.year, document.identifiers["pmc"], document.text) == (2019, "PMC1", "A trial")


@each_row("mark", [",", ";", "\t", "|"])
def test_a_table_without_header(tmp_path: Path, mark: str) -> None:
    rows = [
        mark.join(
            (
                f"10.1234/x{n}",
                f"Gil A{n % 3}",
                f"What happens to people in group {n}",
                str(2000 + n),
                "Long text. " * 30,
            )
        )
        for n in range(5)
    ]
    note, *documents = items_of(written(tmp_path / "t.tsv", "\n".join(rows)), "csv", notes=True)
    assert "no header" in note.text
    assert "title = column 3" in note.text
    first = documents[0]
    assert (first.id, first.title, first.year) == ("DOI:10.1234/x0", "What happens to people in group 0", 2000)
    assert first.text.startswith("Long text.")
    assert first.metadata == {"column_2": ("Gil A0",)}
    with pytest.raises(BadDocument, match="no column holds titles or texts"):
        items_of(written(tmp_path / "t.csv", "a,b\n1,2\n3,4\n"), "csv")


CSL = [
    {
        "id": "gil",
        "type": "article-journal",
        "title": "A trial",
        "container-title": "Thorax",
        "author": [{"family": "Gil", "given": "Ana"}, {"literal": "WHO"}],
        "issued": {"date-parts": [["2019", 5, 6]]},
        "DOI": "10.1136/X.1",
        "abstract": "<jats:p>It helped.</jats:p>",
        "note": "PMID: 31000001\nPMCID: PMC12",
    },
    {"id": 7, "title": "My note", "text": "Seen on ward 3.", "ward": 3},
    "nothing",
]


def test_csl_json(tmp_path: Path) -> None:
    paper, own, bad, note = items_of(written(tmp_path / "c.json", json.dumps(CSL, indent=1)), "csl-json", notes=True)
    assert isinstance(bad, BadDocument)
    assert (paper.id, paper.text, paper.journal) == ("PMID:31000001", "It helped.", "Thorax")
    assert (paper.authors, paper.dates) == (("Gil, Ana", "WHO"), {"published": "2019-05-06"})
    assert paper.identifiers == {"pmid": "31000001", "pmc": "PMC12", "doi": "10.1136/x.1"}
    assert (own.id, own.metadata) == ("DOC:7", {"ward": ("3",)})
    assert note == Note("ids without a prefix (1) were given DOC:; kept as metadata: ward")
    with pytest.raises(BadDocument, match="not JSON"):
        items_of(written(tmp_path / "d.json", '[{"title": '), "csl-json")
    with pytest.raises(BadDocument, match="no record with a title"):
        items_of(written(tmp_path / "e.json", "[{}]"), "csl-json")


ENDNOTE = sample("endnote.xml")


def test_endnote_xml(tmp_path: Path) -> None:
    paper, bad = items_of(written(tmp_path / "e.xml", ENDNOTE), "endnote")
    assert (paper.id, paper.title, paper.text, paper.journal) == ("PMID:31000001", "A trial", "It helped.", "Thorax")
    assert (paper.authors, paper.dates) == (("Gil, Ana", "Li, Bo"), {"published": "2019-05-06"})
    assert bad.position == 2
    with pytest.raises(BadDocument, match="no <record>"):
        items_of(written(tmp_path / "f.xml", "<xml><records/></xml>"), "endnote")


RDF = sample("zotero.rdf")


def test_zotero_rdf(tmp_path: Path) -> None:
    first, second, bad = items_of(written(tmp_path / "z.rdf", RDF), "zotero")
    assert isinstance(bad, BadDocument)
    assert (first.id, first.title, first.text, first.journal) == ("PMID:31000001", "A trial", "It helped.", "Thorax")
    assert (first.authors, first.year, first.keywords) == (("Gil, Ana",), 2019, ("asthma",))
    assert first.identifiers["doi"] == "10.1136/x.1"
    assert second.journal == "BMJ"


@each_row(
    ("written", "iso"),
    [
        ("2019 Mar 4", "2019-03-04"),
        ("4 March 2019", "2019-03-04"),
        ("March 4th, 2019", "2019-03-04"),
        ("Mar 2019", "2019-03"),
        ("2019/3/4", "2019-03-04"),
        ("20190304", "2019-03-04"),
        ("3/4/2019", "2019"),
        ("c. 2019", "2019"),
        ("2019-13-40", "2019"),
        ("in press", None),
    ],
)
def test_dates(written: str, iso: str | None) -> None:
    assert iso_date(written) == iso


LINES = st.lists(st.sampled_from(["TI", "AB", "AU", "DP", "PMID", "MH", "XX", "LID"]).flatmap(
    lambda tag: st.text(max_size=30).map(lambda text: f"{tag:<4}- {text}")
), max_size=8)  # fmt: skip
NAMES = st.sampled_from(["title", "year", "author", "month", "note", "x", "doi"])


@given(LINES, st.dictionaries(NAMES, st.text(max_size=40)))
def test_any_record_gives_a_document_or_a_one_line_error(lines: list[str], fields: dict[str, str]) -> None:
    record = "\n".join(lines)
    for convert in (
        lambda: entry_document("article", "key", fields),
        lambda: described(fields),
        lambda: tagged_document(FORMS["nbib"].tags(record), "nbib"),
        lambda: tagged_document(FORMS["ris"].tags(f"TY  - JOUR\n{record}"), "ris"),
    ):
        try:
            assert convert().text.strip()
        except ValueError as error:
            assert "\n" not in str(error)


@each_row("reader", ["nbib", "ris", "enw", "bibtex", "csv", "csl-json", "html", "covidqa", "docx"])
def test_bytes_that_are_no_text_are_refused_by_every_reader(tmp_path: Path, reader: str) -> None:
    file = tmp_path / "x.bin"
    for content in (b"\x00\x01\x02" * 100, b"\xff\x01" * 100, b"nothing of the kind"):
        file.write_bytes(content)
        (found,) = find_inputs([file], reader)
        try:
            items = list(found.read(0))
        except BadDocument as error:
            assert "\n" not in str(error)
        else:
            assert not any(isinstance(item, Document) for item in items) or reader == "html", (reader, content)


def test_crossref_and_zotero_variants_of_csl(tmp_path: Path) -> None:
    records = [
        {"type": "book", "title": ["A book"], "issued": "2001-02", "author": [], "note": "plain"},
        {"type": "webpage", "title": "A page", "issued": {"raw": "May 2003"}, "author": "Gil, Ana"},
        {"type": "article", "title": "No date", "issued": {"date-parts": [[None]]}, "container-title": ["Thorax"]},
    ]
    content = json.dumps({"items": records}, indent=1).replace("{", "{\n", 1)
    book, page, article = (
        d for d in items_of(written(tmp_path / "x.json", content), "csl-json") if isinstance(d, Document)
    )
    assert (book.title, book.kind, book.dates) == ("A book", "book", {"published": "2001-02"})
    assert (page.kind, page.dates, page.authors) == ("web", {"published": "2003-05"}, ("Gil, Ana",))
    assert (article.year, article.journal) == (None, "Thorax")


def test_an_abstract_beside_a_text_is_a_section_of_its_own() -> None:
    document = described({"title": "T", "abstract": "Short.", "text": "The whole text."})
    assert document.text == "Short.\n\nThe whole text."
    assert [(s.label, s.start, s.end) for s in document.sections] == [("Abstract", 0, 6)]
    assert described({"title": "T", "abstract": "The whole", "text": "The whole text."}).text == "The whole text."
    assert described({"title": "T", "pmcid": "123", "year": "n.d.", "kind": "poster"}).metadata == {
        "year": ("n.d.",),
        "kind": ("poster",),
    }
