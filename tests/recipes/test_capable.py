"""What a capable model decides comes through in every recipe, and what is held back has its true reason.

`benchmarks/capable.py` measures the same on more questions.
"""

import asyncio
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from rows import each_row
from scripted_capable import Asked, Capable, Gold, agrees

from medground.answering.run import Run
from medground.errors import ModelFailed
from medground.models.operators.checking import StatementCheck
from medground.recipes.base import Recipe
from medground.recipes.ground.recipe import GROUND
from medground.recipes.pubmed_reasoner.recipe import PUBMED_REASONER
from medground.recipes.reason_and_verify.recipe import REASON_AND_VERIFY
from medground.recipes.self_medrag import SELF_MEDRAG
from medground.values.answer import Answer
from medground.values.document import Document

Answered = Callable[..., tuple[Answer, Capable]]
RECIPES = (GROUND, PUBMED_REASONER, REASON_AND_VERIFY, SELF_MEDRAG)
QUESTION = "Does aspirin reduce the risk of stroke?"
PAPER = Document(
    id="PMID:2",
    title="Aspirin, and the risk of stroke: a trial",
    text="We aimed to determine whether aspirin reduces the risk of stroke. Strokes were 3 % with aspirin and 5 % "
    "with placebo. After adjustment for possible confounders, the risk of stroke was lower. Bleeding rose.",
)
WRITTEN = (
    "Aspirin reduces the risk of stroke after adjustment.",
    "Fewer patients had strokes with aspirin than with placebo.",
    "Bleeding rose in these adults.",
)
GOLD = Gold(QUESTION, "yes", WRITTEN, title=PAPER.title)


def before(value: Asked, right: str) -> StatementCheck:
    ids = [premise.id for premise in value.evidence]
    return value.is_("entails", ids[ids.index(right) - 1])


def limited(value: Asked, right: str) -> StatementCheck:
    raise ModelFailed("it is limiting the call rate (HTTP 429)", model="scripted:capable", busy=True)


def on_the_subject(value: Asked, right: str) -> StatementCheck:
    return value.is_("related", right)


def nothing(value: Asked, right: str) -> StatementCheck:
    return value.is_("neutral")


def against(*statements: str) -> Any:
    return lambda value, right: value.is_("contradicts" if value.statement in statements else "entails", right)


@pytest.fixture
def answered(make_run: Callable[..., Run], memory_source: Any) -> Answered:
    """Asks a recipe over the papers with a capable model and this judge, which may be trusted."""

    def ask(recipe: Recipe, gold: Gold = GOLD, judge: Any = agrees, *, trusted: bool = False) -> tuple[Answer, Capable]:
        model = Capable([gold], judge)
        options = {"recipe.name": recipe.name} | ({"verify.trusted_judges": (model.name,)} if trusted else {})
        run = make_run(gold.question, [memory_source([PAPER])], recipe=recipe, options=options)
        run.question = run.question.model_copy(update={"task": "yes-no-maybe"})
        run.models = model.models()
        return asyncio.run(recipe.run(run.question, run)), model

    return ask


@each_row(("recipe", "judge", "trusted"), product(RECIPES, [agrees, before, against(WRITTEN[1])], [True, False]))
def test_a_right_decision_comes_through(answered: Answered, recipe: Recipe, judge: Any, trusted: bool) -> None:
    answer, model = answered(recipe, judge=judge, trusted=trusted)
    assert answer.decision.shown() == "yes"
    assert model.asked["check"] > 0


@each_row(
    ("recipe", "judge", "reason"),
    [
        *[(recipe, limited, "scripted:capable failed: it is limiting the call rate") for recipe in RECIPES],
        *[(recipe, on_the_subject, "scripted:capable does not say that a sentence is supported") for recipe in RECIPES],
    ],
)
def test_an_answer_whose_check_fails_or_is_silent_is_not_released(
    answered: Answered, recipe: Recipe, judge: Any, reason: str
) -> None:
    for trusted in (True, False):
        answer, _ = answered(recipe, judge=judge, trusted=trusted)
        assert (answer.decision.status, answer.decision.shown()) == ("not judged", None)
        assert reason in answer.decision.reason
        assert answer.decision.check.result == "not checked"
        assert answer.evidence, "the quotes are shown"
        printed = " ".join(str(answer).split())
        assert "The model answered yes; this was not checked" in printed
        assert "checked by" not in printed


@each_row(
    ("judge", "reason"),
    [
        (nothing, "none of its sentences supports it: scripted:capable does not find it in the evidence"),
        (against(*WRITTEN), "the evidence contradicts every sentence of the rationale"),
        (against(*WRITTEN[1:]), "the evidence contradicts 2 of the 3 sentences of the rationale"),
    ],
)
def test_what_the_judge_rejects_or_was_never_retrieved_is_held_back(
    answered: Answered, judge: Any, reason: str
) -> None:
    planted = Gold(QUESTION, "yes", (*WRITTEN[:2], "Bleeding rose (PMID: 99999999)."), title=GOLD.title)
    for recipe in RECIPES:
        answer, _ = answered(recipe, judge=judge, trusted=True)
        assert answer.decision.status == "not judged"
        assert reason in answer.decision.reason

        answer, _ = answered(recipe, planted)
        assert (answer.decision.shown(), "99999999" in answer.rationale) == ("yes", False)
        assert ["99999999" in dropped.text for dropped in answer.dropped] == [True]
