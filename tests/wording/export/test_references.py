"""RIS, BibTeX and CSL-JSON, read back by programs that are not ours."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import bibtexparser
import pytest
import rispy
from bibtexparser.middlewares import SeparateCoAuthors
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from rows import each_row

from medground.errors import UsageError
from medground.language.names import Name, name_of
from medground.values.answer import Answer, SourceDocument
from medground.wording.export import export, format_of
from medground.wording.reference import listed_sources, one_line

ODD = ["}\n@article{evil, title={x}}", "x\r\nER  - \r\nTY  - JOUR\r\nTI  - evil", "\\input{/etc/passwd} \\write18{rm}"]
ODD += ["{ unbalanced", "50% of $10 & #1_a ^ ~ \\", 'a "quoted" <b>bold</b>\u2028next\x85line\x1cone']
HOSTILE = st.text(max_size=60) | st.sampled_from(ODD)
NAMED = dict(zip(("backslash", "braceleft", "braceright", "asciicircum", "asciitilde"), "\\{}^~", strict=True))
DECODED = {f"{{\\text{name}}}": sign for name, sign in NAMED.items()} | {f"\\{sign}": sign for sign in "$&#%_"}


def decoded(value: str) -> str:
    """What LaTeX prints for a value."""
    pattern = "|".join(map(re.escape, DECODED))
    return re.sub(pattern, lambda found: DECODED[found[0]], value)


def read_ris(answer: Answer) -> list[dict[str, object]]:
    return rispy.loads(export(answer, "ris").decode())


def read_bibtex(answer: Answer) -> bibtexparser.Library:
    library = bibtexparser.parse_string(export(answer, "bibtex").decode(), parse_stack=[])
    assert not library.failed_blocks
    return library


def test_ris_is_read_by_rispy(answer: Answer) -> None:
    trial, page = read_ris(answer)
    assert (trial["type_of_reference"], page["type_of_reference"]) == ("JOUR", "ELEC")
    assert trial["title"] == "A trial of aspirin & statins in 10% of {men}"
    assert trial["authors"] == ["van der Berg, J. A.", "Müller, K.", "The Aspirin Trial Group,"]
    assert (trial["year"], trial["volume"], trial["number"]) == ("2001", "357", "9250")
    assert (trial["start_page"], trial["end_page"]) == ("10", "2")
    assert (trial["doi"], trial["accession_number"]) == ("10.1016/S0140-6736(01)05627-6", "1")
    assert trial["notes"] == ["[E1] “Quote of PMID:1.” (results, p. 3)"]
    assert page["urls"] == ["https://example.org/a?x=1&y=2"]
    assert page["notes"] == ["[E2] “Quote of DOI:10.1000/x.” (results)"]


def test_bibtex_is_read_by_bibtexparser(answer: Answer) -> None:
    trial, page = read_bibtex(answer).entries
    assert (trial.entry_type, trial.key) == ("article", "Berg2001")
    assert (page.entry_type, page.key) == ("misc", "DOI101000x")
    fields = {field.key: str(field.value)[1:-1] for field in trial.fields}
    assert decoded(fields["title"][1:-1]) == "A trial of aspirin & statins in 10% of {men}"
    assert fields["author"] == "van der Berg, J. A. and Müller, K. and {The Aspirin Trial Group}"
    assert (fields["pages"], fields["pmid"], fields["pmcid"]) == ("10--2", "1", "PMC12")
    assert fields["annote"] == "[E1] “Quote of PMID:1.” (results, p. 3)"


def test_csl_json_names_what_a_processor_reads(answer: Answer) -> None:
    trial, page = json.loads(export(answer, "csl-json"))
    assert (trial["type"], trial["issued"], trial["page"]) == ("article-journal", {"date-parts": [[2001]]}, "10-2")
    assert trial["author"][0] == {"family": "van der Berg", "given": "J. A."}
    assert trial["author"][2] == {"literal": "The Aspirin Trial Group"}
    assert trial["note"] == "[E1] “Quote of PMID:1.” (results, p. 3)"
    assert (page["type"], page["URL"], page["DOI"]) == ("webpage", "https://example.org/a?x=1&y=2", "10.1000/x")


@given(title=HOSTILE, journal=HOSTILE, author=HOSTILE, quote=HOSTILE.filter(bool), volume=HOSTILE, doi=HOSTILE)
def test_no_text_of_a_document_leaves_its_field(
    answered: Callable[..., Answer], title: str, journal: str, author: str, quote: str, volume: str, doi: str
) -> None:
    told = {"title": title, "journal": journal, "authors": (author,), "url": f"https://example.org/{doi}"}
    told |= {"imprint": {"volume": volume}, "identifiers": {"doi": doi}}
    document = SourceDocument(id="X:1", kind="research", **told)  # type: ignore[arg-type]
    answer = answered(document, SourceDocument(id="X:2", title="Last", kind="web"), quotes=(quote, "Fine."))
    first, last = read_ris(answer)
    wanted = listed_sources(answer)[0].title
    assert first["title"] == wanted
    assert last["title"] == "Last"
    assert any(one_line(quote) in str(note) for note in first["notes"])  # type: ignore[attr-defined]
    entries = read_bibtex(answer).entries
    assert [decoded(str(e.fields_dict["title"].value)[2:-2]) for e in entries] == [wanted, "Last"]
    assert one_line(quote) in decoded(str(entries[0].fields_dict["annote"].value))
    assert json.loads(export(answer, "csl-json"))[0]["title"] == wanted


@each_row(
    ("text", "name"),
    [
        ("van der Berg J-P", Name("van der Berg", "J. P.")),
        ("Smith, John A.", Name("Smith", "John A.")),
        ("O'Brien É", Name("O'Brien", "É.")),
        ("NHS UK GP", Name("NHS UK GP")),
        ("Smith, John, Jr", Name("Smith", "John", "Jr")),
        ("Smith JA 3rd", Name("Smith", "J. A.", "3rd")),
        ("Smith, John, MD, PhD", Name("Smith, John, MD, PhD")),
        ("van der Waals J. D.", Name("van der Waals", "J. D.")),
        ("John Smith", Name("John Smith")),
        ("王伟", Name("王伟")),
    ],
)
def test_a_name_is_taken_apart_only_where_its_form_tells(text: str, name: Name) -> None:
    assert name_of(text) == name


def test_a_name_with_and_in_it_stays_one_author(answered: Callable[..., Answer]) -> None:
    paper = SourceDocument(id="X:1", title="T", kind="research", authors=("Rand and Sand JA", "Li J"))
    text = export(answered(paper), "bibtex").decode()
    library = bibtexparser.parse_string(text, append_middleware=[SeparateCoAuthors()])
    assert library.entries[0]["author"] == ["{Rand and Sand}, J. A.", "Li, J."]


def test_keys_are_unique(answered: Callable[..., Answer]) -> None:
    paper = {"title": "T", "kind": "research", "year": 2001, "authors": ("Li J",)}
    papers = [SourceDocument(id=f"PMID:{n}", **paper) for n in range(1, 5)]  # type: ignore[arg-type]
    assert [e.key for e in read_bibtex(answered(*papers)).entries] == ["Li2001", "Li2001-2", "Li2001-3", "Li2001-4"]


@each_row(
    ("fields", "ris", "bibtex", "csl"),
    [
        ({"kind": "book"}, "BOOK", "book", "book"),
        ({"kind": "book", "journal": "GeneReviews"}, "CHAP", "incollection", "chapter"),
        ({"kind": "guideline"}, "RPRT", "techreport", "report"),
        ({"kind": "research"}, "GEN", "misc", "document"),
    ],
)
def test_every_kind_of_source_has_a_type(
    answered: Callable[..., Answer], fields: dict[str, str], ris: str, bibtex: str, csl: str
) -> None:
    answer = answered(SourceDocument(id="X:1", title="T", **fields))  # type: ignore[arg-type]
    assert read_ris(answer)[0]["type_of_reference"] == ris
    assert read_bibtex(answer).entries[0].entry_type == bibtex
    assert json.loads(export(answer, "csl-json"))[0]["type"] == csl


SICI = "10.1002/(SICI)1097-0258(19980815/30)17:15/16<1661::AID-SIM968>3.0.CO;2-2"


@each_row(
    ("given", "doi"),
    [(SICI, SICI), (f"https://doi.org/{SICI.replace('<', '%3C').replace('>', '%3E')}", SICI), ("not a DOI", "")],
)
def test_a_doi_is_whole_or_absent(answered: Callable[..., Answer], given: str, doi: str) -> None:
    answer = answered(SourceDocument(id="X:1", title="T", kind="research", identifiers={"doi": given}))
    (ris,), (csl,), (bib,) = read_ris(answer), json.loads(export(answer, "csl-json")), read_bibtex(answer).entries
    found = bib.fields_dict.get("doi")
    assert (ris.get("doi", ""), csl.get("DOI", ""), str(found.value)[1:-1] if found else "") == (doi, doi, doi)


def test_ris_keeps_the_rules_of_the_format(answered: Callable[..., Answer]) -> None:
    """Two capitals or digits, two spaces, a hyphen, a space; `ER` ends a record; no asterisk in names and journals."""
    authors = ("Smi*th JA Jr", "A Group, of*the Study")
    paper = SourceDocument(id="X:1", title="T.", kind="research", journal="J*", authors=authors, retraction="concern")
    assert str(read_ris(answered(paper))[0]["notes"][0]).startswith("An expression of concern")  # type: ignore[index]
    lines = export(answered(paper), "ris").decode().split("\r\n")
    assert all(re.fullmatch(r"[A-Z][A-Z0-9]  - .*", line) for line in lines[:-1])
    assert (lines[0], lines[-2:]) == ("TY  - JOUR", ["ER  - ", ""])
    found = [line for line in lines if line[:2] in ("AU", "TI", "T2")]
    assert found == ["AU  - Smi th, J. A., Jr", "AU  - A Group of the Study,", "TI  - T", "T2  - J"]


def test_a_suffix_of_a_name_keeps_its_place(answered: Callable[..., Answer]) -> None:
    answer = answered(SourceDocument(id="X:1", title="T", kind="research", authors=("King ML Jr",)))
    assert str(read_bibtex(answer).entries[0].fields_dict["author"].value) == "{King, Jr, M. L.}"
    assert json.loads(export(answer, "csl-json"))[0]["author"] == [{"family": "King", "given": "M. L.", "suffix": "Jr"}]


def test_no_address_that_runs_and_no_reference_without_a_quote(answered: Callable[..., Answer]) -> None:
    answer = answered(SourceDocument(id="X:1", title="T", kind="web", url="javascript:alert(1)"))
    assert b"javascript" not in export(answer, "ris") + export(answer, "bibtex") + export(answer, "csl-json")
    empty = answered().model_copy(update={"statements": (), "rationale": ""})
    refused(UsageError, "quotes no source", export, empty, "ris")


def test_the_format_is_named_or_told_by_the_file(answer: Answer) -> None:
    names = {"a.RIS": "ris", "a.bib": "bibtex", "a.json": "csl-json", "a.md": "markdown", "a.docx": "docx"}
    assert {name: format_of(Path(name)) for name in names} == names
    refused(UsageError, r"cannot tell the format from the name a\.txt", lambda: format_of(Path("a.txt")))
    with pytest.raises(UsageError, match="unknown format 'odt'"):
        export(answer, "odt")  # type: ignore[arg-type]
