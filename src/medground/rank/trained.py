"""The reranker that ships with the package, once `medground models fetch` has made it.

It was trained on a question beside a sentence or a passage under its title, so that is what it is given.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from medground.document import Passage
from medground.errors import ConfigError

if TYPE_CHECKING:
    from medground.models.pairs.network import PairNetwork
    from medground.models.pairs.shipped import Card

_NEAREST = 1e-6
"""Probabilities are kept at least this far from 0 and 1, so that their log-odds are finite."""


class TrainedReranker:
    """Scores passages with a shipped network.

    Args:
        network: the network, with one output.
        card: what was measured of it.

    Raises:
        ConfigError: the network has more outputs.
    """

    def __init__(self, network: PairNetwork, card: Card) -> None:
        if len(network.about.labels) != 1:
            raise ConfigError(f"the weights of {network.name} give more than one score; reinstall medground")
        self._network = network
        self.card = card

    @property
    def name(self) -> str:
        """Its name in the settings, in hits and traces."""
        return self._network.name

    @property
    def depth(self) -> int:
        """Most hits that are worth the time; those below keep their order."""
        return self.card.depth

    def score(self, question: str, passages: Sequence[Passage]) -> list[float]:
        """Probabilities that each passage answers the question, in the order given. This blocks.

        A passage that gives no finite number scores 0.

        Raises:
            ModelFailed: the network could not run.
        """
        return self.of_texts(question, [(passage.title, passage.text) for passage in passages])

    def of_texts(self, question: str, texts: Sequence[tuple[str, str]]) -> list[float]:
        """The same for texts with their titles, such as sentences."""
        pairs = [(f"{title}\n{text}" if title else text, question) for title, text in texts]
        found = self._network.probabilities(pairs)
        return [float(row[0]) if math.isfinite(row[0]) else 0.0 for row in found]

    def log_odds(self, question: str, texts: Sequence[tuple[str, str]]) -> list[float]:
        """The scores as log-odds, which can be added to strengths."""
        bounded = (min(max(score, _NEAREST), 1 - _NEAREST) for score in self.of_texts(question, texts))
        return [math.log(score / (1 - score)) for score in bounded]


def open_trained(name: str, models: Path) -> TrainedReranker:
    """Open a shipped reranker, once.

    Raises:
        ConfigError: it was not fetched, an extra is missing, or a file is damaged.
    """
    from medground.models.pairs.make import made

    folder, card = made(name, models)
    return _opened(name, folder, card)


@lru_cache(maxsize=2)
def _opened(name: str, folder: Path, card: Card) -> TrainedReranker:
    from medground.models.pairs.network import open_network

    return TrainedReranker(open_network(name, folder), card)
