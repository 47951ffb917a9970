"""The chat endpoint as its clients use it: `openai`, streams and raw requests."""

from pathlib import Path
from typing import Any

import httpx2
import openai
import pytest
from heart import QUESTION
from live_server import live_server
from openai import OpenAI

from medground.wording.markup import NOT_READ, kept_as


def user(*texts: str) -> list[Any]:
    """A conversation in which the user and the assistant speak in turn."""
    return [{"role": "assistant" if n % 2 else "user", "content": text} for n, text in enumerate(texts)]


def test_an_answer_is_a_message_with_citations(client: OpenAI, address: str) -> None:
    reply = client.chat.completions.create(model="ground", messages=user(QUESTION))
    message = reply.choices[0].message
    assert reply.object == "chat.completion"
    assert reply.model == "ground"
    assert reply.choices[0].finish_reason == "stop"
    assert message.role == "assistant"
    assert message.content is not None
    assert message.content.startswith("**We studied aspirin and myocardial infarction in adults")
    assert message.annotations
    for one in message.annotations:
        cited = one.model_dump()["citation"]
        assert one.type == "url_citation"
        assert message.content[one.url_citation.start_index : one.url_citation.end_index] == f"[{cited['evidence_id']}]"
        assert one.url_citation.url.startswith("https://pubmed.ncbi.nlm.nih.gov/")
        document = httpx2.get(f"{address}/v1/documents/{cited['document_id']}").json()
        assert document["text"][cited["start"] : cited["end"]] == cited["quote"]
    assert reply.usage is not None
    assert reply.usage.total_tokens == reply.usage.prompt_tokens + reply.usage.completion_tokens == 0
    kept = reply.model_dump()["medground"]
    answer = httpx2.get(f"{address}/v1/answers/{kept['trace_id']}").json()
    assert {one["quote"] for one in answer["evidence"]} == {
        one.model_dump()["citation"]["quote"] for one in message.annotations
    }
    assert kept["status"] == answer["decision"]["status"]


def test_a_stream_has_the_same_message_in_parts(client: OpenAI) -> None:
    whole = client.chat.completions.create(model="ground", messages=user(QUESTION)).choices[0].message
    more: Any = {"stream": True, "stream_options": {"include_usage": True}}
    *chunks, last = client.chat.completions.create(model="ground", messages=user(QUESTION), **more)
    assert not last.choices
    assert last.usage is not None
    assert chunks[0].choices[0].delta.role == "assistant"
    texts = [chunk.choices[0].delta.content or "" for chunk in chunks]
    assert sum(map(bool, texts)) > 3
    assert len({chunk.id for chunk in chunks}) == 1
    assert {chunk.object for chunk in chunks} == {"chat.completion.chunk"}
    assert [chunk.choices[0].finish_reason for chunk in chunks] == [*[None] * (len(chunks) - 1), "stop"]
    assert chunks[-1].model_dump()["medground"]["trace_id"]
    assert all(chunk.usage is None for chunk in chunks)
    assert whole.content is not None
    assert without_run("".join(texts)) == without_run(whole.content)
    parts = [one for chunk in chunks for one in chunk.choices[0].delta.model_dump().get("annotations") or []]
    assert parts == [one.model_dump() for one in whole.annotations or []]


def without_run(message: str) -> list[str]:
    """The lines of a message without those that differ between two runs of a question."""
    return [line for line in message.splitlines() if not line.startswith(("- Cost: ", "- Answer: "))]


def test_recipes_are_models(client: OpenAI) -> None:
    names = [model.id for model in client.models.list()]
    assert {"ground", "pubmed-reasoner", "biomedsearch"} <= set(names)
    assert client.models.retrieve("ground").owned_by == "medground"
    reply = client.chat.completions.create(model="reason-and-verify", messages=user(QUESTION))
    assert "Recipe: reason-and-verify" in (reply.choices[0].message.content or "")
    with pytest.raises(openai.NotFoundError, match="the models are the recipes"):
        client.models.retrieve("gpt-6")


def test_a_question_after_an_answer_follows_it(client: OpenAI) -> None:
    first = client.chat.completions.create(model="ground", messages=user(QUESTION)).choices[0].message
    talk = [*user(QUESTION), first, *user("Does it prevent stroke?")]
    message = client.chat.completions.create(model="ground", messages=talk).choices[0].message.content or ""
    assert "was read as" in message
    assert QUESTION.split("?")[0] in message
    assert NOT_READ not in message
    talk = user("Hello", "Hello! How can I help?\n\n- Answer: 20200101-gone", QUESTION)
    assert NOT_READ in (client.chat.completions.create(model="ground", messages=talk).choices[0].message.content or "")


