"""What operators see of passages and evidence: only what they need, with ids to answer with."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import Field

from medground.document import SourceKind
from medground.evidence import Stance
from medground.operators.base import InvalidOutput, OperatorInput, Untrusted


class PassageView(OperatorInput):
    """A passage to screen. `id` is local to the call: P1, P2, ..."""

    id: str
    title: Untrusted = ""
    year: int | None = None
    design: str = ""
    text: Untrusted
    nearness: float = Field(default=0.0, exclude=True)
    """Cosine of its vector with the question's; 0 if unknown."""
    behind: float = Field(default=0.0, exclude=True)
    """How much less likely it is to hold the best quote than the likeliest passage found, as a logarithm."""
    misses_name: bool = Field(default=False, exclude=True)
    """Whether it does not mention the rarest name of the question, and another passage that was found does."""
    unnamed: bool = Field(default=False, exclude=True)
    """Whether no passage that was found mentions the rarest name of the question."""


class SentenceView(OperatorInput):
    """A sentence to pick by its id: P1.S2 is the second sentence of passage P1."""

    id: str
    text: Untrusted
    strength: float | None = Field(default=None, exclude=True)
    """How good a quote it is among all sentences found, by the statistics of `quoting`; None if not computed."""


class SentencedPassage(OperatorInput):
    """A passage as numbered sentences. `kind` is that of its source, where sources of several kinds are read."""

    id: str
    kind: SourceKind | None = None
    title: Untrusted = ""
    section: Untrusted = ""
    sentences: tuple[SentenceView, ...]


class EvidenceView(OperatorInput):
    """A quote from the ledger under its ledger id: E1, E2, ..."""

    id: str
    title: Untrusted = ""
    year: int | None = None
    design: str = ""
    section: Untrusted = ""
    stance: Stance = "unknown"
    quote: Untrusted


def sentence_ids(passages: Iterable[SentencedPassage]) -> tuple[str, ...]:
    """The ids of all sentences, in order."""
    return tuple(sentence.id for passage in passages for sentence in passage.sentences)


def only_known(used: Iterable[str], known: Iterable[str], what: str) -> None:
    """Check that an output names only ids that were given.

    Raises:
        InvalidOutput: it names another.
    """
    allowed = set(known)
    if unknown := [one for one in used if one not in allowed]:
        raise InvalidOutput(f"unknown {what} ids {', '.join(unknown[:5])}; use only ids that are given")
