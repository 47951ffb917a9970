"""What reference managers, PubMed and search services export: tagged records, BibTeX, tables, JSON, XML."""

import json
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from read_files import document_of, items_of, pieces, sample, written
from rows import each_row

from medground.corpus.readers.base import Note, Retracts
from medground.corpus.readers.compose import unmarked
from medground.corpus.readers.entry import described
from medground.corpus.readers.reference_managers import entry_document
from medground.corpus.readers.tagged import FORMS, records_of, tagged_document
from medground.corpus.readers.texts import COLLECTIONS, collection_document
from medground.corpus.readers.values import iso_date
from medground.errors import BadDocument
from medground.values.document import Document

DOI = "10.1016/s0140-6736(19)30001-2"
BOTH = {"pmid": "30001122", "doi": DOI}
PRINTED = {"volume": "393", "issue": "10175", "pages": "1021-1029"}


@each_row("end", ["\n", "\r\n"])
def test_web_of_science_as_plain_text(tmp_path: Path, end: str) -> None:
    first, second = items_of(written(tmp_path / "savedrecs.txt", sample("savedrecs.txt").replace("\n", end)), "wos")
    assert (first.id, first.title) == ("PMID:30001122", "Early statin therapy after infarction")
    assert first.text == "Background Statins help. We took 1204 patients."
    assert first.authors == ("Smith, John A.", "Mueller, Klaus")
    assert (first.year, first.dates, first.journal) == (2019, {"published": "2019-03-14"}, "LANCET")
    assert (first.identifiers, first.imprint, first.keywords[-1]) == (BOTH, PRINTED, "THERAPY")
    assert first.metadata["unique_id"] == ("WOS:000461234500028",)
    assert (second.text, second.kind, second.imprint) == ("Aspirin", "book", {"pages": "e12"})


def test_web_of_science_as_a_table_although_it_is_called_txt(tmp_path: Path) -> None:
    names = "PT|AU|BA|AF|TI|SO|LA|DT|DE|ID|AB|SN|PD|PY|VL|IS|BP|EP|DI|PM|UT"
    rows = [
        "J|Smith, JA|||Statins|LANCET|English|Article|a; b|THERAPY|Statins help.|1|MAR 14|2019|393|10175|1021|1029"
        f"|{DOI}|30001122|WOS:1",
        "J|Jones, P|||Aspirin|BMJ|English|Article||THERAPY|Aspirin too.|1||2018||||||| WOS:2",
    ]
    table = "\ufeff" + "\r\n".join("\t".join(row) for row in (one.split("|") for one in (names, *rows)))
    first, second = items_of(written(tmp_path / "savedrecs.txt", table), "csv")
    assert (first.id, first.journal, first.imprint) == ("PMID:30001122", "LANCET", PRINTED)
    assert second.id.startswith("REF:"), "a keyword of theirs is called ID"
    assert second.metadata["keywords_plus"] == ("THERAPY",)


EMBASE = sample("embase.ris")
SCOPUS = sample("scopus.ris")
WILEY = sample("wiley.ris")
PROQUEST = sample("proquest.ris")


@each_row("content", [EMBASE, SCOPUS, WILEY, PROQUEST])
def test_ris_of_search_services(tmp_path: Path, content: str) -> None:
    (document,) = items_of(written(tmp_path / "export.ris", content), "ris")
    assert (document.id, document.identifiers, document.year) == ("PMID:30001122", BOTH, 2019)
    assert "Lancet" in str(document.journal)
    if content is SCOPUS:
        assert document.title == "Statins & mortality in vivo"
        assert document.text == "10^6 cells in CO2, P < 0.05."
    if content is WILEY:
        assert document.keywords == ("statin", "adult")
    if content is EMBASE:
        assert document.imprint == PRINTED


def test_the_cochrane_library_and_ovid_as_text(tmp_path: Path) -> None:
    trial, other = items_of(written(tmp_path / "citation-export.txt", sample("cochrane.txt")), "cochrane")
    assert (other.title, other.year) == ("Aspirin", 2018)
    (record,) = items_of(written(tmp_path / "ovid.txt", sample("ovid.txt")), "ovid")
    for document in (trial, record):
        assert (document.id, document.identifiers, document.imprint) == ("PMID:30001122", BOTH, PRINTED)
        assert (document.text, document.year) == ("BACKGROUND: Statins help.", 2019)
        assert document.authors == ("Smith JA", "Muller K")
        assert document.keywords == ("Statins", "Humans")
        assert str(document.journal).startswith("Lancet")
    assert trial.publication_types == ("Journal article", "Randomized controlled trial")


