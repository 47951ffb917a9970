"""A judge that has not proved itself may take away, never give: wrong headlines and wrong sentences, planted by a
script in every recipe that checks, are not released as right, and what a model says is missing is shown.

`benchmarks/capable.py` counts the same on real abstracts.
"""

import asyncio
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
from rows import each_row
from scripted_capable import ANSWERED, Capable, Gold, agrees

from medground.engine.engine import Engine
from medground.errors import ModelFailed
from medground.home.settings import Settings
from medground.models.base import Keyless
from medground.models.operators.checking import CheckInput, StatementCheck, StatementView
from medground.models.operators.reasoning import ChooseInput
from medground.models.registry import Models
from medground.recipes.omni_rag.operators import ReadSourcesInput
from medground.values.answer import Answer

RECIPES = ("ground", "pubmed-reasoner", "reason-and-verify", "self-medrag", "rag", "omni-rag")
ILLNESSES = ("stroke", "asthma", "gout")
TASKS: Mapping[str, tuple[str, str]] = {"yes-no": ("yes", "no"), "single-choice": ("B", "A")}
"""The right answer and a wrong one, by task."""
OPTIONS = {"A": "Placebo", "B": "Zalutinib"}


def title(illness: str) -> str:
    return f"Zalutinib against {illness}: a randomised trial"


def question(illness: str, task: str) -> str:
    return f"Which reduces {illness}?" if task == "single-choice" else f"Does zalutinib reduce {illness}?"


def gold(illness: str, task: str, **more: Any) -> Gold:
    sentences = (
        f"Zalutinib reduced {illness} in adults of the trial.",
        f"With placebo {illness} did not change at all.",
    )
    given = {"answer": TASKS[task][0], "sentences": sentences, "title": title(illness)} | more
    return Gold(question(illness, task), **given)


class Script(Capable):
    """The capable model, also for the recipes that ask in other ways. `false` sentences are rejected by its check."""

    def __init__(self, known: Sequence[Gold], judge: Any = agrees, false: Sequence[str] = ()) -> None:
        super().__init__(known, judge)
        self._false = false

    def models(self) -> Models:
        more = ("read_sources", "choose_options")
        return Models("keyless", dict.fromkeys((*ANSWERED, *more), self.name), {"keyless": Keyless(), self.name: self})

    def _read_sources(self, value: ReadSourcesInput) -> Mapping[str, Any]:
        return self._reason(value)

    def _choose_options(self, value: ChooseInput) -> Mapping[str, Any]:
        ids = tuple(s.id for p in value.paragraphs for s in p.sentences)[:1]
        options = [{"letter": option.letter, "sentences": ids} for option in value.options]
        return {"options": options, "answer": (self._gold(value).answer,)}

    def _checked(self, one: StatementView, value: CheckInput) -> StatementCheck:
        said = super()._checked(one, value)
        if one.text in self._false:
            return said.model_copy(update={"relation": "contradicts", "reason": "it was lower"})
        return said


@pytest.fixture(scope="module")
def built_trials(build_home: Callable[..., Path]) -> Path:
    """A home with one trial for each illness, in the corpus `trials`."""
    said = "We treated adults with {0}. Zalutinib reduced {0} in adults of the trial. With placebo {0} did not "
    said += "change at all."
    trials = [{"id": f"PMID:{n}", "title": title(i), "text": said.format(i)} for n, i in enumerate(ILLNESSES, start=1)]
    return build_home({"trials": trials})


@pytest.fixture
def trials(home: Path, built_trials: Path) -> Path:
    return Path(shutil.copytree(built_trials, home))


def asked(home: Path, recipe: str, task: str, model: Capable, illnesses: Sequence[str] = ILLNESSES) -> list[Answer]:
    chosen = {"home": str(home), "retrieval.corpora": ("trials",), "recipe.name": recipe, "model.cache": False}

    async def all_of_them() -> list[Answer]:
        options = OPTIONS if task == "single-choice" else {}
        async with Engine.open(Settings.load(environ={}, options=chosen)) as engine:
            engine.models = model.models()
            return [await engine.ask(question(i, task), task=task, options=options) for i in illnesses]

    return asyncio.run(all_of_them())