def test_what_clients_send_is_taken_and_what_has_no_effect_is_named(client: OpenAI, address: str) -> None:
    sent: dict[str, Any] = {
        "tools": [{"type": "function", "function": {"name": "f"}}],
        "temperature": 0.2,
        "seed": 3,
        "metadata": {"run": "7"},
        "n": 2,
        "extra_body": {"made_up": 1, "a\r\nb": 1, "logprobs": None},
    }
    messages: list[Any] = [{"role": "system", "content": "The patient is 80 years old."}, *user(QUESTION)]
    raw = client.chat.completions.with_raw_response.create(model="ground", messages=messages, **sent)
    assert raw.headers["medground-ignored"] == "made_up, metadata, n, seed, temperature, tools"
    content = raw.parse().choices[0].message.content or ""
    assert content.startswith("**")  # what an operator tells a model is nobody else's to read
    assert "80 years" not in content
    plain = client.chat.completions.with_raw_response.create(model="ground", messages=user(QUESTION))
    assert "medground-ignored" not in plain.headers
    for form in ({"type": "json_object"}, {"type": "json_schema", "json_schema": {"name": "x", "schema": {}}}):
        with pytest.raises(openai.BadRequestError, match="response_format"):
            client.chat.completions.create(model="ground", messages=user(QUESTION), response_format=form)  # type: ignore[call-overload]
    for refused, param in (([], "messages"), (user(QUESTION, "Yes."), "messages"), ([IMAGE], "messages.0")):
        body = {"model": "ground", "messages": refused}
        reply = httpx2.post(f"{address}/v1/chat/completions", json=body)
        assert reply.status_code == 400
        assert param in str(reply.json()["error"])


IMAGE = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:,"}}]}


def test_a_message_has_the_length_asked_for_and_its_citations_as_links(client: OpenAI) -> None:
    cut = client.chat.completions.create(model="ground", messages=user(QUESTION), max_tokens=60).choices[0]
    assert cut.finish_reason == "length"
    assert len(cut.message.content or "") < 400
    assert "The rest was left out" in (cut.message.content or "")
    assert kept_as(cut.message.content or "")
    more = {"medground": {"links": True}}
    whole = client.chat.completions.create(model="ground", messages=user(QUESTION), extra_body=more).choices[0].message
    assert "- [E1: Aspirin and myocardial infarction](<https://pubmed.ncbi.nlm.nih.gov/1/>)" in (whole.content or "")
    assert kept_as(whole.content or "")


def test_errors_are_those_that_the_client_knows(client: OpenAI) -> None:
    with pytest.raises(openai.NotFoundError, match="gpt-6") as missing:
        client.chat.completions.create(model="gpt-6", messages=user(QUESTION))
    assert missing.value.code == "model_not_found"
    with pytest.raises(openai.BadRequestError, match="question is empty"):
        client.chat.completions.create(model="ground", messages=user("  \n "))
    with pytest.raises(openai.BadRequestError, match="not a setting"):
        more = {"medground": {"settings": {"keys.openai": "x"}}}
        client.chat.completions.create(model="ground", messages=user(QUESTION), extra_body=more)
    with pytest.raises(openai.NotFoundError):
        more = {"medground": {"follow": "20200101-gone"}}
        client.chat.completions.create(model="ground", messages=user(QUESTION), extra_body=more)


def test_a_stream_that_fails_ends_with_an_error(client: OpenAI) -> None:
    more = {"medground": {"corpora": ["heart"], "filters": {"where": [["colour", "red"]]}}}
    with pytest.raises(openai.APIError, match="colour"):
        list(client.chat.completions.create(model="ground", messages=user(QUESTION), stream=True, extra_body=more))


def test_a_wrong_token_is_refused_in_the_clients_words(heart_home: Path, loopback: None) -> None:
    with (
        live_server(heart_home, "heart", authenticated=True) as address,
        OpenAI(base_url=f"{address}/v1", api_key="wrong", max_retries=0) as made,
        pytest.raises(openai.AuthenticationError) as refused,
    ):
        made.chat.completions.create(model="ground", messages=user(QUESTION))
    assert refused.value.code == "invalid_api_key"
    assert refused.value.response.headers["www-authenticate"] == "Bearer"
