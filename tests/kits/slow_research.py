"""A small recipe of research over a slow source, which writes down each call: for tests that kill it and go on.

python slow_research.py HOME LOG
"""

import asyncio
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel

import medground.engine.opening as opening
from medground.answering.conclude.compose import compose
from medground.answering.run import Run
from medground.answering.write.draft import Draft
from medground.home.concurrency import concurrently
from medground.home.registry import RECIPES, SOURCES
from medground.home.settings import Settings
from medground.models.base import CallLimits, Reply
from medground.models.operators.base import Operator
from medground.models.registry import CallCache, Models
from medground.recipes.base import Recipe
from medground.sources.base import SourceDeclaration
from medground.values.answer import Answer
from medground.values.document import Document, Hit
from medground.values.evidence import Sentence
from medground.values.lookup import Found, Lookup
from medground.values.query import Filters
from medground.values.question import Question
from medground.values.statement import Verdict
from medground.values.steps import ResearchBegun
from medground.values.usage import Usage

WAIT = 0.02
TOPICS = tuple(f"topic{n}" for n in range(12))
LOG = Path(os.devnull)


def log(line: str) -> None:
    """Write down a call; a line is whole also if the process is killed."""
    handle = os.open(LOG, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(handle, f"{line}\n".encode())
    os.close(handle)


class Text(BaseModel):
    """A text."""

    text: str


SAY = Operator[Text, Text](name="say", instructions="Say it.", input=Text, output=Text, keyless=lambda value: value)


class Slow:
    """Finds one document for each word, after a while."""

    name = "slow"
    state = None
    kinds = frozenset(["research"])

    def accepts(self, lookup: Lookup) -> bool:
        return True

    async def search(self, lookup: Lookup, filters: Filters) -> Found:
        log(f"search {lookup.text}")
        await asyncio.sleep(WAIT)
        [document] = (await self._read([f"T:{lookup.text}"])).values()
        passage = {"document_id": document.id, "start": 0, "end": len(document.text), "text": document.text}
        hit = Hit.model_validate({"passage": passage, "ranker": "slow", "rank": 1, "score": 1.0, "source": self.name})
        return Found(lookup, self.name, rankings=((hit,),))

    async def fetch(self, ids: Sequence[str]) -> dict[str, Document]:
        log(f"fetch {' '.join(sorted(ids))}")
        await asyncio.sleep(WAIT)
        return await self._read(ids)

    async def _read(self, ids: Sequence[str]) -> dict[str, Document]:
        return {i: Document(id=i, title=i, text=f"About topics, and {i} of them.") for i in ids}

    async def close(self) -> None:
        return None


class Speaker:
    """A model that says what it is given, after a while."""

    name = identity = "test:speaker"
    cacheable = True

    async def answer(self, operator: Operator[Any, Any], value: Any, limits: CallLimits) -> Reply[Any]:
        log(f"call {value.text}")
        await asyncio.sleep(WAIT)
        return Reply(output=value, usage=Usage(model_calls=1, input_tokens=1, output_tokens=1))

    async def close(self) -> None:
        return None


async def _run(question: Question, run: Run) -> Answer:
    topics = TOPICS if question.plan is None else tuple(one.text for one in question.plan.subquestions)

    async def one(topic: str) -> Sentence:
        [found] = await run.look_up(Lookup.words(topic))
        await run.retrieve(sorted(found.documents))
        said = await run.ask(SAY, Text(text=topic))
        return Sentence(text=said.text, evidence=())

    for start in range(0, len(topics), 3):
        await concurrently(one(topic) for topic in topics[start : start + 3])
    quotes = [run.ledger.quote(f"T:{topic}", 0, 9) for topic in topics]
    sentences = tuple(Sentence(text=quote.quote, evidence=(quote.id,)) for quote in quotes)
    return compose(run, Draft(sentences=sentences), [Verdict(label="quoted", critic="verbatim")] * len(sentences))


SLOW = SourceDeclaration(name="slow", open=lambda settings: Slow())  # type: ignore[arg-type,return-value]
RESEARCH = Recipe(name="slow-research", run=_run, operators=(SAY,), researches=True)


def _models(settings: Settings, operators: object) -> Models:
    cache = CallCache(settings.home / "cache" / "calls") if settings.model.cache else None
    return Models(Speaker.name, {}, {Speaker.name: Speaker()}, cache)


def install(calls: Path) -> None:
    """Register recipe, source and model in this process, and write calls down in a file."""
    global LOG
    LOG = calls
    RECIPES["slow-research"] = f"{__name__}:RESEARCH"
    SOURCES["slow"] = f"{__name__}:SLOW"
    opening.open_models_of = lambda settings: _models(settings, ())


def options(**more: Any) -> dict[str, Any]:
    """Settings that search the slow source only."""
    return {"retrieval.corpora": (), "retrieval.sources": ("slow",), "recipe.name": "slow-research", **more}


def main() -> None:
    """Ask, and print the id of the research."""
    from medground.engine.blocking import BlockingEngine

    home, calls = sys.argv[1:]
    install(Path(calls))
    settings = Settings.load(environ={"MEDGROUND_HOME": home}, options=options(**{"model.cache": False}))

    def told(step: object) -> None:
        if isinstance(step, ResearchBegun):
            print(step.id, flush=True)

    with BlockingEngine(settings) as engine:
        engine.ask("About topics", on_step=told)


if __name__ == "__main__":
    sys.modules["slow_research"] = sys.modules["__main__"]
    main()