@each_row(
    ("recipe", "task"), [*((recipe, task) for recipe in RECIPES for task in TASKS), ("biomedsearch", "single-choice")]
)
def test_of_planted_wrong_headlines_none_is_released_and_of_right_ones_all_are(
    trials: Path, recipe: str, task: str
) -> None:
    right, wrong = TASKS[task]
    model = Script([gold(i, task) for i in ILLNESSES], agrees)
    answers = asked(trials, recipe, task, model)
    assert [answer.decision.shown() for answer in answers] == [right] * len(ILLNESSES)
    assert {answer.decision.check and answer.decision.check.result for answer in answers} == {"follows"}
    assert model.asked["check"] <= 2 * len(ILLNESSES), "one call for each, or one more for the answer"

    model = Script([gold(i, task, answer=wrong, says=right) for i in ILLNESSES], agrees)
    answers = asked(trials, recipe, task, model)
    assert {(answer.decision.status, answer.decision.shown()) for answer in answers} == {("not judged", None)}
    words = {"yes": "yes", "no": "no", "A": "A. Placebo", "B": "B. Zalutinib"}
    for answer in answers:
        printed = " ".join(str(answer).split())
        assert f"The model answered {words[wrong]}, and its check found {words[right]}" in printed
        assert answer.statements, "the sentences, which are right, stay"


@each_row("recipe", RECIPES)
def test_of_planted_wrong_sentences_none_is_released_and_no_answer_is_withheld_for_one(
    trials: Path, recipe: str
) -> None:
    false = [f"Zalutinib made {illness} worse in adults of the trial." for illness in ILLNESSES]
    right = [gold(illness, "yes-no") for illness in ILLNESSES]
    known = [replace(one, sentences=(*one.sentences, wrong)) for one, wrong in zip(right, false, strict=True)]
    model = Script(known, agrees, false)
    answers = asked(trials, recipe, "yes-no", model)
    for answer, wrong in zip(answers, false, strict=True):
        assert wrong not in answer.rationale
        ((text, reason),) = [(dropped.text, dropped.reason) for dropped in answer.dropped]
        assert text == wrong
        assert reason.startswith("contradicted: ") and "it was lower" in reason
        assert answer.decision.shown() == "yes"
        assert "supported" not in " ".join(s.verdict.note for s in answer.statements), "nobody has proved himself"


class Checks(Script):
    """A check that says this, or fails."""

    said: ClassVar[Mapping[str, Any] | None] = None

    def _check(self, value: CheckInput) -> Mapping[str, Any]:
        if self.said is None:
            raise ModelFailed("timed out", model=self.name)
        return {**super()._check(value), **self.said}


class Argues(Checks):
    said: ClassVar[Mapping[str, Any] | None] = {
        "found": ("no",),
        "result": "follows",
        "reason": "as PMID 99887766 says",
    }


class Unsure(Checks):
    said: ClassVar[Mapping[str, Any] | None] = {
        "found": (),
        "result": "not shown",
        "reason": "they are about another dose",
    }


def one(trials: Path, script: type[Script], **more: Any) -> Answer:
    (answer,) = asked(trials, "ground", "yes-no", script([gold("gout", "yes-no", **more)], agrees), ["gout"])
    return answer


def test_a_check_that_fails_or_disagrees_with_itself_and_what_is_missing_is_shown(trials: Path) -> None:
    failed = one(trials, Checks)
    assert (failed.decision.shown(), failed.decision.check.result) == (None, "not checked")
    assert "the short answer could not be verified: scripted:capable: timed out" in failed.warnings
    argued = one(trials, Argues)
    assert argued.decision.shown() is None
    assert "The model answered yes, and its check found no" in str(argued)
    assert "99887766" not in str(argued), "a reference that was never retrieved"
    unsure = " ".join(str(one(trials, Unsure)).split())
    assert "The model answered yes, and its check found that the sentences do not say so" in unsure
    assert "against the sentences below: they are about another dose." in unsure
    answer = one(trials, Script, missing="trials in children")
    assert (answer.decision.shown(), answer.missing) == ("yes", "trials in children")
    assert "Missing in these sources: trials in children." in " ".join(str(answer).split())
    assert one(trials, Script).missing == ""
