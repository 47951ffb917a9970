"""The network that reads a question and a sentence together, where a corpus with MiniLM's vectors is searched."""

import asyncio
import logging
import threading
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from medground.answering.read.reading_list import Reading
from medground.answering.run import Run
from medground.errors import ConfigError, StorageFailed, needing
from medground.language.quoting.judged import AnswerNetwork

log = logging.getLogger(__name__)
_OPENING = threading.Lock()


async def network_of(readings: Sequence[Reading], run: Run) -> AnswerNetwork | None:
    """The network; None where vectors found none of the readings, MiniLM is not in the home, or its graph cannot be
    written there."""
    if not any("dense" in reading.scores for reading in readings):
        return None
    try:
        return await asyncio.to_thread(_opened_once, run.settings.home)
    except (ConfigError, StorageFailed) as error:
        log.info("sentences are judged by their words alone: %s", error)
        return None


def _opened_once(home: Path) -> AnswerNetwork:
    with _OPENING:  # two questions at once open it once
        return _opened(home)


@lru_cache(maxsize=2)
def _opened(home: Path) -> AnswerNetwork:
    with needing("dense", "the network that judges sentences"):
        from medground.models.sentence_scorer import open_sentence_scorer
    return open_sentence_scorer(home)
