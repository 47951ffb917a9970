"""A schema narrowed to the values of one call, as the server receives it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from closing import then_closed
from rows import each_row

from medground.home.settings import Settings
from medground.models.base import CallLimits
from medground.models.operators.base import EvidenceView, Operator, SentencedPassage, SentenceView
from medground.models.operators.reading import ExtractInput, extract
from medground.models.operators.verifying import EntailInput, entail
from medground.models.operators.writing import WriteInput, write
from medground.models.output import MOST
from medground.models.registry import open_models
from medground.testing.chat_peer import ChatPeer, chat
from medground.values.question import Option

pytestmark = pytest.mark.usefixtures("loopback")


def passages(count: int) -> ExtractInput:
    sentences = tuple(SentenceView(id=f"P1.S{n}", text="It rose.") for n in range(1, count + 1))
    return ExtractInput(question="Did it rise?", passages=(SentencedPassage(id="P1", sentences=sentences),))


def sent_for(operator: Operator[Any, Any], value: Any, reply: str) -> Mapping[str, Any]:
    """The request that the server receives for one operator call."""
    with ChatPeer(chat(reply)) as peer:
        options = {"model.default": "openai:stub", "model.base_url": peer.url, "model.cache": False}
        models = open_models(Settings.load(options=options, environ={}), [operator.name])
        then_closed(models, models.answer(operator, value, CallLimits()))
    return peer.requests[0]


def schema_of(request: Mapping[str, Any]) -> dict[str, Any]:
    schema: dict[str, Any] = request["response_format"]["json_schema"]["schema"]
    return schema


def test_a_field_is_narrowed_to_the_ids_that_were_given() -> None:
    schema = schema_of(sent_for(extract, passages(3), '{"sentences": []}'))
    assert schema["$defs"]["Extracted"]["properties"]["sentence"]["enum"] == ["P1.S1", "P1.S2", "P1.S3"]
    assert schema["properties"]["sentences"]["maxItems"] == 3
    many = schema_of(sent_for(extract, passages(MOST + 1), '{"sentences": []}'))
    assert "enum" not in many["$defs"]["Extracted"]["properties"]["sentence"]  # the operator's own check covers these


def test_the_instructions_show_the_original_schema_so_that_the_start_of_the_prompt_is_the_same() -> None:
    three, four = (sent_for(extract, passages(n), '{"sentences": []}') for n in (3, 4))
    assert three["messages"][0] == four["messages"][0]
    assert "sentences" in three["messages"][0]["content"]


def test_lists_of_ids_and_answers_are_narrowed() -> None:
    evidence = (EvidenceView(id="E1", quote="It rose."), EvidenceView(id="E2", quote="It fell."))
    value = WriteInput(question="Did it rise?", task="yes-no", evidence=evidence)
    schema = schema_of(sent_for(write, value, '{"sentences": [], "answer": []}'))
    cited = schema["$defs"]["WrittenSentence"]["properties"]["evidence"]
    assert (cited["items"]["enum"], cited["maxItems"]) == (["E1", "E2"], 2)
    assert schema["properties"]["answer"]["items"]["enum"] == ["no", "yes"]
    empty = WriteInput(question="Did it rise?", task="yes-no", evidence=())
    schema = schema_of(sent_for(write, empty, '{"sentences": [], "answer": []}'))
    assert schema["$defs"]["WrittenSentence"]["properties"]["evidence"]["maxItems"] == 0


@each_row(("task", "most"), [("single-choice", 1), ("multiple-choice", 2)])
def test_one_answer_or_several_depending_on_the_task(task: Any, most: int) -> None:
    options = (Option(letter="A", text="Aspirin"), Option(letter="B", text="Statins"))
    value = WriteInput(question="Which?", task=task, options=options, evidence=())
    answer = schema_of(sent_for(write, value, '{"sentences": [], "answer": []}'))["properties"]["answer"]
    assert (answer["items"]["enum"], answer["maxItems"]) == (["A", "B"], most)


def test_an_optional_id_stays_optional() -> None:
    value = EntailInput(statement="It rose.", evidence=(EvidenceView(id="E1", quote="It rose."),))
    schema = schema_of(sent_for(entail, value, '{"relation": "neutral"}'))
    assert {"enum": ["E1"], "type": "string"} in schema["properties"]["best"]["anyOf"]
    assert {"type": "null"} in schema["properties"]["best"]["anyOf"]
