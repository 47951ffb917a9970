"""Medground in LangChain, LlamaIndex, Haystack, pydantic-ai, DSPy and smolagents, by the frameworks themselves."""

import asyncio
import os
import random
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from command_line import corpus_of

from medground import BlockingEngine, Filters, RetrieverSource
from medground.errors import ConfigError, UsageError

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
    old = {"field": "meta.year", "operator": "<", "value": 2002}
    (only,) = pipeline.run({"papers": {"query": WORDS, "filters": old}})["papers"]["documents"]
    assert only.meta["document_id"] == "PMID:1"
    with pytest.raises(Exception, match="Medground cannot filter by year != 2002"):
        pipeline.run({"papers": {"query": WORDS, "filters": old | {"operator": "!="}}})


@pytest.mark.parametrize(
    "filters",
    [
        {"operator": "AND", "conditions": [{"field": "meta.year", "operator": ">=", "value": 2000}]},
        Filters(year_from=2000),
    ],
)
def test_a_pipeline_of_haystack_is_dumped_and_loaded(engine: BlockingEngine, filters: Any) -> None:
    haystack = pytest.importorskip("haystack", reason="needs the extra haystack")
    from haystack.components.joiners import DocumentJoiner

    from medground.integrations.haystack import MedgroundRetriever

    pipeline = haystack.Pipeline()
    pipeline.add_component("papers", MedgroundRetriever(engine, top_k=3, filters=filters))
    pipeline.add_component("joined", DocumentJoiner())
    pipeline.connect("papers", "joined")
    dumped = pipeline.dumps()
    with pytest.raises(Exception, match="allowlist"):
        haystack.Pipeline.loads(dumped)
    loaded = haystack.Pipeline.loads(dumped, allowed_modules=["medground"])
    assert loaded.dumps() == dumped
    asked = {"papers": {"query": WORDS}}
    expected = pipeline.run(asked)["joined"]["documents"]
    assert [one.meta["document_id"] for one in expected] == ["PMID:1"]
    for found in (loaded.run(asked), asyncio.run(loaded.run_async(asked))):
        assert found["joined"]["documents"] == expected
    opened = loaded.get_component("papers")._engine
    loaded.close()
    with pytest.raises(UsageError, match="closed"):
        opened.search(WORDS)
    pipeline.close()
    assert engine.search(WORDS).hits  # it was given, and stays open


def test_filters_find_what_haystack_itself_would_keep(home: object) -> None:
    pytest.importorskip("haystack", reason="needs the extra haystack")
    from haystack.utils.filters import document_matches_filter

    from medground.integrations.haystack import MedgroundRetriever

    chance = random.Random(61)
    kinds, years = ("book", "research", "web"), (None, *range(2010, 2018))
    names = [f"PMID:{number}" for number in range(1, 13)]
    texts = [" ".join(["Aspirin", *("".join(chance.choices("abcdefgh", k=7)) for _ in range(20))]) for _ in names]
    corpus_of(
        *(
            {"id": name, "text": text, "year": chance.choice(years), "kind": chance.choice(kinds)}
            for name, text in zip(names, texts, strict=True)
        )
    )

    def condition(field: str, values: Any, *operators: str) -> dict[str, Any]:
        operator = chance.choice(("==", "in", *operators))
        chosen = chance.sample([*values], 2)
        return {"field": f"meta.{field}", "operator": operator, "value": chosen if operator == "in" else chosen[0]}

    def on_year() -> dict[str, Any]:
        return condition("year", years[1:], "<", "<=", ">", ">=")

    sizes = []
    with BlockingEngine(corpora="papers", settings={"retrieval.dense": False}) as engine:
        retriever = MedgroundRetriever(engine, top_k=50)
        every = retriever.run(WORDS)["documents"]
        assert {one.meta["document_id"] for one in every} == {*names}
        for _ in range(100):
            year = {"operator": chance.choice(("AND", "OR")), "conditions": [on_year(), on_year()]}
            parts = [condition("kind", kinds), condition("document_id", names), year]
            filters = {"operator": "AND", "conditions": chance.sample(parts, chance.choice((1, 2)))}
            wanted = {one.id for one in every if document_matches_filter(filters, one)}
            with suppress(UsageError):  # never another result
                assert {one.id for one in retriever.run(WORDS, filters=filters)["documents"]} == wanted, filters
                sizes.append(len(wanted))
    assert len(sizes) > 40
    assert len({*sizes}) > 4


def test_a_pipeline_brings_no_paths_and_unknown_settings_are_one_line(engine: BlockingEngine, tmp_path: Path) -> None:
    pytest.importorskip("haystack", reason="needs the extra haystack")
    from medground.integrations.haystack import MedgroundRetriever

    made = MedgroundRetriever(retrieval={"corpora": ["papers"], "record": str(tmp_path / "replies")})
    assert made.run(WORDS)["documents"]
    assert made._engine.settings.retrieval.record is None
    made.close()
    assert MedgroundRetriever(engine).to_dict()["init_parameters"]["retrieval"]["corpora"] == ["papers"]
    for wrong in ({"corpus": "papers"}, {"keep": "many"}):
        with pytest.raises(ConfigError, match=r"retrieval\.(corpus|keep)"):
            MedgroundRetriever(retrieval=wrong).run(WORDS)


def test_dspy(engine: BlockingEngine) -> None:
    dspy = pytest.importorskip("dspy", reason="needs the extra dspy")
    from dspy.utils import DummyLM

    from medground.integrations.dspy import ask_tool, retriever

    search, tool = retriever(engine, k=5), ask_tool(engine)
    found = search(WORDS)
    check([*zip(found.passages, found.metadata, strict=True)])
    assert len(search(WORDS, k=1).passages) == len(dspy.Tool(search)(query=WORDS, k=1).passages) == 1
    assert tool.args == {"question": {"type": "string"}}
    for text in (tool(question=QUESTION), asyncio.run(tool.acall(question=QUESTION))):
        assert f"{TEXT} [E1]" in text
    asks = {"next_thought": "ask", "next_tool_name": tool.name, "next_tool_args": {"question": QUESTION}}
    ends = {"next_thought": "done", "next_tool_name": "finish", "next_tool_args": {}}
    with dspy.context(lm=DummyLM([asks, ends, {"reasoning": "it says so", "answer": "yes"}])):
        done = dspy.ReAct("question -> answer", tools=[tool])(question=QUESTION)
    assert done.answer == "yes"
    assert f"{TEXT} [E1]" in done.trajectory["observation_0"]


def test_smolagents(engine: BlockingEngine) -> None:
    smolagents = pytest.importorskip("smolagents", reason="needs the extra smolagents")
    from medground.integrations.smolagents import tools

    class Scripted(smolagents.Model):
        """A model that calls both tools, then ends."""

        def generate(self, messages: Any, **_: Any) -> Any:
            search = f"print(sorted(one['pmid'] for one in search_medground({WORDS!r})))"
            code = f"<code>\n{search}\nfinal_answer(ask_medground({QUESTION!r}))\n</code>"
            return smolagents.ChatMessage(role="assistant", content=code)

    asks, searches = tools(engine, limit=5)
    check([(one["text"], one) for one in searches(WORDS)])
    assert asks.inputs["question"]["type"] == "string"
    agent = smolagents.CodeAgent(tools=[asks, searches], model=Scripted(), verbosity_level=0)
    assert f"{TEXT} [E1]" in agent.run("Ask.")
    assert "['1', '9']" in agent.memory.steps[-1].observations


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
