"""A rationale and an answer before they are checked."""

from __future__ import annotations

from medground.answer import Basis
from medground.document import Frozen
from medground.operators.writing import WriteOutput
from medground.sentence import Sentence
from medground.verify.named import without_marks


class Draft(Frozen):
    """A rationale and the answer that follows from it; `answer` is empty if none follows."""

    sentences: tuple[Sentence, ...] = ()
    answer: tuple[str, ...] = ()
    basis: Basis | None = None
    reason: str = ""


def drafted(output: WriteOutput) -> Draft:
    """A model's output as a draft: each sentence on one line, with its citations."""
    written = tuple(Sentence(text=without_marks(s.text), evidence=s.evidence) for s in output.sentences)
    return Draft(sentences=written, answer=output.answer, basis="model" if output.answer else None)
