"""From a draft to an answer: whole sentences, each mark once, statements as slices, no unknown citation."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rows import each_row
from scripted_capable import says

from medground.answering.conclude.compose import compose, so_far
from medground.answering.conclude.finish import finish
from medground.answering.run import Run
from medground.answering.write.draft import Draft, statements
from medground.values.answer import Answer
from medground.values.document import Document
from medground.values.evidence import Sentence, UnknownCitation
from medground.values.statement import Conflict, Label, Side, Verdict

Opened = Callable[..., Run]
PAPERS = [
    Document(id="PMID:1", text="Aspirin lowered the risk of stroke. Bleeding rose."),
    Document(id="PMID:2", text="Aspirin did not lower the risk of stroke."),
    Document(id="PMID:3", text="The weather was fine."),
]
WITHDRAWN = Document(id="PMID:9", text="Aspirin cures stroke.", retraction="retracted")


@pytest.fixture
def opened(make_run: Callable[..., Run]) -> Callable[..., Run]:
    """Makes a run that has quoted each paper whole; one that trusts the judge says so."""

    def make(papers: Sequence[Document] = PAPERS, trusted: bool = False, **options: Any) -> Run:
        judges = {"verify.trusted_judges": ("nli:proven",)} if trusted else {}
        run = make_run("Does aspirin help?", options={**judges, **options.pop("settings", {})}, **options)
        run.ledger.admit(papers)
        for paper in papers:
            run.ledger.quote(paper.id, 0, len(paper.text))
        return run

    return make


def finished(run: Run, draft: Draft, **more: Any) -> Answer:
    return asyncio.run(finish(run.question, draft, more.pop("read", run.ledger.evidence), run, **more))


def draft(*texts: str, cited: tuple[str, ...] = ("E1",), answer: tuple[str, ...] = ()) -> Draft:
    written = tuple(Sentence(text=text, evidence=cited) for text in texts)
    return Draft(sentences=statements(written, []), answer=answer, basis="model" if answer else None)


def said(label: Label, count: int, **more: Any) -> list[Verdict]:
    return [Verdict(label=label, critic="nli:proven", **more)] * count


def test_a_sentence_is_whole_with_its_marks_once_and_statements_are_slices(opened: Opened) -> None:
    run = opened(trusted=True)
    written = draft("Stroke fell because blood was thin; bleeding rose. Death was rare.", cited=("E1", "E2"))
    answer = compose(run, written, said("supported", 4))
    assert answer.rationale == ("Stroke fell because blood was thin; bleeding rose. [E1][E2] Death was rare. [E1][E2]")
    said_so = ["Stroke fell", "because blood was thin;", "bleeding rose.", "Death was rare."]
    assert [s.text for s in answer.statements] == said_so
    assert all(answer.rationale[s.start : s.end] == s.text for s in answer.statements)
    assert (answer.support, answer.faithfulness, answer.quoted) == (1.0, None, 0.0)


def test_a_sentence_is_dropped_whole_still_counts_and_supports_no_decision(opened: Opened) -> None:
    verdicts = [*said("supported", 1), *said("contradicted", 1), *said("supported", 1)]
    answer = compose(opened(trusted=True), draft("Stroke fell; bleeding rose.", "Death was rare."), verdicts)
    assert answer.rationale == "Death was rare. [E1]"
    assert [d.text for d in answer.dropped] == ["Stroke fell; bleeding rose."]
    assert "“bleeding rose.” is contradicted" in answer.dropped[0].reason
    assert answer.support == pytest.approx(2 / 3)
    cited = draft("Stroke fell.", answer=("yes",))
    written = cited.model_copy(update={"sentences": (*cited.sentences, Sentence(text="Death was rare.", evidence=()))})
    answer = compose(opened(), written, [*said("not found", 1), *said("supported", 1)])
    assert [d.text for d in answer.dropped] == ["Death was rare."]
    assert (answer.decision.status, answer.decision.shown()) == ("not judged", None)
    assert answer.decision.reason.endswith(
        "none of its sentences supports it: nli:proven does not find it in the evidence; no evidence is cited"
    )


def test_a_decision_is_not_released_where_the_judge_failed(opened: Opened) -> None:
    run = opened()
    failed = said("unverified", 1, note="limiting the rate of calls (HTTP 429)")
    answer = compose(run, draft("Stroke fell.", "Death was rare.", answer=("yes",)), [*failed, *said("not found", 1)])
    assert (answer.decision.status, answer.decision.check.result) == ("not judged", "not checked")
    assert answer.decision.reason == "nli:proven failed: limiting the rate of calls (HTTP 429)"
    strict = opened(settings={"verify.unsupported": "drop"})
    answer = compose(strict, draft("Stroke fell.", answer=("yes",)), said("unverified", 1, note="timed out"))
    assert answer.decision.status == "not judged"
    assert answer.decision.reason.endswith("not checked, because nli:proven failed: timed out")


@each_row("choice", ["drop", "mark"])
def test_own_knowledge_is_left_out_and_told_or_shown_marked(opened: Opened, choice: str) -> None:
    run = opened(trusted=True, settings={"verify.own_knowledge": choice})
    written = draft("Stroke fell.", answer=("yes",))
    own = Sentence(text="Aspirin is cheap.", evidence=())
    nothing = Verdict(label="not found", critic="citation", note="the sentence has no citation")
    both = written.model_copy(update={"sentences": (*written.sentences, own)})
    answer = compose(run, both, [*said("supported", 1, best="E1"), nothing])
    assert answer.decision.shown() == "yes"
    if choice == "drop":
        assert "verify.own_knowledge=mark" in answer.dropped[0].reason
    else:
        assert answer.rationale == "Stroke fell. [E1] Aspirin is cheap."
        assert "the model's own knowledge, not from the evidence" in " ".join(str(answer).split())
    alone = compose(run, Draft(sentences=(own,), answer=("yes",), basis="model"), [nothing])
    assert alone.decision.status == "not judged"


@each_row(
    ("labels", "shown"),
    [
        (("supported", "supported", "contradicted"), "yes"),
        (("supported", "contradicted", "contradicted"), None),
        (("supported", "contradicted"), "yes"),
        (("unverified", "unverified", "contradicted"), None),
    ],
)
def test_one_contradicted_sentence_vetoes_only_what_rests_on_it(
    opened: Opened, labels: tuple[Label, ...], shown: str | None
) -> None:
    run = opened(trusted=True)
    texts = ["Stroke fell.", "Death was rare.", "Bleeding rose."][: len(labels)]
    answer = compose(run, draft(*texts, answer=("yes",)), [one for label in labels for one in said(label, 1)])
    assert answer.decision.shown() == shown
    told = f"the evidence contradicts {labels.count('contradicted')} of the {len(labels)} sentences of "
    assert any(told in text for text in (answer.warnings if shown else [answer.decision.reason]))
    assert len(answer.dropped) == labels.count("contradicted")


@each_row(
    ("label", "flags", "status"),
    [
        ("related", ("certainty",), "not judged"),
        ("not judged", ("certainty",), "not judged"),
        ("related", (), "not judged"),
        ("partly", ("certainty",), "decided"),  # of a proven judge, who has seen what differs
    ],
)
def test_sentences_that_differ_from_the_evidence_do_not_support_a_decision(
    opened: Opened, label: Label, flags: tuple[str, ...], status: str
) -> None:
    run = opened()
    written = draft("Stroke fell.", answer=("yes",))
    answer = compose(run, written, [Verdict(label=label, critic="critic", best="E1", flags=flags)])
    assert answer.decision.status == status
    of_graph = compose(opened(), written.model_copy(update={"basis": "graph fact"}), said("not found", 1))
    assert of_graph.decision.status == "not judged", "a stored relation without support decides nothing"
    if flags and status == "not judged":
        assert "differs from the evidence (certainty)" in answer.decision.reason


def test_a_run_cut_short_quotes_no_retracted_paper(opened: Opened) -> None:
    run = opened([WITHDRAWN, *PAPERS], settings={"recipe.sentences": 2})
    answer = so_far(run, "the time is used up")
    assert [s.text for s in answer.statements] == [PAPERS[0].text, PAPERS[1].text]
    assert answer.stopped == "the time is used up"


def test_a_subject_that_only_an_uncited_quote_mentions_decides_the_first_line(make_run: Any) -> None:
    run = make_run("Does aspirin help in sepsis?")
    run.ledger.admit([PAPERS[0], Document(id="PMID:4", text="Sepsis is common.")])
    read = [run.ledger.quote("PMID:1", 0, 35), run.ledger.quote("PMID:4", 0, 17)]
    answer = finished(run, Draft(sentences=(Sentence(text=read[0].quote, evidence=("E1",)),)), read=read)
    assert (answer.decision.status, answer.decision.unmentioned) == ("unanswerable", ("sepsis",))


def test_deciding_quotes_and_those_of_conflicts_are_listed_but_never_unknown_ones(opened: Opened) -> None:
    run = opened()
    answer = compose(run, draft("Stroke fell."), said("supported", 1, best="E2"))
    assert [e.id for e in answer.evidence] == ["E1", "E2"]
    assert [d.id for d in answer.documents] == ["PMID:1", "PMID:2"]
    assert answer.rationale == "Stroke fell. [E1]"
    sides = (Side(stance="supports", evidence=("E1",)), Side(stance="contradicts", evidence=("E3",)))
    known = Conflict(about="stroke", sides=sides, found_by="keyless")
    unknown = Conflict(about="x", sides=(sides[0], Side(stance="mixed", evidence=("E9",))), found_by="keyless")
    answer = compose(run, draft("Stroke fell."), said("supported", 1), conflicts=[known, unknown])
    assert answer.conflicts == (known,)
    assert [e.id for e in answer.evidence] == ["E1", "E3"]


def test_unknown_evidence_is_refused_before_the_critic_is_asked(opened: Opened, scripted_model: Any) -> None:
    model = scripted_model({"check": says("related", "E1")})
    run = opened(model=model, by_model=["check"])
    with pytest.raises(UnknownCitation, match="E9"):
        finished(run, draft("Stroke fell.", cited=("E9",)))
    assert model.seen == []
    with pytest.raises(UnknownCitation, match="no evidence has the id 'E9'"):
        compose(run, draft("Stroke fell.", cited=("E1", "E9")), said("supported", 1))
    with pytest.raises(UnknownCitation, match="no evidence has the id 'E8'"):
        compose(run, draft("Stroke fell."), said("supported", 1, best="E8"))


def test_verdicts_of_a_loop_are_not_asked_again(opened: Opened, scripted_model: Any) -> None:
    model = scripted_model({})
    run = opened(model=model, by_model=["check"])
    written = Draft(sentences=(Sentence(text="Stroke fell; bleeding rose.", evidence=("E1",)),))
    answer = finished(run, written, verdicts=said("not judged", 2, note="asked before"))
    assert model.seen == []
    assert [s.verdict.note for s in answer.statements] == ["asked before"] * 2


@each_row("text", ["", "Stroke fell", "阿司匹林有效。出血增加。", "\x00"])
def test_odd_rationales_become_answers(opened: Opened, text: str) -> None:
    run = opened()
    written = Draft(sentences=(Sentence(text=text, evidence=("E1",)),))
    answer = finished(run, written)
    assert "".join("".join(s.text for s in answer.statements).split()) == "".join(text.split())
    assert answer.decision.status != "decided"
    answer = finished(opened(), Draft())
    assert (answer.rationale, answer.statements, answer.decision.status) == ("", (), "unanswerable")


WRITTEN = ["Stroke fell; bleeding rose.", "Stroke fell because blood was thin. It rose.", "Yes.", "a\n\nb", "。x"]
CITED = [("E1",), ("E2", "E3"), ()]


@given(
    st.lists(st.tuples(st.sampled_from(WRITTEN), st.sampled_from(CITED)), max_size=4), st.randoms(use_true_random=False)
)
@settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
def test_any_draft_becomes_a_consistent_answer(opened: Opened, written: list[Any], chance: Any) -> None:
    run = opened()
    cut = statements([Sentence(text=text, evidence=cited) for text, cited in written], [])
    labels: list[Label] = ["supported", "quoted", "related", "not found", "unverified", "contradicted", "not judged"]
    verdicts = [Verdict(label=chance.choice(labels), critic="c", best=chance.choice([None, "E3"])) for _ in cut]
    answer = compose(run, Draft(sentences=cut), verdicts)
    assert all(answer.rationale[s.start : s.end] == s.text for s in answer.statements)
    assert {e for s in answer.statements for e in s.evidence} <= {e.id for e in answer.evidence}
