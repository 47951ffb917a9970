"""Reason and Verify as published: the preset, own knowledge, labels that decide nothing, one verdict for the whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from heart import QUESTION, MakeRun, answered, cited, entails, library, reasons, spans

from medground.answering.verify import verdict_words
from medground.corpus.library import Library
from medground.errors import ModelFailed
from medground.home.layers import preset_layer
from medground.home.settings import Settings
from medground.models.operators.labelling import AssessOutput, LabelOutput
from medground.models.operators.reasoning import ReasonOutput, SubClaim
from medground.recipes.reason_and_verify.settings import ReasonAndVerifySettings
from medground.values.answer import Answer
from medground.wording import phrases

CORRECT = LabelOutput(category="CORRECT-IMPLICIT", best="P1")
MISSING = LabelOutput(category="CORRECT-MISSING")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return library(tmp_path_factory.mktemp("home"))


def as_published(make_run: MakeRun, corpus: Library, model: Any, **changes: Any) -> Answer:
    """An answer with the paper's preset, no reranker and a model for everything."""
    options = {
        f"{group}.{name}": value
        for group, values in preset_layer("reason-and-verify-paper").items()
        for name, value in values.items()
    }
    options |= {"reason_and_verify.reranker": "none", **changes}
    by_model = ["reason_or_recall", "rewrite", "label", "assess", "reason", "entail"]
    return answered(make_run, corpus, model=model, by_model=by_model, options=options)[0]


def test_the_presets_are_the_paper_and_its_tables() -> None:
    settings = Settings.load(preset="reason-and-verify-paper", environ={})
    chosen = settings.section(ReasonAndVerifySettings)
    assert settings.recipe.name == "reason-and-verify"
    assert (chosen.candidates, chosen.passages, chosen.overlap, chosen.evidence) == (20, 5, 0.3, 0.5)
    assert (chosen.reranker, chosen.selection, chosen.shown) == ("BAAI/bge-reranker-v2-m3", "dynamic", "passages")
    assert settings.recipe.own_knowledge and chosen.assess and not settings.recipe.retractions and not chosen.balanced
    assert (settings.verify.critic, settings.verify.gate, settings.verify.own_knowledge) == ("label", False, "mark")
    ours = Settings.load(environ={})
    assert (ours.recipe.own_knowledge, ours.recipe.retractions) == (False, True)
    assert (ours.section(ReasonAndVerifySettings).assess, ours.section(ReasonAndVerifySettings).shown) == (
        False,
        "quotes",
    )

    paper = preset_layer("reason-and-verify-paper")
    rows = {
        "vanilla-rag": {"rerank": False, "rewrite": False, "rationale": False},
        "rationale": {"rerank": False, "rewrite": False},
        "rationale-reranker": {},
        "dynamic-demonstrations": {"pool": "pubmedqa", "shots": 2},
    }
    for name, changes in rows.items():
        changed = paper["reason_and_verify"] | changes
        assert preset_layer(name) == paper | {"reason_and_verify": changed}, name

    content = Settings.load(environ={}).as_read_by("reason-and-verify")
    assert {"gate", "own_knowledge"}.isdisjoint(content["verify"])
    changed = Settings.load(environ={}, options={"verify.gate": False, "verify.own_knowledge": "mark"})
    assert changed.hash != Settings.load(environ={}).hash


def test_the_answer_stands_whatever_the_labels_say(make_run: MakeRun, corpus: Library, scripted_model: Any) -> None:
    wrong = LabelOutput(category="INCORRECT-FALSE", best="P1")
    model = scripted_model(
        {"reason_or_recall": reasons, "label": wrong, "assess": AssessOutput(verdict="INCORRECT", quality=2)}
    )
    answer = as_published(make_run, corpus, model)
    assert (answer.decision.status, answer.decision.shown()) == ("decided", "yes")
    assert {s.verdict.category for s in answer.statements} == {"INCORRECT-FALSE"}
    assert (answer.dropped, answer.faithfulness) == ((), 0)
    assert "entail" not in {name for name, _ in model.seen}


