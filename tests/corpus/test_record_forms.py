"""What one program writes is read back as it was meant, in every form; one paper from two exports is one document."""

import csv
import io
import json
import re
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from textwrap import wrap
from typing import NamedTuple

import docx
import rispy
from fields_held import FORMS, became, fields_held
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml.html import tostring
from lxml.html.builder import E
from read_files import document_of, items_of, sample, written
from rows import each_row

from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.corpus.sync import sync
from medground.values.document import Document


class Paper(NamedTuple):
    title: str
    authors: list[tuple[str, str]]
    year: int
    number: int
    text: str
    journal: str

    @property
    def names(self) -> list[str]:
        return [f"{family}, {given}" for family, given in self.authors]


Writer = Callable[[Sequence[Paper]], str]


def tagged(line: str, tags: Sequence[str], *, indent: str = "", before: str = "") -> Writer:
    """A writer of tagged records; a long text goes on in further lines."""
    title, author, year, doi, pmid, text, begin, end, journal = tags

    def record(number: int, paper: Paper) -> list[str]:
        said = [(begin, "J"), *((author, name) for name in paper.names), (title, paper.title), (year, str(paper.year))]
        said += [(doi, f"10.1000/{paper.number}"), (pmid, str(paper.number)), (journal, paper.journal)]
        said += [(text, paper.text), (end, "")]
        lines = [line.format(tag, f"\n{indent}".join(wrap(value, 60))) for tag, value in said if tag]
        return [before.format(number), *lines] if before else lines

    return lambda papers: "\n".join("\n".join([*record(n, p), ""]) for n, p in enumerate(papers, start=1))


def by_rispy(papers: Sequence[Paper]) -> str:
    fields = [
        {"type_of_reference": "JOUR", "title": p.title, "authors": p.names, "year": str(p.year), "abstract": p.text}
        | {"doi": f"10.1000/{p.number}", "accession_number": str(p.number), "name_of_database": "PubMed"}
        | {"journal_name": p.journal}
        for p in papers
    ]
    return rispy.dumps(fields)


def by_csv(papers: Sequence[Paper]) -> str:
    table = csv.writer(stream := io.StringIO())
    table.writerow(["Title", "Authors", "Year", "DOI", "PMID", "Abstract", "Journal"])
    table.writerows(
        [p.title, "; ".join(p.names), p.year, f"10.1000/{p.number}", p.number, p.text, p.journal] for p in papers
    )
    return stream.getvalue()


def by_json(papers: Sequence[Paper]) -> str:
    def record(p: Paper) -> dict[str, object]:
        authors = [{"family": family, "given": given} for family, given in p.authors]
        own = {"type": "article-journal", "title": p.title, "author": authors, "issued": {"date-parts": [[p.year]]}}
        own |= {"DOI": f"10.1000/{p.number}", "PMID": str(p.number)}
        return own | {"abstract": p.text, "container-title": p.journal}

    return json.dumps([record(p) for p in papers])


def by_bibtex(papers: Sequence[Paper]) -> str:
    entry = "@article{{k{4}, title={{{0}}}, author={{{1}}},\nyear={2}, pmid={4}, doi={{10.1000/{4}}}, "
    entry += "abstract={{{3}}}, journal={{{5}}} }}"
    own = ((p.title, " and ".join(p.names), p.year, p.text, p.number, p.journal) for p in papers)
    return "\n".join(entry.format(*one) for one in own)


def in_xml(name: str) -> Writer:
    """A writer of XML by a template: what is around the records, an author, a record."""
    whole, author, record = sample(f"{name}.template").split("\n", 2)

    def text(paper: Paper) -> str:
        authors = "".join(author.format(*one) for one in paper.authors)
        return record.format(paper.title, paper.year, paper.number, paper.text, authors, paper.journal)

    return lambda papers: whole.format("".join(map(text, papers)))


OVID = "<{}. >\nVN  - Ovid\nDB  - Ovid MEDLINE(R)"
RIS = ("TI", "AU", "PY", "DO", "AN", "AB", "TY", "ER", "JO")
WRITERS: dict[str, Writer] = {
    "rispy": by_rispy,
    "ris of the Cochrane Library": tagged("{}  - {}", RIS, before="Record #{} of 9\nProvider: X\n"),
    "ris with its type at the end": tagged("{}  - {}", (*RIS[:6], "", "ER", "JF")),
    "nbib": tagged("{:<4}- {}", ("TI", "AU", "DP", "AID", "PMID", "AB", "", "", "JT"), indent="      "),
    "refer": tagged("{} {}", ("%T", "%A", "%D", "%R", "%M", "%X", "", "", "%J")),
    "refworks": tagged("{} {}", ("T1", "A1", "YR", "DO", "AN", "AB", "RT", "", "JF")),
    "wos": tagged("{} {}", ("TI", "AF", "PY", "DI", "PM", "AB", "PT", "ER", "SO"), indent="   "),
    "wos without indents": tagged("{} {}", ("TI", "AF", "PY", "DI", "PM", "AB", "PT", "ER", "SO")),
    "ovid": tagged("{}  - {}", ("TI", "AU", "YR", "DO", "UI", "AB", "", "", "JN"), before=OVID),
    "cochrane": tagged(
        "{}: {}", ("TI", "AU", "YR", "DOI", "PM: PUBMED", "AB", "ID", "", "SO"), before="Record #{} of 9"
    ),
    **{name: in_xml(name) for name in ("medline", "jats", "endnote", "zotero")},
    "csv": by_csv,
    "csl-json": by_json,
    "bibtex": by_bibtex,
}
WORD = st.text("abcdefghijklmnopqrstuvwxyz", min_size=3, max_size=9)
NAME = st.tuples(WORD.map(str.title), WORD.map(str.title))
WORDS = st.lists(WORD, min_size=4, max_size=30).map(lambda words: f"The {' '.join(words)}.")
AUTHORS, YEARS, NUMBERS = st.lists(NAME, min_size=1, max_size=4), st.integers(1950, 2029), st.integers(10**6, 10**7)
PAPER = st.builds(Paper, WORDS, AUTHORS, YEARS, NUMBERS, WORDS, WORD.map(str.title))
PAPERS = st.lists(PAPER, min_size=1, max_size=4, unique_by=lambda paper: paper.number)


