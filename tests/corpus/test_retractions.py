"""The list of retracted papers and how it marks documents, and papers of which only the file says it."""

import gzip
import io
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from datetime import date
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from command_line import run as cli
from read_files import document_of, written
from refusals import refused
from rows import each_row, tables

from medground.corpus import retraction_table
from medground.corpus.readers.compose import make_document
from medground.corpus.readers.entry import described
from medground.corpus.retraction import ON_THE_LIST, doubt, listed, marked, why_aside
from medground.errors import StorageFailed
from medground.values.document import Document
from medground.values.identifiers import normal_doi

TABLES = tables(__file__)

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "make_retracted.py"


def some_retracted() -> str:
    return max(name.upper() for name in listed() if name.startswith("pmid:"))


def test_the_list_matches_its_source(shared: Path) -> None:
    pmids = {f"pmid:{pmid}" for pmid in (shared / "retracted_pmids.txt").read_text().split()}
    with gzip.open(shared / "retracted_dois.tsv.gz", "rt") as table:
        rows = [line.split("\t") for line in table.read().splitlines()[1:]]
    dois = {f"doi:{normal_doi(doi)}": nature for doi, _, nature in rows}
    assert {name for name, state in listed().items() if state != "notice"} == pmids | dois.keys()
    assert {listed()[doi] for doi, nature in dois.items() if nature == "retraction"} == {"retracted"}
    assert sum(state == "concern" for state in listed().values()) == 1_665  # one of 1,666 was retracted later


@each_row(("record", "state"), TABLES["said"])
def test_what_a_record_its_title_and_the_list_say(record: dict[str, Any], state: str) -> None:
    given = json.loads(json.dumps(record).replace("listed", some_retracted()))
    assert marked(make_document({"id": "DOC:1", "text": "One."} | given)).retraction == state


def test_a_listed_paper_is_told_as_such() -> None:
    paper = marked(Document(id=some_retracted(), text="One."))
    assert (paper.retraction, paper.cautions) == ("retracted", (ON_THE_LIST,))
    doi = next(name.removeprefix("doi:") for name, state in listed().items() if state == "concern")
    paper = marked(described({"id": "LAB:1", "text": "One.", "doi": f"https://doi.org/{doi.upper()}"}))
    assert (paper.retraction, paper.cautions, why_aside(paper)) == ("concern", (), None)


IDS = TABLES["ids"]


def listed_in(record: dict[str, Any]) -> dict[str, Any]:
    """A record with the PMID of a paper on the list in place of `{}`."""
    pmid = some_retracted().removeprefix("PMID:")
    found: dict[str, Any] = json.loads(json.dumps(record).replace("{}", pmid))
    return {**found, "text": "One."}


@each_row(
    "ids",
    [
        *({"id": form} for form in IDS),
        {"id": "LAB:1", "identifiers": {"PMID": "{}"}},
        {"id": "LAB:1", "identifiers": {"PubMed ID": "https://pubmed.ncbi.nlm.nih.gov/{}/"}},
    ],
)
def test_a_retracted_paper_is_known_however_a_record_writes_its_pmid(ids: dict[str, Any]) -> None:
    for make in (described, make_document):
        assert marked(make(listed_in(ids))).retraction == "retracted"


@each_row("record", TABLES["fields"])
def test_a_retracted_paper_is_known_by_the_fields_of_databases(record: dict[str, Any]) -> None:
    assert marked(described({**listed_in(record), "title": "Aspirin"})).retraction == "retracted"


@each_row(("tags", "state"), TABLES["tags"])
def test_a_retracted_paper_is_known_by_whichever_tag_has_its_pmid(tmp_path: Path, tags: str, state: str) -> None:
    told = tags.replace("{}", some_retracted().removeprefix("PMID:"))
    record = f"TY  - JOUR\nTI  - Zinc and the common cold\nPY  - 2012\nAB  - Colds were shorter.\n{told}\nER  - \n"
    document = marked(document_of(written(tmp_path / "a.ris", record), "ris"))
    assert document.retraction == state
    assert document.cautions  # where it may be another paper that a field names, a reader is told


