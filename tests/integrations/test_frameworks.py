"""Medground in LangChain, LlamaIndex, Haystack and pydantic-ai, by the frameworks themselves."""

import asyncio
import os
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from command_line import corpus_of

from medground import BlockingEngine, RetrieverSource

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]  # the warnings are of the frameworks
QUESTION, WORDS = "Does aspirin reduce the risk of stroke?", "aspirin stroke"
TEXT = "Aspirin reduced the risk of stroke in adults."
LIE = {"id": "PMID:9", "title": "A lie", "text": "Aspirin abolished stroke in all adults.", "retraction": "retracted"}


@pytest.fixture
def engine(home: object) -> Iterator[BlockingEngine]:
    """An engine over two papers, of which one is retracted."""
    corpus_of({"id": "PMID:1", "title": "Aspirin", "text": TEXT, "year": 2001}, LIE)
    with BlockingEngine(corpora="papers") as opened:
        yield opened


def check(found: list[tuple[str, dict[str, Any]]]) -> None:
    """Both papers are there, each with its place, its PMID and whether it is retracted."""
    by_id = {about["document_id"]: (text, about) for text, about in found}
    text, about = by_id["PMID:1"]
    assert TEXT[about["start"] : about["end"]] == text
    assert (about["pmid"], about["year"], about["retraction"], about["source"]) == ("1", 2001, "none", "corpus:papers")
    assert by_id["PMID:9"][1]["retraction"] == "retracted"


def test_langchain_both_ways(engine: BlockingEngine) -> None:
    pytest.importorskip("langchain_core", reason="needs the extra langchain")
    from langchain_core.documents import Document
    from langchain_core.embeddings import DeterministicFakeEmbedding
    from langchain_core.vectorstores import InMemoryVectorStore

    from medground.integrations.langchain import MedgroundRetriever, ask_tool

    retriever, tool = MedgroundRetriever(engine=engine, k=5), ask_tool(engine)
    for found in (retriever.invoke(WORDS), asyncio.run(retriever.ainvoke(WORDS))):
        check([(one.page_content, one.metadata) for one in found])
    assert len(retriever.invoke(WORDS, k=1)) == len(asyncio.run(retriever.ainvoke(WORDS, k=1))) == 1
    assert tool.args == {"question": {"title": "Question", "type": "string"}}
    call = {"type": "tool_call", "id": "1", "name": tool.name, "args": {"question": QUESTION}}
    for message in (tool.invoke(call), asyncio.run(tool.ainvoke(call))):
        assert f"{TEXT} [E1]" in message.content
        assert message.artifact["evidence"][0]["document_id"] == "PMID:1"
    assert tool.invoke(call | {"args": {"question": " "}}).content.startswith("Error: the question is empty")

    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
    store.add_documents([Document(page_content=TEXT, metadata={"pmid": "21645374", "year": 2011})])
    with BlockingEngine(corpora=(), sources=[RetrieverSource("mine", store.as_retriever())]) as other:
        (document,) = other.ask(QUESTION).documents
    assert (document.identifiers["pmid"], document.year, document.source) == ("21645374", 2011, "mine")


def test_llamaindex(engine: BlockingEngine) -> None:
    pytest.importorskip("llama_index.core", reason="needs the extra llamaindex")
    from medground.integrations.llamaindex import MedgroundRetriever

    retriever = MedgroundRetriever(engine, top_k=5)
    for found in (retriever.retrieve(WORDS), asyncio.run(retriever.aretrieve(WORDS))):
        check([(one.text, one.metadata) for one in found])


def test_haystack(engine: BlockingEngine) -> None:
    haystack = pytest.importorskip("haystack", reason="needs the extra haystack")
    from medground.integrations.haystack import MedgroundRetriever

    pipeline = haystack.Pipeline()
    pipeline.add_component("papers", MedgroundRetriever(engine))
    asked = {"papers": {"query": WORDS, "top_k": 5}}
    for found in (pipeline.run(asked), asyncio.run(pipeline.run_async(asked))):
        check([(one.content, one.meta) for one in found["papers"]["documents"]])


def test_pydantic_ai(engine: BlockingEngine) -> None:
    pydantic_ai = pytest.importorskip("pydantic_ai", reason="needs the extra models")
    from pydantic_ai.models.test import TestModel

    from medground.integrations.pydantic_ai import toolset

    agent = pydantic_ai.Agent(TestModel(), toolsets=[toolset(engine)])
    with closing(asyncio.new_event_loop()) as loop:
        asyncio.set_event_loop(loop)  # `run_sync` would leave one open
        runs = agent.run_sync("?"), loop.run_until_complete(agent.run("?"))
    asyncio.set_event_loop(None)
    for run in runs:  # the model asks for "a"
        answer, found = run.all_messages()[2].parts
        assert "Nothing found" in answer.content
        assert answer.metadata["decision"]["status"] == "unanswerable"
        assert {"text", "document_id", "start", "end", "pmid", "retraction"} <= found.content[0].keys()
