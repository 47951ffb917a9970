"""Reason and Verify: Algorithm 1 line by line, keyless and with a scripted model."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from heart import PAPERS, QUESTION, MakeRun, answered, cited, entails, library, reasons, spans
from hypothesis import given
from hypothesis import strategies as st

from medground.corpus.library import Library
from medground.errors import ConfigError
from medground.home.settings import Settings
from medground.models.operators.reasoning import DirectOutput, ReasonOutput, SubClaim, direct, reason
from medground.recipes.reason_and_verify.recipe import REASON_AND_VERIFY, evidence_score, overlap
from medground.recipes.reason_and_verify.rewriting import RewriteOutput
from medground.values.document import Hit, Passage
from medground.values.lookup import Found, Lookup, Ranker
from medground.values.query import Filters


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return library(tmp_path_factory.mktemp("home"))


def test_without_a_model_the_rationale_is_quoted_from_the_sources(make_run: MakeRun, corpus: Library) -> None:
    answer, run = answered(make_run, corpus)
    assert answer.statements
    assert {s.verdict.label for s in answer.statements} == {"quoted"}
    for quote in answer.evidence:
        assert run.ledger.documents[quote.document_id].text[quote.start : quote.end] == quote.quote
    assert answer.decision.status == "not judged"
    assert run.answered_by["reason"] == "keyless"
    assert "rewrite" not in run.answered_by


def test_a_model_reasons_from_five_passages_and_each_part_is_verified(
    make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    model = scripted_model({"reason": reasons, "entail": entails})
    answer, run = answered(
        make_run,
        corpus,
        model=model,
        by_model=["reason", "entail"],
        options={"verify.trusted_judges": (model.name,), "verify.taxonomy": False},
    )
    (asked,) = [value for name, value in model.seen if name == "reason"]
    assert [p.id for p in asked.passages] == ["P1", "P2", "P3", "P4", "P5"]
    assert (answer.decision.status, answer.decision.shown()) == ("decided", "yes")
    assert [s.text for s in answer.statements] == ["Aspirin prevented infarction.", "Infarction fell by a fifth."]
    assert [s.verdict.label for s in answer.statements] == ["supported", "supported"]
    first = answer.statements[0].evidence[0]
    quote = next(e for e in answer.evidence if e.id == first)
    document = run.ledger.documents[quote.document_id]
    assert document.text[quote.start : quote.end] == "Aspirin prevented myocardial infarction significantly."


def test_statements_are_compared_with_the_passages_of_the_context(
    make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    model = scripted_model({"reason": reasons, "entail": entails})
    for context, premises in ((None, 5), (2, 2)):
        options: dict[str, Any] = {"verify.taxonomy": False, **({"verify.context": context} if context else {})}
        model.seen.clear()
        answered(make_run, corpus, model=model, by_model=["reason", "entail"], options=options)
        seen = [len(value.evidence) for name, value in model.seen if name == "entail"]
        assert set(seen) == {premises, 1}  # then its citation


def test_vanilla_rag_answers_at_once(make_run: MakeRun, corpus: Library, scripted_model: Any) -> None:
    def at_once(value: Any) -> DirectOutput:
        claim = SubClaim(text="Aspirin prevents it.", sentences=(cited(value, "prevented myocardial"),))
        return DirectOutput(answer=("yes",), claims=(claim,))

    model = scripted_model({"direct": at_once, "entail": entails})
    answer, run = answered(
        make_run,
        corpus,
        model=model,
        by_model=["direct", "reason", "rewrite", "entail"],
        options={
            "reason_and_verify.rationale": False,
            "reason_and_verify.rerank": False,
            "reason_and_verify.rewrite": False,
            "verify.taxonomy": False,
        },
    )
    assert answer.decision.shown() == "yes"
    assert "reason" not in run.answered_by
    assert list(direct.output.model_json_schema()["properties"]) == ["answer", "claims"]
    assert list(reason.output.model_json_schema()["properties"]) == ["claims", "answer"]


def test_a_question_that_found_too_little_is_rewritten_and_searched_again(
    make_run: MakeRun, corpus: Library, scripted_model: Any, tmp_path: Path
) -> None:
    better = "Is headache relieved by aspirin in adults?"
    model = scripted_model({"rewrite": RewriteOutput(question=f"  {better}\n")})
    _, run = answered(make_run, corpus, "Is cephalgia town zqx wrt vbn relieved?", model=model, by_model=["rewrite"])
    (trigger,) = spans(tmp_path, "rewrite trigger")
    assert trigger["medground.rewrite"] and trigger["medground.overlap"] < 0.3
    assert [s.query for s in run.searches][1:] == [better]
    (value,) = [value for name, value in model.seen if name == "rewrite"]
    assert 1 <= len(value.found) <= 5


def test_a_rewritten_question_that_finds_nothing_does_not_replace_what_was_found(
    make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    model = scripted_model({"rewrite": RewriteOutput(question="qqqq zzzz"), "reason": reasons})
    low = {"reason_and_verify.overlap": 1.0}
    asked = f"{QUESTION.removesuffix('?')} zqxvw?"
    answer, _ = answered(make_run, corpus, asked, model=model, by_model=["rewrite"], options=low)
    assert [s.status for s in answer.searches] == ["found", "empty"]
    assert answer.evidence


def test_rewriting_can_be_turned_off_and_has_no_score_without_a_reranker(
    make_run: MakeRun, corpus: Library, tmp_path: Path
) -> None:
    off = {"reason_and_verify.rewrite": False, "reason_and_verify.evidence": 1.0}
    assert "rewrite" not in answered(make_run, corpus, options=off)[1].answered_by
    no_score = {"reason_and_verify.rerank": False, "reason_and_verify.evidence": 1.0}
    assert "rewrite" not in answered(make_run, corpus, options=no_score)[1].answered_by
    assert "medground.evidence" not in spans(tmp_path, "rewrite trigger")[-1]


def test_without_passages_or_a_finding_there_is_no_answer(
    make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    answer, _ = answered(make_run, corpus, "Is qqqq zzzz?")
    assert answer.decision.status == "unanswerable"
    assert answer.decision.reason.startswith("answer unavailable")

    model = scripted_model({"reason": ReasonOutput(claims=(), answer=())})
    answer, _ = answered(make_run, corpus, model=model, by_model=["reason"])
    assert answer.decision.status == "unanswerable"
    assert answer.decision.reason == f"{model.name} found no answer in the passages"


def test_a_retracted_paper_is_listed_but_never_a_passage(make_run: MakeRun, corpus: Library) -> None:
    answer, _ = answered(make_run, corpus, options={"reason_and_verify.passages": 20})
    assert "PMID:9" not in {e.document_id for e in answer.evidence}
    assert {d.id: d.retraction for d in answer.documents}["PMID:9"] == "retracted"


def test_several_sources_are_fused_and_dense_rankings_are_left_out(
    make_run: MakeRun, memory_source: Any, tmp_path: Path
) -> None:
    class WithDense(memory_source):  # type: ignore[misc, valid-type]
        async def search(self, lookup: Lookup, filters: Filters) -> Found:
            found = await super().search(lookup, filters)
            if not lookup.wants(Ranker.DENSE):
                return found
            odd = PAPERS[4]
            passage = Passage(document_id=odd.id, start=0, end=len(odd.text), text=odd.text)
            dense = (Hit(passage=passage, ranker="dense", rank=1, score=0.9),)
            return replace(found, rankings=(*found.rankings, dense))

    sources = [WithDense(PAPERS[:1], name="corpus:one"), WithDense(PAPERS[2:3], name="corpus:two")]
    run = make_run(QUESTION, sources, options={"recipe.name": "reason-and-verify"}, recipe=REASON_AND_VERIFY)
    answer = asyncio.run(REASON_AND_VERIFY.run(run.question, run))
    assert {e.document_id for e in answer.evidence} == {"PMID:1", "PMID:3"}


def test_a_folder_without_a_reranker_is_reported_before_a_model_is_asked(
    make_run: MakeRun, corpus: Library, scripted_model: Any, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    options: dict[str, Any] = {"reason_and_verify.reranker": str(tmp_path / "empty")}
    (problem,) = REASON_AND_VERIFY.check(Settings.load(environ={}, options=options), ())
    assert isinstance(problem, ConfigError) and "reranker" in str(problem)
    unused = Settings.load(environ={}, options={**options, "reason_and_verify.rerank": False})
    assert list(REASON_AND_VERIFY.check(unused, ())) == []
    model = scripted_model({})
    with pytest.raises(ConfigError, match="reranker"):
        answered(make_run, corpus, model=model, by_model=["reason", "rewrite"], options=options)
    assert not model.seen


def a_passage(text: str, title: str = "") -> Passage:
    return Passage(document_id="PMID:1", start=0, end=len(text), text=text, title=title)


def hits(*scores: float) -> list[Hit]:
    return [Hit(passage=a_passage("a"), ranker="r", rank=n, score=s) for n, s in enumerate(scores, start=1)]


def test_overlap_and_the_score_of_nothing() -> None:
    assert overlap("Does aspirin prevent strokes?", [a_passage("A stroke.", title="Aspirin")]) == pytest.approx(2 / 3)
    assert overlap("Does aspirin prevent strokes?", []) == 0
    assert overlap("Is it so?", []) == 1


@given(st.lists(st.sampled_from(["aspirin", "stroke", "the", "gout", "of", "rats"]), max_size=8), st.randoms())
def test_overlap_grows_with_the_passages_in_any_order(found: list[str], random: Any) -> None:
    question = "aspirin stroke gout"
    parts = [a_passage(w) for w in found]
    shares = [overlap(question, parts[:n]) for n in range(len(parts) + 1)]
    assert shares == sorted(shares) and 0 <= shares[-1] <= 1
    random.shuffle(parts)
    assert overlap(question, parts) == shares[-1]


def test_the_score_is_the_mean_of_the_passages_and_nothing_found_scores_nothing() -> None:
    assert evidence_score(hits(0.25, 0.75)) == 0.5
    assert evidence_score([]) == 0