@each_row("text", TABLES["letters"])
def test_a_letter_does_not_take_the_id_of_the_paper_that_it_is_about(tmp_path: Path, text: str) -> None:
    doi = next(name.removeprefix("doi:") for name, state in listed().items() if state == "retracted" and "doi:" in name)
    document = document_of(written(tmp_path / "a.md", text.replace("{}", doi)), "texts")
    assert (document.identifiers, marked(document).retraction) == ({}, "none")


def test_two_ids_of_one_kind_are_told() -> None:
    document = described({"title": "Zinc", "pmid": 31000001, "notes": "PMID: 31000002"})
    assert document.identifiers["pmid"] == "31000001"
    assert document.cautions == (
        "The record has two ids of one kind: PMID 31000001, which was taken, and 31000002 in the field notes",
    )


def test_a_note_about_another_paper_is_no_id_and_a_record_that_retracts_another_is_a_notice() -> None:
    record = {"id": "LAB:1", "text": "One.", "note": f"Comment on {some_retracted()}"}
    assert marked(described(record)).retraction == "none"
    record = {"id": "LAB:1", "text": "One.", "update-to": [{"DOI": "10.1000/old", "type": "retraction"}]}
    assert marked(described(record)).retraction == "notice"


def test_the_script_is_deterministic(tmp_path: Path) -> None:
    (tmp_path / "pmids.txt").write_text("30\n7\n30\n")
    rows = (
        "doi\tnotice_doi\tnature",
        "10.1000/R\t10.1000/n\tretraction",
        "10.1000/c\t\tconcern",
        "10.1000/r\t\tconcern",
    )
    (tmp_path / "dois.tsv").write_text("\n".join(rows))
    for target in ("one.gz", "two.gz"):
        given = [tmp_path / name for name in ("pmids.txt", "dois.tsv", target)]
        command = [sys.executable, SCRIPT, *given, "--month", "2026-08"]
        subprocess.run(command, check=True)
    one = (tmp_path / "one.gz").read_bytes()
    assert one == (tmp_path / "two.gz").read_bytes()
    assert gzip.decompress(one) == (
        b"2026-08\n\nretracted\n\ndoi:10.1000/r\npmid:30\npmid:7\n\ndoi:10.1000/n\n-\n-\n\nconcern\n\ndoi:10.1000/c\n\n-"
    )


ROWS = """Title,OriginalPaperPubMedID,OriginalPaperDOI,RetractionDOI,RetractionNature,Reason,RetractionDate
Zorbamine in children with asthma: a long trial,81,10.1000/a,10.1000/n,Retraction,+Error;,3/4/2021 0:00
Zorbamine in children with asthma: a long trial,81,10.1000/a,,Expression of concern,,3/4/2022 0:00
"Another, with a line
break in it",82,10.1000/b,,Retraction,,3/4/2021 0:00
Another,82,10.1000/b,,Reinstatement,,3/4/2022 0:00
Third,83,unavailable,,Correction,,3/4/2022 0:00
Fourth,84,,,Retraction,+Retract and Replace;,3/4/2027 0:00
"""


@pytest.fixture
def update(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], int]:
    """Updates the table of a home by the command; other tests see the one that ships."""
    for name in ("_place", "_held"):
        monkeypatch.setattr(retraction_table, name, None)

    def run(content: str) -> int:
        (tmp_path / "given.csv").write_text(content, encoding="utf-8")
        return cli("update", "retractions", str(tmp_path / "given.csv"))

    return run


