"""An answer as plain values: the words of the terminal, citations that hold, and nothing hidden in a text."""

import unicodedata
from collections.abc import Callable, Iterator
from typing import Any, get_args

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from researched import found, reported
from rows import each_row

from medground.graph.relation import Concept, Relation, frequency, line, read_line
from medground.values.answer import Answer, Search, SourceDocument
from medground.values.decision import Notice
from medground.values.evidence import Evidence
from medground.values.question import Follows, Question
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
        ("papers", "aspirin[mesh]", "found", "12 passages."),
        ("papers", "stroke[mesh]", "empty", "No passages."),
        ("pubmed", "aspirin", "failed", "Could not search pubmed: no reply in 30 s."),
    ]


@each_row("address", ["javascript:alert(1)", "data:text/html,x", "https://a/ b", 'https://a/"onclick=x'])
def test_an_address_that_could_run_something_is_no_link(make_answer: MakeAnswer, address: str) -> None:
    page, other = (SourceDocument(id=f"PMID:{n}", title="A", kind="web", url=address) for n in (1, 2))
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
    rationale, statements = "", list[Statement]()
    for text, label in pieces:
        start, verdict = len(rationale), Verdict(label=label, critic="keyless")
        end = start + len(text)
        statements.append(Statement(text=text, start=start, end=end, evidence=("E1",), verdict=verdict))
        rationale += f"{text} [E1] "
    answer = make_answer(rationale=rationale, statements=tuple(statements))
    shown = view(answer)
    assert [(s.start, s.end) for s in shown.sentences] == [(s.start, s.end) for s in statements]
    for sentence in shown.sentences:
        assert shown.rationale[sentence.start : sentence.end] == sentence.text
    shown_at, known_at = ([(q.id, q.start, q.end) for q in one.evidence] for one in (shown, answer))
    assert shown_at == known_at
    assert AnswerView.model_validate_json(shown.model_dump_json()) == shown


def test_a_fact_of_a_graph_is_a_row(make_answer: MakeAnswer) -> None:
    quote = "Ectopia lentis (HP:0001083): 45 of 58 patients, onset: Childhood onset; PMID:2, PMID:3."
    page = SourceDocument(id="OMIM:154700", title="Marfan syndrome", kind="graph")
    place = {"document_id": page.id, "start": 5, "end": 5 + len(quote), "section": "Clinical features"}
    evidence = (Evidence(id="E1", quote=quote, origin="graph", **place),)
    fact = view(make_answer(evidence=evidence, documents=(page,))).facts[0]
    assert (fact.subject, fact.relation) == ("Marfan syndrome (OMIM:154700)", "Clinical features")
    assert fact.object == "Ectopia lentis (HP:0001083)"
    assert fact.frequency == "45 of 58 patients, onset: Childhood onset"
    assert (fact.references, fact.evidence) == (("PMID:2", "PMID:3"), "E1")


NAMES = st.text(alphabet="abcdefg (),;:-'", min_size=1, max_size=25).map(lambda name: f"x{name.strip()}")
RELATIONS = st.builds(
    Relation,
    st.just(Concept("OMIM:1", "Some", "disease")),
    st.just("feature"),
    st.builds(Concept, st.just("HP:0001083"), NAMES, st.just("phenotype")),
    frequency=st.sampled_from(["", "HP:0040281", "45/58", "12%", "0/3"]).map(frequency),
    modifiers=st.just(()),
    place=st.none(),
    negated=st.booleans(),
    sex=st.sampled_from(["", "male"]),
    onset=st.sampled_from(["", "Adult onset"]),
    references=st.lists(st.sampled_from(["PMID:1", "OMIM:154700"]), max_size=2, unique=True).map(tuple),
)


@given(RELATIONS)
def test_a_line_is_read_as_it_was_written_and_one_of_another_form_is_all_object(relation: Relation) -> None:
    said = read_line(line(relation))
    assert (said.object, said.references) == (relation.object.label, relation.references)
    assert relation.frequency is None or relation.negated or said.details.startswith(relation.frequency.words)
    for text in "A subluxation of the lens.", "Lens (part of it): it is displaced; see also HP:1.", "":
        assert read_line(text) == (text, "", ())


def test_a_follow_up_a_notice_and_a_stop_are_told(make_answer: MakeAnswer) -> None:
    follows = Follows(answer="t0", question="Is aspirin safe?", asked="does it prevent stroke?")
    notice = Notice(kind="treatment", sentence="Talk to a doctor.")
    asked = Question.ask("Does aspirin prevent stroke?", task="yes-no").model_copy(update={"follows": follows})
    shown = view(make_answer(question=asked, notice=notice, stopped="the budget is used up"))
    assert (shown.follows, shown.notice and shown.notice.sentence) == ("t0", "Talk to a doctor.")
    assert "was read as" in shown.read_as
    assert shown.stopped == "The budget is used up."


def test_a_report_keeps_its_sections_and_words(make_run: Any) -> None:
    answer, _ = reported(make_run, found())
    shown, printed = view(answer).report, flat(as_text(answer, width=10_000, details=True))
    assert shown is not None
    titled = {place: section.title for section in shown.sections for place in section.sentences}
    assert sorted(titled) == list(range(len(view(answer).sentences)))
    words = [one.words for one in shown.subanswers]
    words += [note for one in shown.sections for note in one.notes]
    assert [word for word in words if word not in printed] == []
