"""An answer that holds together, and the ids of its papers."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from refusals import refused
from rows import each_row

from medground.errors import MedgroundError
from medground.values.answer import Answer, SourceDocument
from medground.values.decision import YesNoDecision
from medground.values.document import Document, Hit, Passage, Section
from medground.values.evidence import Evidence, Ledger, UnknownCitation
from medground.values.identifiers import normal_doi, normal_id, normal_pmc, normal_pmid, paper_names
from medground.values.question import Question

EVIDENCE = {"id": "E1", "document_id": "PMID:1", "start": 0, "end": 3, "quote": "It."}
STATED = {"text": "It.", "start": 0, "end": 3, "evidence": ["E1"], "verdict": {"label": "supported", "critic": "c"}}


def answer(**changes: Any) -> Answer:
    content: dict[str, Any] = {
        "id": "a",
        "question": Question.ask("Is it?", task="yes-no"),
        "decision": {"task": "yes-no", "status": "decided", "value": "yes", "basis": "model"},
        "rationale": "It. [E1]",
        "statements": [STATED],
        "evidence": [EVIDENCE],
        "documents": [SourceDocument(id="PMID:1", title="t", kind="research")],
        "recipe": "ground",
        "settings_hash": "h",
        "trace_id": "t",
        "created": datetime(2026, 1, 1, tzinfo=UTC),
    }
    return Answer.model_validate(content | changes)


def test_an_answer_survives_json() -> None:
    whole = answer()
    assert Answer.model_validate_json(whole.model_dump_json()) == whole


RETRACTED = SourceDocument(id="PMID:1", title="t", kind="research", retraction="retracted")


@each_row(
    ("changes", "message"),
    [
        ({"statements": [STATED | {"evidence": ["E9"]}]}, "unknown evidence E9"),
        ({"documents": []}, "does not list"),
        ({"rationale": "No. [E1]"}, "not a slice"),
        ({"documents": [RETRACTED]}, "only retracted papers and notices"),
        (dict.fromkeys(("statements", "evidence", "documents"), ()) | {"rationale": ""}, "a decision but no evidence"),
    ],
)
def test_an_answer_that_does_not_hold_together_cannot_be_written(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        answer(**changes)


@each_row(
    "decision",
    [
        {"status": "decided", "value": "yes"},
        {"status": "decided", "basis": "model"},
        {"status": "unanswerable", "value": "no", "basis": "model"},
        {"status": "decided", "value": "maybe", "basis": "model"},
    ],
)
def test_inconsistent_decisions_are_refused(decision: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        YesNoDecision.model_validate(decision)


TEXT = "Aspirin lowered the risk. \U0001f9ec Bleeding rose (p < 0.05)."
PAPER = Document(id="PMID:1", title="A trial", text=TEXT, sections=(Section(label="RESULTS", start=0, end=len(TEXT)),))


@given(st.integers(-5, 80), st.integers(-5, 80))
def test_a_quote_is_its_slice_or_refused(start: int, end: int) -> None:
    ledger = Ledger()
    ledger.admit([PAPER])
    if 0 <= start < end <= len(TEXT):
        evidence = ledger.quote("PMID:1", start, end)
        assert evidence.quote == TEXT[start:end]
        assert evidence.section == "RESULTS"
        assert ledger.quote("PMID:1", start, end) is evidence
        ledger.cite(evidence.id)
    else:
        with pytest.raises(UnknownCitation):
            ledger.quote("PMID:1", start, end)


def test_what_was_not_retrieved_cannot_be_quoted_or_cited() -> None:
    ledger = Ledger()
    refused(UnknownCitation, "PMID:2 was not retrieved", ledger.quote, "PMID:2", 0, 3)
    refused(UnknownCitation, "no evidence", ledger.cite, "E1")


def test_a_forged_quote_is_refused_when_read_back() -> None:
    ledger = Ledger()
    ledger.admit([PAPER])
    stored = ledger.quote("PMID:1", 0, 7).model_dump()
    context = {"documents": {PAPER.id: PAPER}}
    assert Evidence.model_validate(stored, context=context).quote == "Aspirin"
    with pytest.raises(ValidationError, match="the quote is not in"):
        Evidence.model_validate(stored | {"quote": "Heparin"}, context=context)
    with pytest.raises(ValidationError, match="differ in length"):
        Evidence.model_validate(stored | {"quote": "Warfarin"})


def test_one_id_has_one_text() -> None:
    ledger = Ledger()
    ledger.admit([PAPER, PAPER])
    refused(MedgroundError, "different texts", lambda: ledger.admit([Document(id="PMID:1", text="other")]))


@each_row("bad", ["21645374", "PMID:", "PMID:1 2", "PMID:1#3", "<b>:1", "PMID:1\n", "P" * 40 + ":1", "PMID:1\u202e2"])
def test_document_ids_have_one_form(bad: str) -> None:
    with pytest.raises(ValidationError):
        Document(id=bad, text="x")


def test_impossible_values_are_refused() -> None:
    for spans in ([(0, 9)], [(0, 3), (2, 4)]):
        with pytest.raises(ValidationError):
            Document(id="PMID:1", text="abcd", sections=tuple(Section(label="A", start=s, end=e) for s, e in spans))
    with pytest.raises(ValidationError):
        Passage(document_id="PMID:1", start=0, end=4, text="abc")
    with pytest.raises(ValidationError):
        Hit(passage=Passage(document_id="PMID:1", start=0, end=3, text="abc"), ranker="bm25", rank=0, score=1.0)


SUFFIX = st.text("abcdefghijklmnopqrstuvwxyz0123456789-_/", min_size=1, max_size=30).filter(lambda t: t[-1] != "/")
DOIS = st.builds(
    lambda number, start, inner, end: f"10.{number}/{start}({inner}){end}",
    st.integers(1000, 999_999_999),
    SUFFIX,
    SUFFIX,
    SUFFIX,
)
AROUND = st.sampled_from(
    ["{}", "https://doi.org/{}", "http://dx.doi.org/{}", "doi:{}", "DOI: {}.", "({})", "<{}>", "{},", " {}; ", '"{}"']
)


@given(DOIS, AROUND, st.booleans())
def test_a_doi_is_the_same_however_it_is_written(doi: str, around: str, upper: bool) -> None:
    assert normal_doi(around.format(doi.upper() if upper else doi)) == doi


@given(st.text())
def test_a_normal_form_stays(text: str) -> None:
    for kind in ("pmid", "pmc", "doi"):
        normal = normal_id(kind, text)
        assert normal is None or normal_id(kind, normal) == normal


@each_row(
    ("written", "doi"),
    [
        ("https://doi.org/10.1016%2FS0140-6736%2805%2967889-0", "10.1016/s0140-6736(05)67889-0"),
        (
            "10.1002/(SICI)1097-0258(19980815/30)17:15/16&lt;1661::AID-SIM968&gt;3.0.CO;2-2",
            "10.1002/(sici)1097-0258(19980815/30)17:15/16<1661::aid-sim968>3.0.co;2-2",
        ),
        ("10.1/x", None),
        ("", None),
    ],
)
def test_dois_as_people_write_them(written: str, doi: str | None) -> None:
    assert normal_doi(written) == doi


@each_row(
    "written", ["21645374", " 0021645374 ", "PMID: 21645374", "https://pubmed.ncbi.nlm.nih.gov/21645374/", "21645374.2"]
)
def test_pmids_as_people_write_them(written: str) -> None:
    assert normal_pmid(written) == "21645374"


def test_what_is_not_an_id() -> None:
    assert [normal_pmid(text) for text in ("0", "10.1000/123", "abc", "1" * 11)] == [None] * 4
    assert [normal_pmc(text) for text in ("PMC", "PMC0", "10.1000/123", "x1")] == [None] * 4
    assert normal_pmc("https://pmc.ncbi.nlm.nih.gov/articles/pmc0065.1/") == normal_pmc("65") == "PMC65"


def test_the_names_of_a_paper() -> None:
    ids = {"doi": "https://doi.org/10.1000/X.", "pmid": "7", "omim": "1"}
    assert paper_names("PMC:PMC9", ids) == ("pmid:7", "pmc:PMC9", "doi:10.1000/x")
    assert paper_names("DOI:10.1000/x", {"doi": "10.1000/X"}) == ("doi:10.1000/x",)
    assert paper_names("FILE:a.pdf", {"doi": "unknown"}) == ()