def test_a_table_is_updated_and_the_gravest_counts_unless_reinstated(
    update: Any, home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (update("a,b\n1,2\n"), "names no retracted paper" in capsys.readouterr().err) == (2, True)
    assert (update(ROWS), "the newest are of 2027-03" in capsys.readouterr().out) == (0, True)
    states = [marked(Document(id=f"PMID:{number}", text="One.")) for number in (81, 82, 83, 84)]
    assert [one.retraction for one in states] == ["retracted", "none", "none", "retracted"]
    assert states[0].cautions == (ON_THE_LIST, "Its notice is https://doi.org/10.1000/n.")
    assert doubt(states[2]) == "has a published correction"
    assert marked(Document(id="DOI:10.1000/n", text="One.")).retraction == "notice"
    titled = Document(id="DOC:1", title="ZORBAMINE in children with asthma. A long trial", text="One.")
    assert marked(titled).retraction == "retracted"
    again = marked(titled.model_copy(update={"identifiers": {"doi": "10.1000/again"}}))
    assert (again.retraction, doubt(again)) == ("none", "its title holds that of a retracted paper")
    table = retraction_table.table()
    assert table.old_at(date(2028, 3, 1)) == ""
    assert "medground update retractions" in table.old_at(date(2028, 4, 1))
    (home / retraction_table.FILE_NAME).write_bytes(b"no table")
    monkeypatch.setattr(retraction_table, "_held", None)
    refused(StorageFailed, "delete it", retraction_table.table)


def test_works_of_crossref_are_read_as_one_reply_as_a_list_and_line_by_line(update: Any) -> None:
    day = {"date-parts": [[2027, 5, 2]]}
    kinds = {"a": "retraction", "b": "expression_of_concern", "c": "correction", "d": "retraction_and_replacement"}
    works = [
        {"DOI": f"10.1000/N{name}", "update-to": [{"DOI": f"10.1000/{name}", "type": kind, "updated": day}]}
        for name, kind in kinds.items()
    ]
    for given in ({"message": {"items": works}}, works, "\n".join(map(json.dumps, works))):
        assert update(given if isinstance(given, str) else json.dumps(given)) == 0
        states = [marked(Document(id=f"DOI:10.1000/{name}", text="One.")) for name in kinds]
        assert [one.retraction for one in states] == ["retracted", "concern", "none", "retracted"]
    assert "Its notice is https://doi.org/10.1000/na." in states[0].cautions
    for broken in ("[" * 100_000, '[{"update-to": 5}]', '[{"update-to": [{"DOI": "10.1000/a"}]}]'):
        assert update(broken) == 2


@pytest.mark.parametrize("name", ["retraction_forms", "retraction_drawn"])
def test_a_retracted_paper_is_known_in_nearly_every_form(update: Any, tmp_path: Path, name: str) -> None:
    pytest.importorskip("reportlab")
    module, forms = import_module(name), import_module("retraction_forms")
    assert update(module.table_of_papers()) == 0
    known: Counter[str] = Counter()
    for number, form in enumerate(module.forms()):
        (tmp_path / str(number)).mkdir()
        known[forms.what_is_known(form, tmp_path / str(number))] += 1
    assert known.total() == 100
    assert known["identity"] >= 44 and known["identity"] + known["words"] + known["warned"] >= 98


TITLE = "Effect of aspirin on asthma attacks in children"
TEXT = (
    "Asthma is common in children. In a trial of 320 children, aspirin significantly reduced the rate of attacks. "
    "The trial was done in ten hospitals, and its patients were followed for two years by blinded assessors."
)
LISTED = max(int(name[5:]) for name in listed() if name.startswith("pmid:"))


def state(path: Path) -> str:
    """What the corpus would say of the one document of a file."""
    return marked(document_of(path)).retraction


@pytest.fixture
def page(tmp_path: Path) -> Callable[..., Path]:
    """Make a web page."""

    def make(head: str = "", banner: str = "", title: str = TITLE) -> Path:
        body = "".join(f"<p>{TEXT} This is part {i} of the text of the page.</p>" for i in range(4))
        html = f"<html><head><title>{title}</title>{head}</head><body><article><h1>{title}</h1>{banner}{body}"
        path = tmp_path / "page.html"
        path.write_text(f"<!doctype html>{html}</article></body></html>", encoding="utf-8")
        return path

    return make


@each_row("head", TABLES["heads"])
def test_a_page_gives_its_pmid_or_type_in_its_head(page: Callable[..., Path], head: str) -> None:
    assert state(page(head.format(LISTED))) == "retracted"
    for cited in ("DC.relation", "DCTERMS.references", "citation_reference"):
        assert state(page(f'<meta name="{cited}" content="pmid:{LISTED}">')) == "none"


@each_row(("banner", "expected"), TABLES["banners"])
def test_a_banner_above_the_text_of_a_page(page: Callable[..., Path], banner: str, expected: str) -> None:
    assert state(page(banner=banner)) == expected


def word_file(path: Path, *, before: str = "", after: str = "", **beside: str) -> Path:
    """A Word file; `beside` is `header`, `footer`, `watermark`, or a property."""
    import docx
    from docx.oxml import parse_xml

    file = docx.Document()
    if before:
        file.add_paragraph(before)
    file.add_heading(TITLE, 0)
    file.add_paragraph(TEXT)
    for line in filter(None, after.split("\n")):
        (file.add_heading(line[1:], 1) if line.startswith("#") else file.add_paragraph(line))
    section = file.sections[0]
    if mark := beside.pop("watermark", ""):
        names = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
        names += 'xmlns:v="urn:schemas-microsoft-com:vml"'
        shape = f'<v:shape type="#_x0000_t136"><v:textpath string="{mark}"/></v:shape>'
        section.header.paragraphs[0]._p.append(parse_xml(f"<w:r {names}><w:pict>{shape}</w:pict></w:r>"))
    for name, text in beside.items():
        if name in ("header", "footer"):
            getattr(section, name).paragraphs[0].text = text
        else:
            setattr(file.core_properties, name, text)
    file.save(str(path))
    return path


@each_row(("expected", "said"), TABLES["word_files"])
def test_what_a_word_file_says_beside_its_text(tmp_path: Path, expected: str, said: dict[str, str]) -> None:
    given = {name: text.format(LISTED) for name, text in said.items()}
    assert state(word_file(tmp_path / "a.docx", **given)) == expected


def pdf(path: Path, **said: Any) -> Path:
    """A PDF of two pages; see the parameters of the tests for what can be said."""
    import textwrap

    canvas = pytest.importorskip("reportlab.pdfgen.canvas")
    drawn = canvas.Canvas(str(path))
    for page in range(2):
        lines = [(8, said.get("head", "")), (12, "" if page else said.get("banner", ""))]
        lines += [] if page else [(16, TITLE), (10, "Anna Li, Bert Moss"), (10, said.get("line", "")), (10, "Abstract")]
        lines += [(10, part) for _ in range(4) for part in textwrap.wrap(f"{TEXT} {said.get('body', '')}", 95)]
        lines += [(10, part) for part in (said.get("references", ()) if page else ())]
        top = 800
        for size, text in lines:
            drawn.setFont("Helvetica-Bold" if size > 10 else "Helvetica", size)
            drawn.drawString(60, top, text)
            top -= 2 * size if size > 10 or len(text) < 30 else 13
        if mark := said.get("mark"):
            drawn.saveState()
            drawn.translate(300, 420)
            drawn.rotate(said.get("angle", 45))
            drawn.setFont("Helvetica-Bold", said.get("size", 80))
            drawn.setFillColorRGB(1, 0, 0, alpha=0.3)
            drawn.drawCentredString(0, 0, mark)
            drawn.restoreState()
        drawn.showPage()
    drawn.setTitle(said.get("title", ""))
    drawn.save()
    return path


@each_row(
    ("expected", "said"),
    [
        ("retracted", {"mark": "RETRACTED", "angle": 0}),
        ("retracted", {"mark": "RETRACTED", "angle": 90, "size": 14}),
        ("retracted", {"mark": "RETRACTED ARTICLE", "size": 44}),
        ("retracted", {"mark": "Withdrawn", "angle": 30}),
        ("retracted", {"banner": "This article has been retracted: see Thorax 2014;69:2."}),
        ("retracted", {"head": "RETRACTED: Aspirin and asthma attacks"}),
        ("retracted", {"title": f"RETRACTED: {TITLE}"}),
        ("retracted", {"line": "https://pubmed.ncbi.nlm.nih.gov/{}/"}),
        ("none", {"mark": "DRAFT"}),
        ("none", {"head": "Retracted papers in mental health"}),
        ("none", {"body": "As Li and others showed (PMID: {}), asthma is common."}),
        ("none", {"body": "This article has been retracted, as its readers were told."}),
        ("none", {"references": ("References", "1. Li A. RETRACTED: Asthma. Thorax 2011;66:1. PMID: {}")}),
    ],
)
def test_what_a_pdf_says_on_its_pages(tmp_path: Path, expected: str, said: dict[str, Any]) -> None:
    given = {name: text.format(LISTED) if isinstance(text, str) else text for name, text in said.items()}
    assert state(pdf(tmp_path / "a.pdf", **given)) == expected


def test_a_watermark_is_no_part_of_the_text_and_its_reader_is_told(tmp_path: Path) -> None:
    document = document_of(pdf(tmp_path / "a.pdf", mark="RETRACTED"))
    assert document.cautions == ("The file is marked as retracted: “RETRACTED”",)
    assert document.title == TITLE
    assert "RETRACTED" not in document.text


@each_row("name", ["Stamp", "FreeText"])
def test_a_stamp_that_a_viewer_draws_over_a_pdf(tmp_path: Path, name: str) -> None:
    import pypdfium2
    import pypdfium2.raw as raw

    file = pypdfium2.PdfDocument(pdf(tmp_path / "plain.pdf"))
    kind = {"Stamp": raw.FPDF_ANNOT_STAMP, "FreeText": raw.FPDF_ANNOT_FREETEXT}[name]
    sheet = file[0]
    note = raw.FPDFPage_CreateAnnot(sheet.raw, kind)
    words = io.BytesIO("RETRACTED\0".encode("utf-16-le")).getvalue()
    raw.FPDFAnnot_SetStringValue(note, b"Contents", (raw.FPDF_WCHAR * (len(words) // 2)).from_buffer_copy(words))
    raw.FPDFPage_CloseAnnot(note)
    sheet.close()
    file.save(str(tmp_path / "stamped.pdf"))
    file.close()
    assert state(tmp_path / "stamped.pdf") == "retracted"


@each_row(("lines", "expected"), TABLES["ris"])
def test_the_pmid_of_a_ris_record(tmp_path: Path, lines: str, expected: str) -> None:
    path = tmp_path / "a.ris"
    path.write_text(f"TY  - JOUR\nTI  - {TITLE}\nAB  - {TEXT}\n{lines.format(LISTED)}\nER  - \n", encoding="utf-8")
    assert state(path) == expected


@each_row(
    ("fields", "expected"),
    [
        ({"id": f"MED:{LISTED}"}, "retracted"),
        ({"id": f"MED/{LISTED}"}, "retracted"),
        ({"id": "MED:12"}, "none"),
        ({"id": str(LISTED), "source": "MED"}, "retracted"),
        ({"article_pmid": LISTED}, "retracted"),
        ({"cited_pmid": LISTED}, "none"),
        ({"commentCorrectionList": {"commentCorrection": [{"type": "Retraction in"}]}}, "retracted"),
        ({"relation": {"is-retracted-by": [{"id": "10.1000/x"}]}}, "retracted"),
        ({"retraction": False}, "none"),
        ({"keywords": ["asthma", "Retracted Publication"]}, "retracted"),
        ({"keywords": ["Retracted publications as topic"]}, "none"),
        ({"RetractionNature": "Retraction"}, "retracted"),
        ({"RetractionNature": "Correction"}, "none"),
    ],
)
def test_what_records_of_databases_say(tmp_path: Path, fields: dict[str, Any], expected: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"title": TITLE, "abstract": TEXT} | fields), encoding="utf-8")
    assert state(path) == expected


@each_row(
    ("name", "start", "expected"),
    [
        ("a.txt", "RETRACTED: Effect of aspirin\n\n", "retracted"),
        ("a.md", "# Effect of aspirin\n\n**RETRACTED ARTICLE**\n\n", "retracted"),
        ("a.md", "# Retracted papers\n\nOne paper has been retracted.\n\n", "none"),
    ],
)
def test_a_text_says_it_above_its_first_paragraph(tmp_path: Path, name: str, start: str, expected: str) -> None:
    (tmp_path / name).write_text(start + TEXT, encoding="utf-8")
    assert state(tmp_path / name) == expected


@each_row("given", TABLES["substances"])
@each_row("key", ["substances", "chemicalList"])
def test_substances_of_a_record_are_not_its_keywords(tmp_path: Path, key: str, given: Any) -> None:
    path = tmp_path / "a.jsonl"
    record = {"pmid": 1, "title": TITLE, "abstract": TEXT, "keywords": ["asthma"], key: given}
    path.write_text(json.dumps(record), encoding="utf-8")
    document = document_of(path)
    found = [(one.name, one.number) for one in document.substances]
    assert found == [("Aspirin", "0"), ("Platelet Aggregation Inhibitors", "0")]
    assert document.keywords == ("asthma",)
    assert document.metadata == {}
