"""An answer as plain values: the words of the terminal, citations that hold, and nothing hidden in a text."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from typing import Any, get_args

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rows import each_row

from medground.graph.relation import Concept, Relation, frequency, line, read_line
from medground.values.answer import Answer, Search, SourceDocument
from medground.values.decision import Notice
from medground.values.evidence import Evidence
from medground.values.question import Follows, Question
from medground.values.report import Attachment, Connection, FlowRow, Report, ReportSection, SubAnswer
from medground.values.research_plan import Keyword, ResearchPlan, SubQuestion
from medground.values.statement import Label, Statement, Verdict
from medground.wording.text import as_text
from medground.wording.view import LOOKS, view
from medground.wording.view_types import AnswerView

MakeAnswer = Callable[..., Answer]
HIDDEN = "\u202e\u200b\u2066\x1b[31m\ufeff\xad"


def flat(text: str) -> str:
    return " ".join(text.split())


def texts(value: Any) -> Iterator[str]:
    """Every text anywhere in a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from texts(inner)


def test_words_are_those_of_the_terminal(full: Answer) -> None:
    shown, printed = view(full), flat(as_text(full, details=True, width=10_000))
    words = [shown.headline, shown.reason, shown.support, *shown.notes, *shown.details, shown.conflicts_heading]
    words += [verdict.words for sentence in shown.sentences for verdict in sentence.verdicts]
    words += [conflict.words for conflict in shown.conflicts]
    words += [f"{side.name}:" for conflict in shown.conflicts for side in conflict.sides]
    words += [document.reference for document in shown.documents]
    words += [document.retraction_words for document in shown.documents]
    words += [dropped.reason for dropped in shown.dropped]
    words += [search.words for search in shown.searches if search.status == "failed"]
    assert [word for word in words if word not in printed] == []
    assert shown.corpora == ("papers",)


def test_each_label_has_a_shape_of_its_own() -> None:
    assert set(LOOKS) == set(get_args(Label))
    assert len({one for one, _, _ in LOOKS.values()}) == len({one for _, one, _ in LOOKS.values()}) == len(LOOKS)


def test_clauses_sources_and_searches_of_an_answer(full: Answer) -> None:
    shown = view(full)
    first, documents = shown.sentences[0], shown.documents
    assert first.text == "Aspirin prevents stroke, and it raises bleeding."
    assert first.citations == ("E1", "E2")
    assert [(v.text, v.label, v.shape, v.deciding) for v in first.verdicts] == [
        ("Aspirin prevents stroke,", "partly", "half", "E1"),
        ("and it raises bleeding.", "not found", "gap", None),
    ]
    numbered = ["PMID:1", "PMID:2", "DOI:10.1/x", "PMID:4", "PMID:5"]
    assert [(d.number, d.id) for d in documents] == list(enumerate(numbered, start=1))
    assert documents[0].url == "https://pubmed.ncbi.nlm.nih.gov/1/"
    assert (documents[0].design, documents[0].evidence) == ("randomized controlled trial", ("E1",))
    assert documents[1].retraction_words.startswith("An expression of concern")
    assert (documents[4].aside, documents[4].retraction_words) == ("retracted", "RETRACTED: not used as evidence.")
    assert [(s.name, s.query, s.status, s.words) for s in shown.searches] == [
        ("corpus papers", "aspirin[mesh]", "found", "12 passages."),
        ("corpus papers", "stroke[mesh]", "empty", "No passages."),
        ("pubmed", "aspirin", "failed", "Could not search pubmed: no reply in 30 s."),
    ]


def test_an_address_that_could_run_something_is_no_link(make_answer: MakeAnswer) -> None:
    for address in ("javascript:alert(1)", "data:text/html,x", "https://a/ b", 'https://a/"onclick=x'):
        page = SourceDocument(id="PMID:1", title="A", kind="web", url=address)
        other = SourceDocument(id="PMID:2", title="B", kind="web")
        assert view(make_answer(documents=(page, other))).documents[0].url == ""


