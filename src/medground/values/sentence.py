"""A written sentence, or one statement of it, with its citations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pydantic import Field

from medground.values.document import Frozen


class Sentence(Frozen):
    """A sentence of the rationale, or one statement of a longer sentence, and the evidence that the sentence cites.

    For a statement, `text == within[start : start + len(text)]`; the first statement of a sentence starts at 0.
    """

    text: str
    evidence: tuple[str, ...]
    within: str = Field(default="", description="the sentence it is part of; empty for a whole sentence")
    start: int = Field(default=0, ge=0, description="its offset in that sentence")

    @property
    def whole(self) -> Sentence:
        """The whole sentence."""
        return Sentence(text=self.within, evidence=self.evidence) if self.within else self


def by_sentence(statements: Iterable[Sentence]) -> Iterator[list[Sentence]]:
    """Group statements by sentence."""
    group: list[Sentence] = []
    for statement in statements:
        if group and (statement.start == 0 or statement.within != group[0].within):
            yield group
            group = []
        group.append(statement)
    if group:
        yield group


def sentences_of(statements: Sequence[Sentence]) -> list[Sentence]:
    """The whole sentences of these statements, each once."""
    return [group[0].whole for group in by_sentence(statements)]
