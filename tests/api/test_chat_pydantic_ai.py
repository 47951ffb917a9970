"""The chat endpoint as a model of pydantic-ai."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from heart import QUESTION, library
from live_server import live_server
from openai import AsyncOpenAI
from pydantic_ai import Agent, ModelHTTPError
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider


@pytest.fixture
def address(tmp_path: Path, loopback: None) -> Iterator[str]:
    """The address of a server over nine papers."""
    library(tmp_path)
    with live_server(tmp_path, "heart") as found:
        yield found


@asynccontextmanager
async def model_of(address: str) -> AsyncIterator[OpenAIChatModel]:
    """That server as a model."""
    async with AsyncOpenAI(base_url=f"{address}/v1", api_key="none", max_retries=0) as client:
        yield OpenAIChatModel("ground", provider=OpenAIProvider(openai_client=client))


def text_part(message: ModelMessage) -> TextPart:
    """The text of a response."""
    assert isinstance(message, ModelResponse)
    return next(part for part in message.parts if isinstance(part, TextPart))


async def test_an_agent_gets_an_answer_with_its_citations_whole_and_in_parts_and_goes_on(address: str) -> None:
    async with model_of(address) as model:
        first = (await Agent(model).run(QUESTION)).all_messages()
        async with Agent(model).run_stream(QUESTION) as stream:
            texts = [text async for text in stream.stream_text(delta=True, debounce_by=None)]
            streamed = text_part(stream.all_messages()[-1])
        after = (await Agent(model).run("Does it prevent stroke?", message_history=first)).output
    part = text_part(first[-1])
    assert part.content.startswith("**What the sources say**")
    assert part.citations
    for citation in part.citations:
        anchor = citation.anchor
        assert anchor is not None
        assert part.content[anchor.start : anchor.end].startswith("[E")
        assert citation.sources[0].excerpts
    assert all(one["citation"]["document_id"] for one in (part.provider_details or {})["citations"])
    assert len(texts) > 3
    assert (streamed.content, streamed.citations) == ("".join(texts), part.citations)
    assert "was read as" in after


async def test_what_an_agent_cannot_have_is_refused_clearly(address: str) -> None:
    def look_up(name: str) -> str:
        """Look something up."""
        return name

    async with model_of(address) as model:
        with pytest.raises(ModelHTTPError, match="an answer follows its recipe alone"):
            await Agent(model, instructions="Answer like a pirate.").run(QUESTION)
        with pytest.raises(ModelHTTPError, match="'tools'"):
            await Agent(model, tools=[look_up]).run(QUESTION)
