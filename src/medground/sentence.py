"""A written sentence, or one statement of it, and what it cites."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pydantic import Field

from medground.document import Frozen


class Sentence(Frozen):
    """A sentence of the rationale, or one statement of a longer sentence, and the evidence that the sentence cites.

    A statement knows its sentence: `text == within[start : start + len(text)]`, and the first one stands at 0.
    """

    text: str
    evidence: tuple[str, ...]
    within: str = Field(default="", description="the sentence that it is a statement of; empty: it is a whole sentence")
    start: int = Field(default=0, ge=0, description="where it stands in that sentence")

    @property
    def whole(self) -> Sentence:
        """The sentence that it stands in."""
        return Sentence(text=self.within, evidence=self.evidence) if self.within else self


def by_sentence(statements: Iterable[Sentence]) -> Iterator[list[Sentence]]:
    """Statements in groups that make one sentence each."""
    group: list[Sentence] = []
    for statement in statements:
        if group and (statement.start == 0 or statement.within != group[0].within):
            yield group
            group = []
        group.append(statement)
    if group:
        yield group


def sentences_of(statements: Sequence[Sentence]) -> list[Sentence]:
    """The whole sentences, each once."""
    return [group[0].whole for group in by_sentence(statements)]
