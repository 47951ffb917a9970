"""Read a question as one that stored relations can answer. In case of doubt, the graph does not answer it.

The names of a question become mentions (`linking`), and what is left of it must be words that ask for a relation
(`vocabulary`). Any other word ("in children", "after surgery", "compared with") is a condition that no stored relation
covers, so such a question goes to the literature. A name is read as written first, then loosely ("Tay-Sachs"), then
with its spelling corrected; the question says how it was read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from medground.graph.intent import Asked, asked_of
from medground.graph.linking import Mention, Piece, corrected, genes_in, is_sure, link, organs_in, tokens
from medground.graph.question_words import CONTRACTED, plainly
from medground.graph.relation import Concept
from medground.graph.store import GraphStore
from medground.values.graph import RelationKind

MAX_CHARACTERS = 300
"""A longer question asks for more than a relation."""

_TERM = re.compile(
    r"(?:(?:what (?:is|are)|define)(?: the (?:definition|meaning) of| meant by)? (?:an? |the )?(.+?)"
    r"|what (?:do|does) (?:the (?:term|word) )?(.+?) mean)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class GraphQuestion:
    """What a question asks of the graph.

    Attributes:
        relation: what is asked.
        phenotypes: the phenotypes of all names, each name with all its possible meanings.
        diseases: the diseases.
        genes: the genes.
        asked: how they are asked about.
        read_as: names that were not read as written, one note each.
    """

    relation: RelationKind
    phenotypes: tuple[Concept, ...] = ()
    diseases: tuple[Concept, ...] = ()
    genes: tuple[Concept, ...] = ()
    asked: Asked = field(default_factory=lambda: Asked("profile"))
    read_as: tuple[str, ...] = ()


def read_question(store: GraphStore, text: str) -> GraphQuestion | None:
    """The relation that a question asks for. None if it asks for none or for more, or names an unknown concept.

    Raises:
        SnapshotCorrupt: the graph cannot be read.
    """
    plain = " ".join(text.split()).rstrip("?!. ").replace("’", "'")
    if not plain or len(plain) > MAX_CHARACTERS:
        return None
    said = plainly(CONTRACTED.sub(r"\1", plain))
    rhetorical = said.whether or CONTRACTED.match(plain) is not None
    for pieces, notes in _readings(store, tokens(said.text)):
        asked = asked_of(organs_in(store, genes_in(store, pieces)), rhetorical=rhetorical)
        if asked is not None:
            return _question(replace(asked, personal=said.personal), notes)
    return _term(store, plain)


def mentions(store: GraphStore, text: str) -> list[Mention]:
    """The names in a text, whatever it asks; read loosely if there are none as written."""
    words = tokens(" ".join(text.split())[:MAX_CHARACTERS])
    found = _names(link(store, words)) or _names(link(store, words, loosely=True))
    if found or not (meant := corrected(store, words)):
        return found
    return _names(link(store, [meant.get(word, word) for word in words], loosely=True))


def _readings(store: GraphStore, words: list[str]) -> Iterator[tuple[list[Piece], tuple[str, ...]]]:
    yield link(store, words), ()
    yield link(store, words, loosely=True), ()
    if meant := corrected(store, words):
        pieces = link(store, [meant.get(word, word) for word in words], loosely=True)
        names = _names(pieces)
        if all(is_sure(name.text, meant, alone=len(names) == 1) for name in names):
            yield pieces, tuple(f"“{word}” read as “{near}”" for word, near in meant.items())


def _names(pieces: Sequence[Piece]) -> list[Mention]:
    return [piece for piece in pieces if isinstance(piece, Mention)]


def _question(asked: Asked, notes: tuple[str, ...]) -> GraphQuestion:
    groups = (asked.phenotypes, asked.diseases, asked.genes)
    read = dict.fromkeys((*notes, *(m.note for group in groups for m in group if m.note)))
    phenotypes, diseases, genes = (tuple(dict.fromkeys(c for m in group for c in m.concepts)) for group in groups)
    return GraphQuestion(asked.relation, phenotypes, diseases, genes, asked, tuple(read))


def _term(store: GraphStore, text: str) -> GraphQuestion | None:
    """A question for the meaning of a term that is not an abnormality, such as a mode of inheritance."""
    match = _TERM.fullmatch(text)
    found = store.find((match[1] or match[2]).strip("'\" "), "modifier") if match else ()
    return replace(_question(Asked("definition of"), ()), phenotypes=found) if found else None
