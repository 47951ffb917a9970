"""Clients of other makers at the chat endpoint: OpenAI's Responses API, LangChain, LlamaIndex and Haystack."""

from __future__ import annotations

import os
import subprocess
from typing import Any

import openai
import pytest
from heart import QUESTION
from openai import OpenAI

SYSTEM = "You are a careful assistant."
SAID = "Aspirin prevented myocardial infarction significantly."


def test_a_response_is_a_message_with_citations_and_can_be_followed(client: OpenAI) -> None:
    more: Any = {"tools": [{"type": "web_search"}], "store": False}
    raw = client.responses.with_raw_response.create(model="ground", input=QUESTION, instructions=SYSTEM, **more)
    reply = raw.parse()
    assert raw.headers["medground-ignored"] == "store, tools"
    assert (reply.status, reply.model, reply.instructions) == ("completed", "ground", SYSTEM)
    assert SAID in reply.output_text
    (message,) = reply.output
    cited = message.content[0].annotations
    assert cited
    assert all(
        reply.output_text[one.start_index : one.end_index] == f"[{one.citation['evidence_id']}]" for one in cited
    )
    after = client.responses.create(
        model="ground", input="Does it prevent stroke?", previous_response_id=reply.id, max_output_tokens=50
    )
    assert "was read as" in after.output_text
    assert after.status == "incomplete"
    assert after.incomplete_details is not None
    assert after.incomplete_details.reason == "max_output_tokens"
    with pytest.raises(openai.NotFoundError, match="send its messages again"):
        client.responses.create(model="ground", input=QUESTION, previous_response_id="resp_gone")
    with pytest.raises(openai.BadRequestError, match="last message"):
        client.responses.create(model="ground", input=[])


def test_a_streamed_response_has_the_same_text_and_a_failure_ends_it(client: OpenAI) -> None:
    talk: Any = [{"role": "user", "content": [{"type": "input_text", "text": QUESTION}]}]
    with client.responses.stream(model="ground", input=talk) as stream:
        events = list(stream)
        whole = stream.get_final_response()
    assert "".join(event.delta for event in events if event.type == "response.output_text.delta") == whole.output_text
    assert [event.sequence_number for event in events] == sorted({event.sequence_number for event in events})
    added = [event for event in events if event.type == "response.output_text.annotation.added"]
    assert len(added) == len(whole.output[0].content[0].annotations) > 1
    more = {"medground": {"corpora": ["heart"], "filters": {"where": [["colour", "red"]]}}}
    *_, last = client.responses.create(model="ground", input=QUESTION, stream=True, extra_body=more)
    assert last.type == "response.failed"
    assert "colour" in last.response.error.message


@pytest.mark.parametrize("newer", [False, True])
def test_langchain_asks_with_a_system_message_tools_and_both_apis(address: str, newer: bool) -> None:
    chat = pytest.importorskip("langchain_openai", reason="needs langchain-openai").ChatOpenAI
    model = chat(model="ground", base_url=f"{address}/v1", api_key="none", temperature=0, use_responses_api=newer)
    talk = [("system", SYSTEM), ("human", QUESTION)]
    reply = model.bind_tools([{"type": "function", "function": {"name": "f", "parameters": {}}}]).invoke(talk)
    assert SAID in reply.text
    assert SAID in "".join(chunk.text for chunk in model.stream(talk))


LLAMA = """
import sys
from llama_index.core.llms import ChatMessage
from llama_index.llms.openai_like import OpenAILike

address, system, question = sys.argv[1:]
model = OpenAILike(model="ground", api_base=address, api_key="none", is_chat_model=True, max_tokens=2_000)
talk = [ChatMessage(role="system", content=system), ChatMessage(role="user", content=question)]
for said in (model.chat(talk).message.content, model.complete(question).text,
             "".join(part.delta or "" for part in model.stream_chat(talk))):
    print(said.replace("\\n", " "))
"""


@pytest.mark.slow
def test_llama_index_asks_as_of_any_server_like_openai(address: str) -> None:
    """In a process of its own: the client needs openai below 3, `LLAMA_INDEX_PYTHON` names a Python that has it."""
    python = os.environ.get("LLAMA_INDEX_PYTHON")
    if python is None:
        pytest.skip("LLAMA_INDEX_PYTHON names no Python with llama-index-llms-openai-like")
    asked = [python, "-c", LLAMA, f"{address}/v1", SYSTEM, QUESTION]
    done = subprocess.run(asked, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(SAID) == 3


def test_haystack_generates_from_it(address: str) -> None:
    made = pytest.importorskip("haystack.components.generators.chat", reason="needs haystack-ai")
    from haystack.dataclasses import ChatMessage
    from haystack.utils import Secret

    model = made.OpenAIChatGenerator(api_key=Secret.from_token("none"), model="ground", api_base_url=f"{address}/v1")
    talk = [ChatMessage.from_system(SYSTEM), ChatMessage.from_user(QUESTION)]
    parts: list[str] = []
    assert SAID in model.run(talk, generation_kwargs={"max_tokens": 2_000, "seed": 1})["replies"][0].text
    model.run(talk, streaming_callback=lambda chunk: parts.append(chunk.content))
    assert SAID in "".join(parts)
