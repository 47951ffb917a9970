"""What operators see of passages and evidence: only what they need, with ids to answer with."""

from __future__ import annotations

from medground.evidence import Stance
from medground.operators.base import OperatorInput, Untrusted


class PassageView(OperatorInput):
    """A passage to screen. `id` is local to the call: P1, P2, ..."""

    id: str
    title: Untrusted = ""
    year: int | None = None
    design: str = ""
    text: Untrusted


class SentenceView(OperatorInput):
    """A sentence to pick by its id: P1.S2 is the second sentence of passage P1."""

    id: str
    text: Untrusted


class SentencedPassage(OperatorInput):
    """A passage as numbered sentences."""

    id: str
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
