"""What was written, before it is checked."""

from __future__ import annotations

from medground.answer import Basis
from medground.document import Frozen


class Sentence(Frozen):
    """A sentence of the rationale and the evidence it cites."""

    text: str
    evidence: tuple[str, ...]


class Draft(Frozen):
    """A rationale and the answer that follows from it; `answer` is empty when none follows."""

    sentences: tuple[Sentence, ...] = ()
    answer: tuple[str, ...] = ()
    basis: Basis | None = None
    reason: str = ""
