"""Reason and Verify: Algorithm 1 line by line, with and without a model; then as published, which the preset is."""

from pathlib import Path
from typing import Any

import heart
import pytest
from asked_questions import Asks
from heart import QUESTION, cited, entails, reasons, spans

from medground.answering import captions
from medground.errors import ConfigError, ModelFailed
from medground.home.layers import preset_layer
from medground.home.settings import Settings
from medground.models.operators.reasoning import DirectOutput, ReasonOutput, SubClaim, direct, reason
from medground.models.operators.verifying import AssessOutput, LabelOutput
from medground.recipes.reason_and_verify.recipe import REASON_AND_VERIFY, RewriteOutput, evidence_score, overlap
from medground.recipes.settings import ReasonAndVerifySettings
from medground.values.answer import Answer
from medground.values.document import Hit, Passage
from medground.wording import phrases

ask = heart.ask
corpus = heart.corpus


def test_a_model_reasons_from_five_passages_and_each_part_is_verified(ask: Asks) -> None:
    answer, run = ask(
        {"reason": reasons, "check": entails},
        options={"verify.trusted_judges": ("scripted:model",), "verify.taxonomy": False},
    )
    (asked,) = ask.values("reason")
    assert [p.id for p in asked.passages] == ["P1", "P2", "P3", "P4", "P5"]
    assert (answer.decision.status, answer.decision.shown()) == ("decided", "yes")
    assert [s.text for s in answer.statements] == ["Aspirin prevented infarction.", "Infarction fell by a fifth."]
    assert [s.verdict.label for s in answer.statements] == ["supported", "supported"]
    first = answer.statements[0].evidence[0]
    quote = next(e for e in answer.evidence if e.id == first)
    document = run.ledger.documents[quote.document_id]
    assert document.text[quote.start : quote.end] == "Aspirin prevented myocardial infarction significantly."


def test_statements_are_compared_with_the_passages_of_the_context(ask: Asks) -> None:
    for context, premises in ((None, 5), (2, 2)):
        options: dict[str, Any] = {"verify.taxonomy": False, **({"verify.context": context} if context else {})}
        ask({"reason": reasons, "check": entails}, options=options)
        assert [len(value.evidence) for value in ask.values("check")] == [premises]


def test_vanilla_rag_answers_at_once(ask: Asks) -> None:
    def at_once(value: Any) -> DirectOutput:
        claim = SubClaim(text="Aspirin prevents it.", sentences=(cited(value, "prevented myocardial"),))
        return DirectOutput(answer=("yes",), claims=(claim,))

    options = {f"reason_and_verify.{part}": False for part in ("rationale", "rerank", "rewrite")}
    by_model = ["direct", "reason", "rewrite", "check"]
    script = {"direct": at_once, "check": entails}
    answer, run = ask(script, by_model=by_model, options={**options, "verify.taxonomy": False})
    assert answer.decision.shown() == "yes"
    assert "reason" not in run.answered_by
    assert [next(iter(one.output.model_fields)) for one in (direct, reason)] == ["answer", "claims"]


def test_a_question_that_found_too_little_is_rewritten_and_searched_again(ask: Asks, tmp_path: Path) -> None:
    better = "Is headache relieved by aspirin in adults?"
    _, run = ask({"rewrite": RewriteOutput(question=f"  {better}\n")}, "Is cephalgia town zqx wrt vbn relieved?")
    (trigger,) = spans(tmp_path, "rewrite trigger")
    assert trigger["medground.rewrite"] and trigger["medground.overlap"] < 0.3
    assert [s.query for s in run.searches][1:] == [better]
    (value,) = ask.values("rewrite")
    assert 1 <= len(value.found) <= 5

    for off in ("rewrite", "rerank"):  # without a reranker there is no score
        options = {f"reason_and_verify.{off}": False, "reason_and_verify.evidence": 1.0}
        assert "rewrite" not in ask(options=options)[1].answered_by
    assert "medground.evidence" not in spans(tmp_path, "rewrite trigger")[-1]