def test_signs_that_bibtex_exporters_write_as_they_are_stay_what_they_are(tmp_path: Path) -> None:
    (document,) = items_of(written(tmp_path / "library.bib", sample("mendeley.bib")), "bibtex")
    assert document.title == "Costs of $500 versus $300 in 50% of patients: A & B #1"
    assert document.text == "We saw 50% improve (P < 0.05). % more, \u03b1 = 5 in NO2 and 10^6 or 10^-6."
    assert document.journal == "G-Animal Journal"
    told = [document.metadata[name] for name in ("references", "funding", "funding_2")]
    assert told == [("Roe, J. 2001",), ("A",), ("B",)]
    assert document.authors == ("National Heart and Lung Institute", "de la Cruz, Maria", "van Beethoven, Ludwig")
    assert document.imprint == {"volume": "3", "pages": "1\u20132"}


def test_zotero_keeps_a_pmid_in_extra_in_its_json(tmp_path: Path) -> None:
    (document,) = items_of(written(tmp_path / "better.json", sample("better.json")), "csl-json")
    assert (document.id, document.text, document.year) == ("PMID:30001122", "Statins help.", 2019)
    assert (document.authors, document.journal) == (("Smith, John A.",), "The Lancet")
    assert document.keywords == ("statins",)


@given(st.text(max_size=80))
def test_markup_is_all_that_goes(text: str) -> None:
    plain = text.replace("<", "").replace("&", "")
    assert unmarked(plain) == plain
    assert unmarked(f"<p>{plain}</p>").split() == plain.split()


def test_a_text_that_compares_is_not_markup() -> None:
    assert unmarked("a < b and b > c") == "a < b and b > c"
    fields = {"title": "T", "abstract": "p<0.05 & x>1", "id": "a"}
    assert described(fields).text == "p<0.05 & x>1"


