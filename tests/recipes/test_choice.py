"""Answering a choice from paragraphs."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from rows import each_row

from medground.answering.declaration import Declaration
from medground.answering.run import Run
from medground.answering.write.choice import Chosen, choose
from medground.errors import ModelFailed, UsageError
from medground.models.operators.base import InvalidOutput, SentencedPassage, SentenceView
from medground.models.operators.reasoning import ChooseInput, ChooseOutput, OptionSentences, choose_options
from medground.values.question import Question

MakeRun = Callable[..., Run]
EFFECTS = ["It lowers the risk of stroke", "It raises the platelet count", "It causes bleeding in the stomach"]
ASKED = Question.ask("Which effects does aspirin have?", task="multiple-choice", options=EFFECTS)
PARAGRAPHS = (
    "Whales sing. They dive deeply for hours.",
    "In a trial, aspirin lowered the risk of stroke. The platelet count was the same in both groups.",
    "",
    "Aspirin causes bleeding in the stomach of some patients. Bleeding was rarely fatal.",
)
DECLARED = Declaration(name="choice", operators=(choose_options,))


def _chosen(run: Run, question: Question = ASKED, paragraphs: tuple[str, ...] = PARAGRAPHS, most: int = 5) -> Chosen:
    return asyncio.run(choose(question, paragraphs, run, most=most, embedder="minilm"))


def test_without_a_model_there_is_evidence_for_each_option_and_a_lean_but_no_answer(make_run: MakeRun) -> None:
    chosen = _chosen(make_run("x", recipe=DECLARED))
    assert (chosen.answer, chosen.lean) == ((), ("A", "C"))
    assert chosen.options[0].sentences[0] == "In a trial, aspirin lowered the risk of stroke."
    assert sorted(_chosen(make_run("x", recipe=DECLARED), most=2).paragraphs) == [1, 3]

    single = Question.ask(ASKED.text, task="single-choice", options=EFFECTS)
    assert len(_chosen(make_run("x", recipe=DECLARED), single).lean) == 1
    with pytest.raises(UsageError, match="has no options"):
        _chosen(make_run("x", recipe=DECLARED), Question.ask("What does aspirin do?"))


def test_a_model_gives_the_set_and_the_sentences_that_show_it(make_run: MakeRun, scripted_model: Any) -> None:
    def reply(value: Any) -> ChooseOutput:
        ids = {s.text: s.id for p in value.paragraphs for s in p.sentences}
        stroke = next(i for text, i in ids.items() if "stroke" in text)
        bleeding = next(i for text, i in ids.items() if "stomach" in text)
        named = [("A", (stroke,)), ("C", ()), ("C", (bleeding,))]  # B is left out, C comes twice
        options = tuple(OptionSentences(letter=letter, sentences=ids) for letter, ids in named)
        return ChooseOutput(options=options, answer=("C", "A"))

    model = scripted_model({"choose_options": reply})
    chosen = _chosen(make_run("x", model=model, by_model=["choose_options"], recipe=DECLARED))
    assert chosen.answer == ("A", "C")
    assert [len(option.sentences) for option in chosen.options] == [1, 0, 1]
    assert "stomach" in chosen.options[2].sentences[0]


@each_row(
    ("letters", "sentences", "answer"),
    [("A", ["P9.S9"], ["A"]), ("ABD", [], []), ("ABC", ["P1.S1"], ["D"])],
)
def test_an_answer_that_the_paragraphs_do_not_carry_is_refused(letters: str, sentences: Any, answer: Any) -> None:
    reply = {"options": [{"letter": one, "sentences": sentences} for one in letters], "answer": answer}
    passage = SentencedPassage(id="P1", sentences=(SentenceView(id="P1.S1", text="Aspirin is old."),))
    value = ChooseInput(question="q", task="multiple-choice", options=ASKED.options, paragraphs=(passage,))
    with pytest.raises(InvalidOutput):
        choose_options.check(value, ChooseOutput.model_validate(reply))


@each_row(("gate", "answer"), [(True, ()), (False, ("B",))])
def test_an_answer_for_which_no_sentence_is_named_stands_only_without_the_gate(
    gate: bool, answer: Any, make_run: MakeRun, scripted_model: Any
) -> None:
    options = tuple(OptionSentences(letter=letter, sentences=()) for letter in "ABC")
    model = scripted_model({"choose_options": lambda value: ChooseOutput(options=options, answer=("B",))})
    run = make_run("x", model=model, by_model=["choose_options"], recipe=DECLARED, options={"verify.gate": gate})
    assert _chosen(run).answer == answer


def test_without_paragraphs_nobody_is_asked(make_run: MakeRun, scripted_model: Any) -> None:
    model = scripted_model({"choose_options": ModelFailed("asked", model="scripted:model")})
    run = make_run("x", model=model, by_model=["choose_options"], recipe=DECLARED)
    nothing = Chosen((), _chosen(make_run("x", recipe=DECLARED), paragraphs=()).options)
    assert _chosen(run, paragraphs=("", " ")) == nothing