def test_a_rewritten_question_that_finds_nothing_does_not_replace_what_was_found(ask: Asks) -> None:
    low = {"reason_and_verify.overlap": 1.0}
    asked = f"{QUESTION.removesuffix('?')} zqxvw?"
    answer, _ = ask({"rewrite": RewriteOutput(question="qqqq zzzz"), "reason": reasons}, asked, options=low)
    assert [s.status for s in answer.searches] == ["found", "empty"]
    assert answer.evidence


def test_without_passages_or_a_finding_there_is_no_answer(ask: Asks) -> None:
    answer, _ = ask(None, "Is qqqq zzzz?")
    assert answer.decision.status == "unanswerable"
    assert answer.decision.reason.startswith("answer unavailable")

    answer, _ = ask({"reason": ReasonOutput(claims=(), answer=())})
    assert answer.decision.status == "unanswerable"
    assert answer.decision.reason == f"{ask.model.name} found no answer in the passages"


def test_a_folder_without_a_reranker_is_reported_before_a_model_is_asked(ask: Asks, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    options: dict[str, Any] = {"reason_and_verify.reranker": str(tmp_path / "empty")}
    (problem,) = REASON_AND_VERIFY.check(Settings.load(environ={}, options=options), ())
    assert isinstance(problem, ConfigError) and "reranker" in str(problem)
    unused = Settings.load(environ={}, options={**options, "reason_and_verify.rerank": False})
    assert list(REASON_AND_VERIFY.check(unused, ())) == []
    with pytest.raises(ConfigError, match="reranker"):
        ask({}, by_model=["reason", "rewrite"], options=options)
    assert not ask.seen


def test_overlap_and_the_score_of_nothing() -> None:
    passage = Passage(document_id="PMID:1", start=0, end=9, text="A stroke.", title="Aspirin")
    assert overlap("Does aspirin prevent strokes?", [passage]) == pytest.approx(2 / 3)
    assert overlap("Does aspirin prevent strokes?", []) == 0
    assert overlap("Is it so?", []) == 1
    hits = [Hit(passage=passage, ranker="r", rank=n, score=n / 4) for n in (1, 3)]
    assert (evidence_score(hits), evidence_score([])) == (0.5, 0)


CORRECT = LabelOutput(category="CORRECT-IMPLICIT", best="P1")
MISSING = LabelOutput(category="CORRECT-MISSING")


def as_published(asks: Asks, script: dict[str, Any], **changes: Any) -> Answer:
    """An answer with the paper's preset, no reranker and a model for everything."""
    options = {
        f"{group}.{name}": value
        for group, values in preset_layer("reason-and-verify-paper").items()
        for name, value in values.items()
    }
    options |= {"reason_and_verify.reranker": "none", **changes}
    by_model = ["reason_or_recall", "rewrite", "label", "assess", "reason", "check"]
    return asks(script, by_model=by_model, options=options)[0]


def test_the_presets_are_the_paper_and_its_tables() -> None:
    settings = Settings.load(preset="reason-and-verify-paper", environ={})
    chosen, ours = settings.section(ReasonAndVerifySettings), Settings.load(environ={})
    assert settings.recipe.name == "reason-and-verify"
    assert (chosen.candidates, chosen.passages, chosen.overlap, chosen.evidence) == (20, 5, 0.3, 0.5)
    assert (chosen.reranker, chosen.selection, chosen.shown) == ("BAAI/bge-reranker-v2-m3", "dynamic", "passages")
    assert settings.recipe.own_knowledge and chosen.assess and not settings.recipe.retractions and not chosen.balanced
    assert (settings.verify.critic, settings.verify.gate, settings.verify.own_knowledge) == ("label", False, "mark")
    assert (ours.recipe.own_knowledge, ours.recipe.retractions) == (False, True)

    paper = preset_layer("reason-and-verify-paper")
    rows = {
        "vanilla-rag": {"rerank": False, "rewrite": False, "rationale": False},
        "rationale": {"rerank": False, "rewrite": False},
        "rationale-reranker": {},
        "dynamic-demonstrations": {"pool": "pubmedqa", "shots": 2},
    }
    for name, changes in rows.items():
        assert preset_layer(name) == paper | {"reason_and_verify": paper["reason_and_verify"] | changes}, name

    changed = Settings.load(environ={}, options={"verify.gate": False, "verify.own_knowledge": "mark"})
    assert changed.hash != ours.hash


def test_the_answer_stands_whatever_the_labels_say(ask: Asks) -> None:
    wrong = LabelOutput(category="INCORRECT-FALSE", best="P1")
    answer = as_published(
        ask, {"reason_or_recall": reasons, "label": wrong, "assess": AssessOutput(verdict="INCORRECT", quality=2)}
    )
    assert (answer.decision.status, answer.decision.shown()) == ("decided", "yes")
    assert {s.verdict.category for s in answer.statements} == {"INCORRECT-FALSE"}
    assert (answer.dropped, answer.faithfulness) == ((), 0)
    assert "check" not in {name for name, _ in ask.seen}


def test_who_labels_and_who_assesses_is_shown_the_answer(ask: Asks) -> None:
    said = AssessOutput(verdict="CORRECT", quality=4, reason="small  gaps")
    answer = as_published(ask, {"reason_or_recall": reasons, "label": CORRECT, "assess": said})
    labels = ask.values("label")
    (assessed,) = ask.values("assess")
    assert labels and all(value.answer == ("yes",) for value in (*labels, assessed))
    assert all(value.rationale == assessed.rationale for value in labels)
    assert all(value.passages == assessed.passages for value in labels)
    assert "PMID:9" not in str(assessed.passages)
    assert answer.assessment is not None
    assert phrases.assessment(answer) == f"CORRECT, quality 4 of 5, as assessed by {ask.model.name}: Small gaps."


def test_an_assessment_that_fails_is_told_and_costs_no_answer(ask: Asks) -> None:
    busy = ModelFailed("it is busy", model="scripted:model")
    answer = as_published(ask, {"reason_or_recall": reasons, "label": CORRECT, "assess": busy})
    assert answer.decision.shown() == "yes"
    assert answer.assessment is None
    assert any("could not be assessed as a whole: scripted:model: it is busy" in warning for warning in answer.warnings)


def recalls(value: Any) -> ReasonOutput:
    known = SubClaim(text="Aspirin inhibits platelets.", sentences=())
    found = SubClaim(text="Infarction fell.", sentences=(cited(value, "by a fifth"),))
    return ReasonOutput(claims=(found, known), answer=("yes",))


def recalls_alone(value: Any) -> ReasonOutput:
    return ReasonOutput(claims=(SubClaim(text="Aspirin inhibits platelets.", sentences=()),), answer=("yes",))


def test_own_knowledge_is_marked_never_supported_and_by_default_not_asked_for(ask: Asks) -> None:
    answer = as_published(ask, {"reason_or_recall": recalls, "label": MISSING, "assess": AssessOutput(verdict=None)})
    found, known = answer.statements
    assert known.text == "Aspirin inhibits platelets." and known.evidence == ()
    assert "own knowledge" in known.verdict.flags and "own knowledge" not in found.verdict.flags
    assert known.verdict.label == "not judged"
    assert captions.verdict(known.verdict) == "The model's own knowledge, not from the evidence."
    assert answer.needs_evidence and answer.decision.shown() == "yes"

    answer, _ = ask({"reason": recalls, "check": entails}, options={"verify.taxonomy": False})
    assert [dropped.text for dropped in answer.dropped] == ["Aspirin inhibits platelets."]
    assert "verify.own_knowledge=mark" in answer.dropped[0].reason


def test_an_answer_from_own_knowledge_alone_says_that_it_has_no_evidence(ask: Asks) -> None:
    script = {"reason_or_recall": recalls_alone, "label": MISSING, "assess": AssessOutput(verdict=None)}
    answer = as_published(ask, script)
    assert (answer.decision.shown(), answer.evidence, answer.needs_evidence) == ("yes", (), False)
    assert "from memory, without evidence" in str(answer)
    held = as_published(ask, script, **{"verify.gate": True})
    assert held.decision.status == "not judged"


def test_retracted_papers_are_read_only_as_published(ask: Asks) -> None:
    _, run = ask(options={"reason_and_verify.passages": 20, "recipe.retractions": False})
    assert "PMID:9" in run.ledger.documents
    assert not any("used as evidence" in warning for warning in run.warnings)
