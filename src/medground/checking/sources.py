"""The papers that a sentence is compared with: their sentences, and those that are nearest to what it says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from medground.answering.verify.context import meant_by
from medground.answering.verify.reporting import asks_or_plans
from medground.language import words
from medground.language.quantities import quantities
from medground.language.sentences import sentence_spans
from medground.values.document import Document
from medground.values.finding import FindingKind

_ABSTRACT = 6_000
"""Most characters of a text that is taken for an abstract."""
_OPENING = 2_500
"""Characters of the beginning of a text that are its abstract."""
_OF_TITLE = 0.3
"""What a word of the title counts for a sentence, which need not repeat it."""

_OF_NUMBERS = 0.15
"""What the numbers of a claim count, where a sentence has them all."""
_OF_AIM = 0.7
"""What a sentence counts that says what was asked or planned, and reports nothing."""


class Told(NamedTuple):
    """What is found of a sentence, for people, and the sentence of a paper that shows it."""

    kind: FindingKind
    reason: str
    quote: Quote | None = None


class Quote(NamedTuple):
    """A sentence of a paper, and the share of a claim's words, by weight, that it has with the paper's title."""

    document: Document
    start: int
    end: int
    share: float
    stems: frozenset[str] = frozenset()

    @property
    def text(self) -> str:
        """The sentence, letter by letter."""
        return self.document.text[self.start : self.end]


@dataclass(frozen=True)
class Source:
    """A stored text with its sentences; each is known by its words and by what its abbreviations stand for."""

    document: Document
    spans: tuple[tuple[int, int], ...]
    stems: tuple[frozenset[str], ...]
    title: frozenset[str]

    @property
    def form(self) -> str:
        """Whether it is the whole text or an abstract, in words."""
        return "text" if len(self.document.text) > _ABSTRACT else "abstract"

    def share(self, claim: str) -> float:
        """The share of a claim's words, by weight, that stand anywhere in it."""
        return words.coverage(told(claim), self.title.union(*self.stems))

    @cached_property
    def opening(self) -> frozenset[str]:
        """The stems of the title and of what stands where an abstract does."""
        return self.title.union(*(own for (_, end), own in zip(self.spans, self.stems, strict=True) if end < _OPENING))

    def quotes(self, claim: str) -> Iterator[Quote]:
        """Its sentences, each with its share of a claim."""
        wanted, numbers = told(claim), {value for quantity in quantities(claim) for value in quantity.values}
        for (start, end), own in zip(self.spans, self.stems, strict=True):
            share = words.coverage(wanted, own) + _OF_TITLE * words.coverage(wanted, self.title - own)
            text = self.document.text[start:end]
            if numbers:
                share += (
                    _OF_NUMBERS
                    * len(numbers & {v for quantity in quantities(text) for v in quantity.values})
                    / len(numbers)
                )
            finds = not asks_or_plans(text)
            yield Quote(self.document, start, end, share if finds else share * _OF_AIM, own)

    def beside(self, quote: Quote) -> list[Quote]:
        """A sentence with the one before it, and with the one after it."""
        at = self.spans.index((quote.start, quote.end))
        pairs = [self.spans[max(0, at - 1) : at + 1], self.spans[at : at + 2]]
        return [*(Quote(self.document, some[0][0], some[-1][1], 0.0) for some in pairs if len(some) > 1)]


def heading(document: Document) -> Quote:
    """The title of a paper, as what a finding rests on."""
    return Quote(document, 0, 0, 0.0)


def told(claim: str) -> list[str]:
    """The stems of a claim but for its numbers, which are compared by themselves."""
    return [stem for stem in words.terms(claim) if not stem[0].isdigit()]


def source_of(document: Document) -> Source:
    """A stored paper as a source."""
    text = document.text
    spans = tuple(sentence_spans(text))
    read = ("\n".join([text[start:end], *meant_by(text[start:end], document)]) for start, end in spans)
    stems = tuple(frozenset(words.terms(one)) for one in read)
    return Source(document, spans, stems, frozenset(words.terms(document.title)))


def nearest(claim: str, sources: Iterable[Source], most: int = 3) -> list[Quote]:
    """The sentences of some sources that are nearest to a claim, the best first."""
    found = [quote for source in sources for quote in source.quotes(claim)]
    return sorted(found, key=lambda quote: (-quote.share, quote.start))[:most]


def windows(claim: str, sources: Sequence[Source], near: Sequence[Quote] = ()) -> list[Quote]:
    """What a critic reads: the sentences that are `near` to a claim, and the first with its neighbours."""
    near = near or nearest(claim, sources)
    source = next(one for one in sources if one.document.id == near[0].document.id)
    return [*near, *source.beside(near[0])]