@each_row("name", WRITERS)
@given(PAPERS)
@settings(max_examples=15)
def test_what_is_written_is_read(name: str, papers: list[Paper]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        found = items_of(written(Path(folder) / "export.txt", text := WRITERS[name](papers)))
    if name in FORMS:
        told = [what for what, _ in became(fields_held(text, name), found)]
        assert set(told) == {"read"} and len(told) >= 5 * len(papers), told
    assert all(isinstance(one, Document) for one in found), found
    assert name != "endnote" or all(one.metadata["custom7"] == ("kept",) for one in found if isinstance(one, Document))
    for document, paper in zip(found, papers, strict=True):
        initials = [f"{family}{given[0]}" for family, given in paper.authors]
        written_as = [
            re.sub("[, ]", "", name)[: len(short)] for name, short in zip(document.authors, initials, strict=True)
        ]
        assert (document.title, written_as, document.text) == (paper.title, initials, paper.text)
        assert (document.id, document.year) == (f"PMID:{paper.number}", paper.year)
        assert (document.identifiers["doi"], document.journal) == (f"10.1000/{paper.number}", paper.journal)


@given(PAPER)
@settings(max_examples=15)
def test_a_page_and_a_word_file_hold_what_was_written(paper: Paper) -> None:
    head, text = E.HEAD(E.TITLE(paper.title)), E.BODY(E.H1(paper.title), E.P(paper.text))
    told = {"title": [paper.title], "author": paper.names}
    told |= {"publication_date": [str(paper.year)], "pmid": [str(paper.number)]}
    head.extend(E.META(name=f"citation_{name}", content=value) for name, values in told.items() for value in values)
    word = docx.Document()
    word.core_properties.title = paper.title
    word.add_paragraph(paper.text)
    with tempfile.TemporaryDirectory() as folder:
        word.save(str(Path(folder) / "a.docx"))
        page = document_of(written(Path(folder) / "a.html", tostring(E.HTML(head, text))), "html")
        file = document_of(Path(folder) / "a.docx", "docx")
    assert (page.title, list(page.authors), page.year) == (paper.title, paper.names, paper.year)
    assert page.identifiers["pmid"] == str(paper.number) and paper.text in page.text
    assert (file.title, file.text) == (paper.title, paper.text)


TITLE = "Iron infusion in heart failure without anaemia"
TOLD = {
    "a.ris": f"TY  - JOUR\nTI  - {TITLE}\nAU  - Eversfield N\nPY  - 2019\nDO  - 10.1000/abc\nAB  - It rose.\nER  - \n",
    "b.nbib": f"PMID- 22921965\nTI  - {TITLE}.\nAU  - Eversfield N\nDP  - 2019\nAID - 10.1000/ABC [doi]\nMH  - Iron\n",
    "c.bib": f"@article{{x, title={{{TITLE}}}, author={{Nora Éversfield}}, year=2019, keywords={{walk}}}}",
    "c.json": f'[{{"type": "article", "title": "{TITLE}", "author": [{{"family": "Eversfield"}}], "issued": "2020", '
    '"abstract": "It rose.", "archive": "kept"}]',
    "d.enw": f"%0 Book\n%T {TITLE}\n%A Other, B\n%D 2019\n",
}


def test_one_paper_from_several_exports_is_one_document(library: Library, tmp_path: Path) -> None:
    for name, text in TOLD.items():
        (tmp_path / name).write_text(text)
    build(library, "x", find_inputs([tmp_path]))
    with library.open("x") as snapshot:
        paper, book = sorted(snapshot.all_documents(), key=lambda document: document.kind == "book")
        same = snapshot.file_report().same
    assert (paper.id, paper.text, paper.retraction) == ("PMID:22921965", "It rose.", "retracted")
    assert (paper.keywords, paper.mesh[0].descriptor, book.authors) == (("walk",), "Iron", ("Other B",))
    assert [Path(name).name for one in same for name in one.others] == ["a.ris", "c.bib", "c.json"]
    (tmp_path / "b.nbib").unlink()
    sync(library, "x", tmp_path)
    with library.open("x") as snapshot:
        assert [d.id for d in snapshot.all_documents() if d.kind != "book"] == ["DOI:10.1000/abc"]


def test_files_beside_a_corpus_are_read_and_what_is_not_searched_is_told(library: Library, tmp_path: Path) -> None:
    (tmp_path / "qrels").mkdir()
    for name in ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv", "more.jsonl"):
        (tmp_path / name).write_text(f'{{"_id": "{name}", "text": "食塩を減らすと血圧は下がった。"}}')
    assert build(library, "x", find_inputs([tmp_path])).counts.documents == 2
    with library.open("x") as snapshot:
        (note,) = snapshot.file_report().notes
    assert note.startswith("in a language that is not searched"), note
