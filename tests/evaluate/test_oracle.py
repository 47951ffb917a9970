"""A preset that is a paper ends at the paper's answer: a model that is always right is right in every row."""

import asyncio
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import knowledge_base
import pytest
from oracle_peer import OBJECTIONABLE, OraclePeer
from small_corpora import corpus_of_documents

from medground.answering.trace import read_trace
from medground.engine.engine import Engine
from medground.home.layers import preset_names
from medground.home.settings import Settings
from medground.values.answer import Answer
from medground.values.document import Document
from medground.values.question import Question
from medground_evaluate.metrics.measures import plan_unread

OURS = [name for name in preset_names() if "verbatim" not in name]  # those need files of the papers: test_verbatim.py
PAPERS = {name: {} for name in OURS if not Settings.load(preset=name, environ={}).verify.gate}
BASELINES = ("rag", "self-reflection", "model-only")
ROWS: list[tuple[str, Mapping[str, Any]]] = [
    *PAPERS.items(),
    *(("pubmed-reasoner-paper", {"recipe.name": name}) for name in BASELINES),
]
BARE = {
    "retrieval.dense": False,
    "retrieval.reranker": "none",
    "verify.critic": "check",
    "self_medrag.retrieval": "bm25",
    "reason_and_verify.reranker": "none",
    "reason_and_verify.pool": "",
    "reason_and_verify.shots": 0,
    "model.cache": False,
}
"""What a bare machine has in place of downloaded models and of services."""
OPTIONS = ["zinc for colds", "rest", "surgery"]
ASKED = "Does zinc shorten colds in adults?"
UNKNOWN = "Does quillwort calm zebras?"
KINDS: list[tuple[Question, list[str]]] = [
    (Question.ask(ASKED, task="yes-no"), ["no"]),
    (Question.ask(ASKED, task="yes-no-maybe"), ["maybe"]),
    (Question.ask(ASKED, options=OPTIONS), ["B"]),
    (Question.ask(ASKED, options=OPTIONS, task="multiple-choice"), ["A", "C"]),
    (Question.ask(ASKED, task="direction"), ["lower"]),
    (Question.ask(UNKNOWN, task="yes-no"), ["no"]),
    (Question.ask(UNKNOWN, options=["quillwort", "hay"]), ["B"]),
]


@pytest.fixture(scope="module")
def papers_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("papers")
    told = "Zinc shortened colds in adults by two days. Children were not studied. Nausea was more common with zinc."
    documents = [Document(id=f"PMID:{n}", title=f"Zinc and colds, trial {n}", text=told, year=2000 + n) for n in (1, 2)]
    corpus_of_documents(folder / "home", documents, name="tiny")
    base = knowledge_base.written(knowledge_base.filled(folder / "kb"), *knowledge_base.ALL)
    knowledge_base.made(base, folder / "home")
    return folder / "home"


@pytest.fixture
def oracle(loopback: None, monkeypatch: pytest.MonkeyPatch, papers_home: Path) -> Iterator[OraclePeer]:
    monkeypatch.setenv("MEDGROUND_HOME", str(papers_home))
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with OraclePeer() as peer:
        yield peer


def settings_of(preset: str, more: Mapping[str, Any], oracle: OraclePeer) -> Settings:
    """The settings of a row on this machine, with the oracle as its model."""
    chosen: dict[str, Any] = {"model.default": "openai:oracle", "model.base_url": oracle.url, **BARE, **more}
    if preset.startswith("omni"):
        chosen["retrieval.knowledge_base"] = "omni"
    else:
        chosen |= {"retrieval.corpora": ["tiny"], "retrieval.sources": []}
    return Settings.load(preset=preset, options=chosen)


async def _answered(settings: Settings, asked: Question) -> Answer:
    async with await Engine.open(settings) as engine:
        return await engine.ask(asked)


def values(answer: Answer) -> list[str]:
    """The values that are decided."""
    decided = answer.decision
    return list(decided.values or ()) if decided.task == "multiple-choice" else [decided.value or ""]


@pytest.mark.slow
@pytest.mark.parametrize(("preset", "more"), ROWS)
def test_a_right_answer_stays_right_whatever_is_written_beside_it(
    preset: str, more: Mapping[str, Any], oracle: OraclePeer
) -> None:
    settings = settings_of(preset, more, oracle)
    for place, (asked, gold) in enumerate(KINDS):
        oracle.answer = gold
        for said in (OBJECTIONABLE[place % len(OBJECTIONABLE)], ""):
            oracle.says = said
            if asked.task == "free" and not said:
                continue  # its sentences are the answer
            answer = asyncio.run(_answered(settings, asked))
            assert answer.decision.status == "decided", (asked.task, asked.text, said, answer.decision.reason)
            assert asked.task == "free" or values(answer) == gold, (asked.task, said)
            assert Answer.model_validate_json(answer.model_dump_json()) == answer  # it can be kept


@pytest.mark.parametrize("preset", ["omni-rag-prompting", "omni-rag-trained"])
def test_a_plan_in_prose_leaves_the_reader_with_nothing_found_and_is_recorded(
    preset: str, oracle: OraclePeer, papers_home: Path
) -> None:
    oracle.planless, oracle.answer = True, ["no"]
    answer = asyncio.run(_answered(settings_of(preset, {"model.retries": 0}, oracle), KINDS[0][0]))
    assert (values(answer), answer.searches, answer.usage.searches) == (["no"], (), 0)
    assert any("plan of sources could not be read" in line for line in answer.warnings)
    assert plan_unread(read_trace(papers_home / "traces", answer.trace_id))
