"""Networks that order what was found: the reranker that the settings name, and the one that judges sentences."""

import asyncio
import logging
import threading
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Protocol, runtime_checkable

from medground.answering.run import Run
from medground.errors import ConfigError, MedgroundError, StorageFailed, needing
from medground.home.registry import find
from medground.language.quoting.judged import AnswerNetwork
from medground.models import wheels
from medground.models.catalogue import MINILM
from medground.models.embedders import CROSS, is_medcpt, place
from medground.values.document import Hit, Passage


@runtime_checkable
class Reranker(Protocol):
    """Scores passages against a question, from 0 to 1; higher is better. Calibrated as far as the model allows."""

    @property
    def name(self) -> str:
        """Its name in hits and traces."""
        ...

    def score(self, question: str, passages: Sequence[Passage]) -> list[float]:
        """One score from 0 to 1 per passage, in the order given."""
        ...


async def rerank(name: str, text: str, hits: Iterable[Hit], keep: int, run: Run) -> list[Hit]:
    """The best `keep` hits for `text` by the reranker `name`, ties in their order; if it is `none`, the first hits.

    Raises ConfigError: the reranker cannot be opened.
    """
    reranker = await asyncio.to_thread(open_reranker, name, run.settings.home / "models")
    if reranker is None:
        return list(islice(hits, keep))
    hits = list(hits)
    if not hits:
        return []
    with run.trace.span("rerank", reranker=reranker.name, hits=len(hits)):
        scores = await asyncio.to_thread(reranker.score, text, [h.passage for h in hits])
    order = sorted(range(len(hits)), key=lambda i: -scores[i])[:keep]
    return [hits[i].replace(ranker=reranker.name, rank=rank, score=scores[i]) for rank, i in enumerate(order, start=1)]


def reranker_problems(name: str, models: Path) -> Iterator[MedgroundError]:
    """Load a reranker and yield what is wrong with it, for the check of a recipe."""
    try:
        open_reranker(name, models)
    except MedgroundError as error:
        yield error


def open_reranker(name: str, models: Path) -> Reranker | None:
    """Open the reranker `name`, once, from the folder of all fetched models; None for `none`.

    Raises ConfigError: the reranker cannot be opened.
    """
    if is_medcpt(name):
        return _opened(place(name, CROSS, models))
    return (None if name == "none" else find("rerankers", name, Reranker)) or _opened(name)


@lru_cache(maxsize=4)
def _opened(name: str) -> Reranker | None:
    if name == "none":
        return None
    if name == "keyless":
        raise ConfigError("the reranker `keyless` is gone: it ordered no better than the search; set `none` instead")
    from medground.answering.rank.cross_encoder import CrossEncoderReranker

    return CrossEncoderReranker(name)


log = logging.getLogger(__name__)
_OPENING = threading.Lock()


def has_minilm(run: Run) -> bool:
    """Whether MiniLM may be used and is in the home."""
    return run.settings.retrieval.dense and wheels.find(MINILM, run.settings.home / "models") is not None


async def network_of(run: Run) -> AnswerNetwork | None:
    """The network; None without `retrieval.dense`, where MiniLM is not in the home, or its graph cannot be written
    there."""
    if not has_minilm(run):
        return None
    try:
        return await asyncio.to_thread(_network_once, run.settings.home)
    except (ConfigError, StorageFailed) as error:
        log.info("sentences are judged by their words alone: %s", error)
        return None


def _network_once(home: Path) -> AnswerNetwork:
    with _OPENING:  # two questions at once open it once
        return _network(home)


@lru_cache(maxsize=2)
def _network(home: Path) -> AnswerNetwork:
    with needing("dense", "the network that judges sentences"):
        from medground.models.sentence_scorer import open_sentence_scorer
    return open_sentence_scorer(home)