def test_nbib_as_pubmed_saves_it(tmp_path: Path) -> None:
    first, notice, retracts, bad = items_of(written(tmp_path / "pubmed-statins.txt", sample("pubmed.nbib")), "nbib")
    assert first.id == "PMID:123456"
    assert first.title == "Statins in the old: a trial in three countries."
    assert (first.authors, first.year, first.language) == (("Gil A", "Li B"), 2020, "eng")
    assert first.journal == "Lancet (London, England)"
    assert first.dates["published"] == "2020-03-28"
    assert first.dates["entered"] == "2020-03-15"
    expected = {"pmid": "123456", "pmc": "PMC7270627", "doi": "10.1016/s0140-6736(20)30566-3"}
    assert first.identifiers == expected
    assert pieces(first) == [
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


@each_row("encoding", ["utf-8", "utf-8-sig", "latin-1", "utf-16"])
@each_row("end", ["\n", "\r\n"])
def test_ris_in_every_encoding(tmp_path: Path, encoding: str, end: str) -> None:
    paper, book, bad = items_of(
        written(tmp_path / "refs.ris", sample("library.ris").replace("\n", end).encode(encoding)), "ris"
    )
    assert (paper.id, paper.title, paper.text) == ("PMID:31234567", "Größe und Maß", "One study.")
    assert (paper.authors, paper.year) == (("Müller, Jürgen", "Doe, Ann B."), 2019)
    assert (paper.journal, paper.dates, paper.keywords) == ("Thorax", {"published": "2019-05"}, ("asthma", "lung"))
    assert paper.identifiers == {"pmid": "31234567", "doi": "10.1136/thorax.1"}
    assert paper.metadata["ris_zz"] == ("own tag",)
    assert (book.kind, book.year, book.authors, book.text) == ("book", 2001, ("Roe, Jane",), "A book")
    assert book.id.startswith("REF:")
    assert (bad.position, bad.reason) == (24, "text: the field is missing")


@each_row("encoding", ["gb18030", "cp932"])
def test_ris_in_chinese_letters(tmp_path: Path, encoding: str) -> None:
    text = "TY  - JOUR\nTI  - 糖尿病の治療に関する無作為化比較試験の報告\nER  - \n".encode(encoding)
    assert (
        document_of(written(tmp_path / "refs.ris", text), "ris").title == "糖尿病の治療に関する無作為化比較試験の報告"
    )


def test_bibtex_with_macros(tmp_path: Path) -> None:
    paper, book, broken, again, empty = items_of(written(tmp_path / "library.bib", sample("library.bib")), "bibtex")
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


def test_csv_of_zotero(tmp_path: Path) -> None:
    document, bad = items_of(written(tmp_path / "z.csv", "\ufeff" + sample("zotero.csv")), "csv")
    assert (document.id, document.title) == ("PMID:3", 'Asthma, in "old" age')
    assert (document.authors, document.year, document.journal) == (("Gil, Ana", "Li, Bo"), 2019, "Thorax")
    assert document.dates == {"published": "2019-05-06"}
    assert document.metadata == {"item_type": ("journalArticle",), "extra": ("PMID: 3",)}
    assert bad.position == 4


def test_csv_of_pubmed(tmp_path: Path) -> None:
    document = document_of(written(tmp_path / "p.csv", sample("pubmed.csv")), "csv")
    assert (document.id, document.authors, document.journal) == ("PMID:31000001", ("Gil A", "Li BC"), "Thorax")
    assert (document.year, document.identifiers["pmc"], document.text) == (2019, "PMC1", "A trial")


@each_row("mark", [",", ";", "\t", "|"])
def test_any_usual_delimiter(tmp_path: Path, mark: str) -> None:
    rows = ["doi|author|title|year", *(f"10.1234/x{n}|Gil A|What happens to group {n}|{2000 + n}" for n in range(5))]
    table = written(tmp_path / "t.tsv", "\n".join(rows).replace("|", mark))
    first, *_ = (one for one in items_of(table, "csv") if isinstance(one, Document))
    assert (first.id, first.title, first.year) == ("DOI:10.1234/x0", "What happens to group 0", 2000)


def test_csl_json(tmp_path: Path) -> None:
    paper, own, bad, note = items_of(written(tmp_path / "c.json", sample("library.json")), "csl-json", notes=True)
    assert isinstance(bad, BadDocument)
    assert (paper.id, paper.text, paper.journal) == ("PMID:31000001", "It helped.", "Thorax")
    assert (paper.authors, paper.dates) == (("Gil, Ana", "WHO"), {"published": "2019-05-06"})
    assert paper.identifiers == {"pmid": "31000001", "pmc": "PMC1234", "doi": "10.1136/x.1"}
    assert (own.id, own.metadata) == ("DOC:7", {"ward": ("3",)})
    assert note == Note("ids without a prefix (1) were given DOC:; kept as metadata: ward")


def test_zotero_rdf(tmp_path: Path) -> None:
    first, second, bad = items_of(written(tmp_path / "z.rdf", sample("zotero.rdf")), "zotero")
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


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
FIELDS = st.sampled_from([*Document.model_fields, "pmid", "abstract", "content", "clean_text", "x"])


@given(LINES, st.dictionaries(NAMES, st.text(max_size=40)), st.dictionaries(FIELDS, JSON))
@settings(max_examples=100)
def test_any_record_gives_a_document_or_a_one_line_error(
    lines: list[str], fields: dict[str, str], given: dict[str, Any]
) -> None:
    record = "\n".join(lines)
    for convert in (
        lambda: entry_document("article", "key", fields),
        lambda: described(fields),
        lambda: tagged_document(next(records_of(f"PMID- 1\n{record}", FORMS["nbib"]))[1], "nbib"),
        lambda: tagged_document(next(records_of(f"TY  - JOUR\n{record}", FORMS["ris"]))[1], "ris"),
        lambda: described(given),
        lambda: collection_document(given, COLLECTIONS["textbooks"]),
        lambda: collection_document(given, COLLECTIONS["guidelines"]),
        lambda: collection_document(given, COLLECTIONS["wikipedia"]),
    ):
        try:
            assert convert().text.encode()
        except ValueError as error:
            assert "\n" not in str(error)


def test_crossref_and_zotero_variants_of_csl(tmp_path: Path) -> None:
    records = [
        {"type": "book", "title": ["A book"], "issued": "2001-02", "author": [], "note": "plain"},
        {"type": "webpage", "title": "A page", "issued": {"raw": "May 2003"}, "author": "Gil, Ana"},
        {"type": "article", "title": "No date", "issued": {"date-parts": [[None]]}, "container-title": ["Thorax"]},
    ]
    content = json.dumps({"message": {"items": records}}, indent=1).replace("{", "{\n", 1)
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