def test_who_labels_and_who_assesses_is_shown_the_answer(
    make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    said = AssessOutput(verdict="CORRECT", quality=4, reason="small  gaps")
    model = scripted_model({"reason_or_recall": reasons, "label": CORRECT, "assess": said})
    answer = as_published(make_run, corpus, model)
    labels = [value for name, value in model.seen if name == "label"]
    (assessed,) = [value for name, value in model.seen if name == "assess"]
    assert labels and all(value.answer == ("yes",) for value in (*labels, assessed))
    assert all(value.rationale == assessed.rationale for value in labels)
    assert all(value.passages == assessed.passages for value in labels)
    assert "PMID:9" not in str(assessed.passages)
    assert answer.assessment is not None
    assert answer.assessment.model_dump() == {
        "verdict": "CORRECT",
        "quality": 4,
        "assessed_by": model.name,
        "reason": "small gaps",
    }
    assert phrases.assessment(answer) == f"CORRECT, quality 4 of 5, as assessed by {model.name}: Small gaps."


def test_an_assessment_that_fails_is_told_and_costs_no_answer(
    make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    model = scripted_model(
        {"reason_or_recall": reasons, "label": CORRECT, "assess": ModelFailed("it is busy", model="scripted:model")}
    )
    answer = as_published(make_run, corpus, model)
    assert answer.decision.shown() == "yes"
    assert answer.assessment is None
    assert any("could not be assessed as a whole: scripted:model: it is busy" in warning for warning in answer.warnings)


def recalls(value: Any) -> ReasonOutput:
    known = SubClaim(text="Aspirin inhibits platelets.", sentences=())
    found = SubClaim(text="Infarction fell.", sentences=(cited(value, "by a fifth"),))
    return ReasonOutput(claims=(found, known), answer=("yes",))


def recalls_alone(value: Any) -> ReasonOutput:
    return ReasonOutput(claims=(SubClaim(text="Aspirin inhibits platelets.", sentences=()),), answer=("yes",))


def test_own_knowledge_is_marked_never_supported_and_by_default_not_asked_for(
    make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    model = scripted_model({"reason_or_recall": recalls, "label": MISSING, "assess": AssessOutput(verdict=None)})
    answer = as_published(make_run, corpus, model)
    found, known = answer.statements
    assert known.text == "Aspirin inhibits platelets." and known.evidence == ()
    assert "own knowledge" in known.verdict.flags and "own knowledge" not in found.verdict.flags
    assert known.verdict.label == "not judged"
    assert verdict_words.verdict(known.verdict) == "The model's own knowledge, not from the evidence."
    assert answer.needs_evidence and answer.decision.shown() == "yes"

    model = scripted_model({"reason": recalls, "entail": entails})
    answer, _ = answered(
        make_run, corpus, model=model, by_model=["reason", "entail"], options={"verify.taxonomy": False}
    )
    assert [dropped.text for dropped in answer.dropped] == ["Aspirin inhibits platelets."]
    assert "verify.own_knowledge=mark" in answer.dropped[0].reason


def test_an_answer_from_own_knowledge_alone_says_that_it_has_no_evidence(
    make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    model = scripted_model({"reason_or_recall": recalls_alone, "label": MISSING, "assess": AssessOutput(verdict=None)})
    answer = as_published(make_run, corpus, model)
    assert (answer.decision.shown(), answer.evidence, answer.needs_evidence) == ("yes", (), False)
    assert "from memory, without evidence" in str(answer)
    held = as_published(make_run, corpus, model, **{"verify.gate": True})
    assert held.decision.status == "not judged"


def test_retracted_papers_are_read_only_as_published(make_run: MakeRun, corpus: Library, tmp_path: Path) -> None:
    options: dict[str, Any] = {"reason_and_verify.passages": 20, "recipe.retractions": False}
    _, run = answered(make_run, corpus, QUESTION, options=options)
    assert "PMID:9" in run.ledger.documents
    assert not any("used as evidence" in warning for warning in run.warnings)
    (trigger,) = spans(tmp_path, "rewrite trigger")
    assert trigger["medground.rewrite"] is False
