"""Overclaiming: a statement that says more than the quote that supports it, whoever the critic is.

Each kind is told by words alone: `certainty` (the quote hedges, the statement does not), `cause` (the quote reports an
association, the statement a cause), `population` (the quote studied animals or cells, the statement speaks of people),
`purpose` and `title` (the quote reports nothing: it asks, plans or supposes, or is a title). A word is no proof, so an
overclaim never makes a statement false: it can be `partly` supported at most.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from medground.answer import Verdict
from medground.document import Document
from medground.operators.keyless.flags import differences
from medground.operators.keyless.flags.cues import ASSOCIATION, DOUBT, HEDGE
from medground.text import words
from medground.verify.reporting import PURPOSE, TITLE, asks_or_plans, why_not_finding

_REPORTED = re.compile(
    r"\b(?:suggest\w*|hypothesi\w+|speculat\w+|appear(?:s|ed)?|seem(?:s|ed)?|possible|likely)\b[^.;,]{0,20}?\bthat\b",
    re.IGNORECASE,
)
"""A hedge in front of what it hedges; a statement that repeats the rest has lost it."""
_MODAL = re.compile(
    r"\b(?P<modal>may|might|could)\s+(?:\w+ly\s+|also\s+)?(?:be\s+|have\s+)?(?P<verb>\w+)", re.IGNORECASE
)
_WORD = re.compile(r"\w+")
_NEAR = 60
"""Characters in front of a verb in which its hedge stands."""
_TOLD = re.compile(r"\b(?:suggest\w*|hypothesi\w+|speculat\w+|unclear|uncertain\w*)\b", re.IGNORECASE)
_ANIMALS_OR_CELLS = re.compile(
    r"\b(?:mouse|mice|murine|rats?|rodents?|rabbits?|zebrafish|drosophila|pigs?|piglets?|porcine|dogs?|canine|monkeys?|"
    r"macaques?|sheep|guinea pigs?|hamsters?|in vitro|ex vivo|cell lines?|cultured cells|cell cultures?|explants?)\b",
    re.IGNORECASE,
)
_PEOPLE = re.compile(
    r"\b(?:humans?|patients?|people|persons?|adults?|children|infants?|women|men|individuals|participants|volunteers|"
    r"clinical(?:ly)?|survivors)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Excess:
    """In what a statement says more than its source, and the source's own word for it."""

    kind: str
    word: str

    @property
    def note(self) -> str:
        """One line for a reader."""
        return f"says more than its source: the source says `{self.word}`"


def excesses(statement: str, quote: str, document: Document, *, sentence: str = "") -> tuple[Excess, ...]:
    """In what a statement says more than a quote of a document.

    Args:
        statement: one checked statement.
        quote: the quote that supports it best.
        document: where the quote stands; its title may name the species that the quote leaves out.
        sentence: the whole sentence that the statement stands in, whose `may` may stand in another clause.
    """
    found = [(kind, told(statement, quote, document, sentence or statement)) for kind, told in _KINDS.items()]
    return tuple(Excess(kind, word) for kind, word in found if word)


def held_back(verdict: Verdict, found: tuple[Excess, ...]) -> Verdict:
    """A verdict that says what the statement overclaims: flagged, and `partly` where it was `supported`."""
    if not found or verdict.label in ("quoted", "not found", "unverified", "contradicted"):
        return verdict
    flags = tuple(dict.fromkeys([*verdict.flags, *(excess.kind for excess in found)]))
    note = "; ".join([*([verdict.note] if verdict.note else []), *dict.fromkeys(excess.note for excess in found)])
    label = "partly" if verdict.label == "supported" else verdict.label
    return verdict.model_copy(update={"label": label, "flags": flags, "note": note})


def _certainty(statement: str, quote: str, document: Document, sentence: str) -> str | None:
    if lost := _lost_modal(statement, quote, sentence):
        return lost
    if HEDGE.search(sentence):
        return None
    if "certainty" in differences(statement, quote):
        return _word(DOUBT, quote) or _word(HEDGE, quote)
    reported = _REPORTED.search(quote)
    return reported[0].lower() if reported else None


def _lost_modal(statement: str, quote: str, sentence: str) -> str | None:
    """A `may` in front of a verb which the statement has, and has it plainly: a hedge elsewhere does not soften it."""
    before = sentence[: max(sentence.find(statement), 0)]
    for hedged in _MODAL.finditer(quote):
        verb = words.stem(hedged["verb"].lower())
        for said in _WORD.finditer(statement):
            plain = words.stem(said[0].lower()) == verb and not HEDGE.search(
                (before + statement[: said.start()])[-_NEAR:]
            )
            if plain and not _TOLD.search(sentence):
                return hedged["modal"].lower()
    return None


def _cause(statement: str, quote: str, document: Document, sentence: str) -> str | None:
    return _word(ASSOCIATION, quote) if "cause" in differences(statement, quote) else None


def _population(statement: str, quote: str, document: Document, sentence: str) -> str | None:
    """The quote's own people make it a study of people, whatever else it studied."""
    if _ANIMALS_OR_CELLS.search(sentence) or not _PEOPLE.search(statement):
        return None
    return not_of_people(quote, document)


def _not_finding(flag: str, statement: str, quote: str, document: Document, sentence: str) -> str | None:
    if asks_or_plans(sentence):
        return None
    found = why_not_finding(quote, document)
    return found[1] if found and found[0] == flag else None


def not_of_people(quote: str, document: Document) -> str | None:
    """The animals or cells that a quote is about, by its words and its title; None where either speaks of people."""
    if _PEOPLE.search(quote) or _PEOPLE.search(document.title):
        return None
    return _word(_ANIMALS_OR_CELLS, quote) or _word(_ANIMALS_OR_CELLS, document.title)


def _word(pattern: re.Pattern[str], text: str) -> str | None:
    found = pattern.search(text)
    return found[0].lower() if found else None


_KINDS: Mapping[str, Callable[[str, str, Document, str], str | None]] = {
    "certainty": _certainty,
    "cause": _cause,
    "population": _population,
    PURPOSE: partial(_not_finding, PURPOSE),
    TITLE: partial(_not_finding, TITLE),
}
