"""The chat endpoint as a model of pydantic-ai."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest
from heart import QUESTION, library
from live_server import live_server
from openai import AsyncOpenAI
from pydantic_ai import Agent, ModelHTTPError
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

T = TypeVar("T")
Work = Callable[[OpenAIChatModel], Awaitable[T]]
Run = Callable[[Work[T]], T]


@pytest.fixture
def run(tmp_path: Path, loopback: None) -> Iterator[Run[T]]:
    """Runs some work with a server over nine papers as its model."""
    library(tmp_path)
    with live_server(tmp_path, "heart") as address:

        def done(work: Work[T]) -> T:
            async def with_model() -> T:
                async with AsyncOpenAI(base_url=f"{address}/v1", api_key="none", max_retries=0) as client:
                    return await work(OpenAIChatModel("ground", provider=OpenAIProvider(openai_client=client)))

            return asyncio.run(with_model())

        yield done


async def answered(model: OpenAIChatModel) -> list[ModelMessage]:
    """The messages of one question."""
    return (await Agent(model).run(QUESTION)).all_messages()


def text_part(message: ModelMessage) -> TextPart:
    """The text of a response."""
    assert isinstance(message, ModelResponse)
    return next(part for part in message.parts if isinstance(part, TextPart))


def test_an_agent_gets_an_answer_with_its_citations(run: Run[list[ModelMessage]]) -> None:
    part = text_part(run(answered)[-1])
    assert part.content.startswith("**What the sources say**")
    assert part.citations
    for citation in part.citations:
        anchor = citation.anchor
        assert anchor is not None
        assert part.content[anchor.start : anchor.end].startswith("[E")
        assert citation.sources[0].excerpts
    assert all(one["citation"]["document_id"] for one in (part.provider_details or {})["citations"])


def test_a_streamed_answer_is_the_same(run: Run[tuple[list[str], TextPart, TextPart]]) -> None:
    async def both(model: OpenAIChatModel) -> tuple[list[str], TextPart, TextPart]:
        whole = text_part((await answered(model))[-1])
        async with Agent(model).run_stream(QUESTION) as stream:
            texts = [text async for text in stream.stream_text(delta=True, debounce_by=None)]
            return texts, text_part(stream.all_messages()[-1]), whole

    texts, part, whole = run(both)
    assert len(texts) > 3
    assert part.content == "".join(texts)
    assert part.citations == whole.citations


def test_an_agent_goes_on_with_its_conversation(run: Run[str]) -> None:
    async def twice(model: OpenAIChatModel) -> str:
        first = await answered(model)
        return (await Agent(model).run("Does it prevent stroke?", message_history=first)).output

    assert "was read as" in run(twice)


def test_what_an_agent_cannot_have_is_refused_clearly(run: Run[None]) -> None:
    def look_up(name: str) -> str:
        """Look something up."""
        return name

    async def refused(model: OpenAIChatModel) -> None:
        with pytest.raises(ModelHTTPError, match="an answer follows its recipe alone"):
            await Agent(model, instructions="Answer like a pirate.").run(QUESTION)
        with pytest.raises(ModelHTTPError, match="'tools'"):
            await Agent(model, tools=[look_up]).run(QUESTION)

    run(refused)
