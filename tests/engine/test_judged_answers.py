"""A judge that has not proved itself may take away, never give: wrong headlines and wrong sentences, planted by a
script in every recipe that checks, are not released as right, and what a model says is missing is shown.

`benchmarks/capable.py` counts the same on real abstracts.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from scripted_capable import ANSWERED, Capable, Gold

from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.engine.engine import Engine
from medground.errors import ModelFailed
from medground.home.settings import Settings
from medground.models.base import Keyless
from medground.models.operators.reasoning import ChooseInput
from medground.models.operators.verifying import CheckAnswerInput, EntailInput, EntailOutput, LabelInput
from medground.models.registry import Models
from medground.recipes.omni_rag.source_reading import ReadSourcesInput
from medground.testing.chat_peer import ChatPeer, Sent, chat, prompt_of
from medground.testing.command import run
from medground.values.answer import Answer

RECIPES = ("ground", "pubmed-reasoner", "reason-and-verify", "self-medrag", "rag", "omni-rag")
ILLNESSES = ("stroke", "asthma", "migraine", "gout", "psoriasis", "epilepsy", "eczema", "malaria", "anaemia", "croup")
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
    """The capable model, also for the recipes that ask in other ways. `false` sentences are rejected by its label."""

    def __init__(self, known: Sequence[Gold], judge: Any, false: Sequence[str] = ()) -> None:
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

    def _label(self, value: LabelInput) -> Mapping[str, Any]:
        if value.statement in self._false:
            return {"category": "INCORRECT-FALSE", "best": value.passages[0].id, "reason": "it was lower"}
        return super()._label(value)


def judge_of(false: Sequence[str]) -> Callable[[EntailInput, str], EntailOutput]:
    return lambda value, right: EntailOutput(
        relation="contradicts" if value.statement in false else "entails", best=right
    )


@pytest.fixture
def trials(home: Path, tmp_path: Path) -> Path:
    """A home with one trial for each illness, in the corpus `trials`."""
    file = tmp_path / "trials.jsonl"
    texts = {
        illness: f"We treated adults with {illness}. Zalutinib reduced {illness} in adults of the trial. With placebo "
        f"{illness} did not change at all."
        for illness in ILLNESSES
    }
    records = [
        {"id": f"PMID:{n}", "title": title(i), "text": text} for n, (i, text) in enumerate(texts.items(), start=1)
    ]
    file.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    build(Library(home), "trials", find_inputs([file]))
    return home


def asked(home: Path, recipe: str, task: str, model: Capable, illnesses: Sequence[str] = ILLNESSES) -> list[Answer]:
    chosen: dict[str, Any] = {"home": str(home), "retrieval.corpora": ("trials",), "recipe.name": recipe}

    async def all_of_them() -> list[Answer]:
        options = OPTIONS if task == "single-choice" else {}
        async with Engine.open(Settings.load(environ={}, options=chosen)) as engine:
            engine.models = model.models()
            return [await engine.ask(question(i, task), task=task, options=options) for i in illnesses]

    return asyncio.run(all_of_them())


@pytest.mark.parametrize(
    ("recipe", "task"), [*((recipe, task) for recipe in RECIPES for task in TASKS), ("biomedsearch", "single-choice")]
)
def test_of_planted_wrong_headlines_none_is_released_and_of_right_ones_all_are(
    trials: Path, recipe: str, task: str
) -> None:
    right, wrong = TASKS[task]
    model = Script([gold(i, task) for i in ILLNESSES], judge_of(()))
    answers = asked(trials, recipe, task, model)
    assert [answer.decision.shown() for answer in answers] == [right] * len(ILLNESSES)
    assert {answer.decision.check and answer.decision.check.result for answer in answers} == {"follows"}
    assert model.asked["check_answer"] == len(ILLNESSES), "one call for each"

    model = Script([gold(i, task, answer=wrong, says=right) for i in ILLNESSES], judge_of(()))
    answers = asked(trials, recipe, task, model)
    assert [(answer.decision.status, answer.decision.shown()) for answer in answers] == [("not judged", None)] * len(
        answers
    )
    words = {"yes": "yes", "no": "no", "A": "A. Placebo", "B": "B. Zalutinib"}
    for answer in answers:
        printed = " ".join(str(answer).split())
        assert f"The model answered {words[wrong]}, and its check found {words[right]}" in printed
        assert answer.statements, "the sentences, which are right, stay"


@pytest.mark.parametrize("by", ["entail", "label"])
@pytest.mark.parametrize("recipe", RECIPES)
def test_of_planted_wrong_sentences_none_is_released_and_no_answer_is_withheld_for_one(
    trials: Path, recipe: str, by: str
) -> None:
    known = [gold(i, "yes-no") for i in ILLNESSES]
    false = [f"Zalutinib made {illness} worse in adults of the trial." for illness in ILLNESSES]
    known = [
        Gold(one.question, one.answer, (*one.sentences, wrong), title=one.title)
        for one, wrong in zip(known, false, strict=True)
    ]
    model = Script(known, judge_of(false if by == "entail" else ()), false if by == "label" else ())
    answers = asked(trials, recipe, "yes-no", model)
    for answer, wrong in zip(answers, false, strict=True):
        assert wrong not in answer.rationale
        ((text, reason),) = [(dropped.text, dropped.reason) for dropped in answer.dropped]
        assert text == wrong
        assert reason.startswith("contradicted: assessed by" if by == "entail" else "incorrect: ")
        assert answer.decision.shown() == "yes"
        assert "supported" not in " ".join(s.verdict.note for s in answer.statements), "nobody has proved himself"


class Fails(Script):
    def _check_answer(self, value: CheckAnswerInput) -> Mapping[str, Any]:
        raise ModelFailed("timed out", model=self.name)


class Argues(Script):
    """A check that says that an answer follows, and names another."""

    def _check_answer(self, value: CheckAnswerInput) -> Mapping[str, Any]:
        return {"found": ("no",), "relation": "follows", "reason": "as PMID 99887766 says"}


class Unsure(Script):
    def _check_answer(self, value: CheckAnswerInput) -> Mapping[str, Any]:
        return {"found": (), "relation": "not shown", "reason": "they are about another dose"}


def one(trials: Path, script: type[Script], **more: Any) -> Answer:
    (answer,) = asked(trials, "ground", "yes-no", script([gold("gout", "yes-no", **more)], judge_of(())), ["gout"])
    return answer


def test_a_check_that_fails_or_disagrees_with_itself(trials: Path) -> None:
    failed = one(trials, Fails)
    assert (failed.decision.shown(), failed.decision.check) == ("yes", None)
    assert "the short answer could not be checked against its sentences: scripted:capable: timed out" in failed.warnings
    argued = one(trials, Argues)
    assert argued.decision.shown() is None
    assert "The model answered yes, and its check found no" in str(argued)
    assert "99887766" not in str(argued), "a reference that was never retrieved"
    unsure = " ".join(str(one(trials, Unsure)).split())
    assert "The model answered yes, and its check found that the sentences do not say so" in unsure
    assert "against the sentences below: they are about another dose." in unsure


def test_what_the_model_says_is_missing_is_shown(trials: Path) -> None:
    answer = one(trials, Script, missing="trials in children")
    assert (answer.decision.shown(), answer.missing) == ("yes", "trials in children")
    assert "Missing in these sources: trials in children." in " ".join(str(answer).split())
    assert one(trials, Script).missing == ""


def peer(answer: str, found: str) -> Callable[[dict[str, Any]], Sent]:
    """A server that writes `answer` over a sentence that says the opposite, and checks it."""

    def reply(request: dict[str, Any]) -> Sent:
        prompt = prompt_of(request)
        if "<statement>" in prompt:
            said: dict[str, Any] = {"relation": "entails", "best": "E1", "flags": []}
        elif "<sentences>" in prompt and "<answer>" in prompt:
            relation = "follows" if answer == found else "contradicted"
            said = {"found": [found], "relation": relation, "reason": "it fell"}
        elif "<unread>" in prompt:
            said = {"sufficient": False, "missing": "trials in children", "needed": []}
        else:
            said = {"sentences": [{"text": "Gout was reduced by zalutinib.", "evidence": ["E1"]}], "answer": [answer]}
        return chat(json.dumps(said))

    return reply


@pytest.fixture
def served(trials: Path, loopback: None) -> Iterator[Callable[..., tuple[int, list[dict[str, Any]]]]]:
    def ask(answer: str, found: str, *words: str) -> tuple[int, list[dict[str, Any]]]:
        with ChatPeer(peer(answer, found)) as server:
            options = [f"model.base_url={server.url}", "keys.openai=sk-test-0123456789", "model.cache=false"]
            options += [
                f"model.operators.{name}=openai:stub" for name in ("write", "entail", "sufficient", "check_answer")
            ]
            sets = [part for option in options for part in ("--set", option)]
            status = run("ask", question("gout", "yes-no"), "-c", "trials", "--task", "yes-no", "-q", *sets, *words)
            return status, server.requests

    yield ask


def test_the_command_line_shows_what_the_check_of_a_served_model_found(
    served: Callable[..., tuple[int, list[dict[str, Any]]]], capsys: pytest.CaptureFixture[str]
) -> None:
    served("no", "yes")
    shown = " ".join(capsys.readouterr().out.split())
    assert "The model answered no, and its check found yes" in shown
    assert "Missing in these sources: trials in children." in shown
    assert "in line with the quote" in shown
    assert "upported" not in shown
    served("no", "yes", "--json")
    assert json.loads(capsys.readouterr().out)["decision"]["value"] is None
    _, requests = served("yes", "yes")
    assert "Yes\nAnswered by openai:stub" in capsys.readouterr().out
    (checking,) = [
        prompt_of(one) for one in requests if "<sentences>" in prompt_of(one) and "<answer>" in prompt_of(one)
    ]
    assert "<item>\nGout was reduced by zalutinib.\n</item>" in checking