def test_nothing_hidden_is_left_in_any_text(make_answer: MakeAnswer) -> None:
    quote = f"Aspirin{HIDDEN} may prevent stroke."
    said = f"Aspirin {HIDDEN} prevents."
    asked = Question.ask(f"Does {HIDDEN} aspirin work?", context=f"A {HIDDEN} case")
    verdict = Verdict(label="not judged", critic=f"m{HIDDEN}", note=f"a note {HIDDEN}")
    answer = make_answer(
        question=asked.model_copy(update={"task": "yes-no"}),
        rationale=f"{said} [E1]",
        statements=(Statement(text=said, start=0, end=len(said), evidence=("E1",), verdict=verdict),),
        evidence=(Evidence(id="E1", document_id="PMID:1", start=0, end=len(quote), quote=quote, section=HIDDEN),),
        documents=(SourceDocument(id="PMID:1", title=f"T{HIDDEN}", journal=HIDDEN, kind="web", cautions=(HIDDEN,)),),
        searches=(Search(source=f"s{HIDDEN}", query=f"q {HIDDEN}", status="failed", error=HIDDEN),),
        warnings=(f"w{HIDDEN}",),
        stopped=f"s{HIDDEN}",
    )
    shown = view(answer)
    hidden = [t for t in texts(shown.model_dump(mode="json")) for c in t if unicodedata.category(c) in ("Cc", "Cf")]
    assert hidden == []
    assert len(shown.evidence[0].quote) == shown.evidence[0].end - shown.evidence[0].start


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=60)
@given(pieces=st.lists(st.tuples(st.text(min_size=1, max_size=30), st.sampled_from(get_args(Label))), max_size=5))
def test_citations_and_offsets_hold_for_any_text(make_answer: MakeAnswer, pieces: list[tuple[str, Label]]) -> None:
    rationale, statements = "", []
    for text, label in pieces:
        statements.append(
            Statement(
                text=text,
                start=len(rationale),
                end=len(rationale) + len(text),
                evidence=("E1",),
                verdict=Verdict(label=label, critic="keyless"),
            )
        )
        rationale += f"{text} [E1] "
    answer = make_answer(rationale=rationale, statements=tuple(statements))
    shown = view(answer)
    assert [(s.start, s.end) for s in shown.sentences] == [(s.start, s.end) for s in statements]
    for sentence in shown.sentences:
        assert shown.rationale[sentence.start : sentence.end] == sentence.text
    known = {quote.id: quote for quote in shown.evidence}
    assert [(q.document_id, q.start, q.end) for q in known.values()] == [
        (q.document_id, q.start, q.end) for q in answer.evidence
    ]
    assert AnswerView.model_validate_json(shown.model_dump_json()) == shown


def test_a_fact_of_a_graph_is_a_row(make_answer: MakeAnswer) -> None:
    quote = "Ectopia lentis (HP:0001083): 45 of 58 patients, onset: Childhood onset; PMID:2, PMID:3."
    answer = make_answer(
        evidence=(
            Evidence(
                id="E1", document_id="OMIM:154700", start=5, end=5 + len(quote), quote=quote, origin="graph",
                section="Clinical features",
            ),
        ),
        documents=(SourceDocument(id="OMIM:154700", title="Marfan syndrome", kind="graph"),),
    )  # fmt: skip
    fact = view(answer).facts[0]
    assert (fact.subject, fact.relation) == ("Marfan syndrome (OMIM:154700)", "Clinical features")
    assert (fact.object, fact.frequency) == (
        "Ectopia lentis (HP:0001083)",
        "45 of 58 patients, onset: Childhood onset",
    )
    assert (fact.references, fact.evidence) == (("PMID:2", "PMID:3"), "E1")


NAMES = st.text(alphabet="abcdefg (),;:-'", min_size=1, max_size=25).map(lambda name: f"x{name.strip()}")


@given(
    name=NAMES,
    stored=st.sampled_from(["", "HP:0040281", "45/58", "12%", "0/3"]),
    negated=st.booleans(),
    sex=st.sampled_from(["", "male"]),
    onset=st.sampled_from(["", "Adult onset"]),
    references=st.lists(st.sampled_from(["PMID:1", "OMIM:154700", "ISBN-13:978-0"]), max_size=3, unique=True),
)
def test_a_line_is_read_as_it_was_written(
    name: str, stored: str, negated: bool, sex: str, onset: str, references: list[str]
) -> None:
    thing = Concept("HP:0001083", name, "phenotype")
    relation = Relation(
        Concept("OMIM:1", "Some", "disease"),
        "feature",
        thing,
        frequency=frequency(stored),
        negated=negated,
        sex=sex,
        onset=onset,
        references=tuple(references),
    )
    found = read_line(line(relation))
    assert (found.object, found.references) == (thing.label, tuple(references))
    assert relation.frequency is None or negated or found.details.startswith(relation.frequency.words)


@each_row("text", ["A subluxation of the lens.", "Lens (part of it): it is displaced; see also HP:1.", ""])
def test_a_line_of_another_form_is_all_object(text: str) -> None:
    assert read_line(text) == (text, "", ())


def test_a_follow_up_a_notice_and_a_stop_are_told(make_answer: MakeAnswer) -> None:
    follows = Follows(answer="t0", question="Is aspirin safe?", asked="does it prevent stroke?")
    notice = Notice(kind="treatment", sentence="Talk to a doctor.")
    asked = Question.ask("Does aspirin prevent stroke?", task="yes-no").model_copy(update={"follows": follows})
    shown = view(make_answer(question=asked, notice=notice, stopped="the budget is used up"))
    assert (shown.follows, shown.notice and shown.notice.sentence) == ("t0", "Talk to a doctor.")
    assert "was read as" in shown.read_as
    assert shown.stopped == "The budget is used up."


def test_a_report_keeps_its_sections_and_words(make_answer: MakeAnswer) -> None:
    rationale = "Aspirin prevents stroke. [E1] Nothing else is known."
    statements = tuple(
        Statement(text=t, start=rationale.index(t), end=rationale.index(t) + len(t), evidence=e, verdict=v)
        for t, e, v in (
            ("Aspirin prevents stroke.", ("E1",), Verdict(label="related", critic="keyless")),
            ("Nothing else is known.", (), Verdict(label="not judged", critic="keyless")),
        )
    )
    plan = ResearchPlan(
        question="Does aspirin work?",
        subquestions=(
            SubQuestion(id="q1", text="Does it prevent stroke?", keywords=("aspirin",)),
            SubQuestion(id="q2", text="Is it safe?"),
        ),
        keywords=(Keyword(name="aspirin", tools=("literature",)),),
    )
    report = Report(
        plan=plan,
        sections=(
            ReportSection(kind="findings", title="Stroke", start=0, end=29, subquestion="q1"),
            ReportSection(kind="limitations", title="Limitations", start=30, end=len(rationale), notes=("pubmed: no",)),
        ),
        subanswers=(
            SubAnswer(id="q1", state="answered", evidence=("E1",), answered_by="keyless"),
            SubAnswer(id="q2", state="failed", reason="pubmed did not reply"),
        ),
        connections=(Connection(first="q1", second="q2", relation="supports", found_by="keyless", about="aspirin"),),
        flow=(FlowRow(subquestion="q1", tool="literature", found=3, merged=1, kept=2),),
        attachments=(
            Attachment(name="plan.svg", media_type="image/svg+xml", sha256="0" * 64, size=1200, title="The plan"),
        ),
    )
    answer = make_answer(rationale=rationale, statements=statements, report=report)
    shown, printed = view(answer).report, flat(as_text(answer, width=10_000))
    assert shown is not None
    assert [(s.title, s.sentences) for s in shown.sections] == [("Stroke", (0,)), ("Limitations", (1,))]
    assert [s.section for s in view(answer).sentences] == [0, 1]
    words = [one.words for one in (*shown.subanswers, *shown.connections, *shown.files)]
    words += [shown.connections[0].found_by, *shown.sections[1].notes]
    assert [word for word in words if word not in printed] == []
