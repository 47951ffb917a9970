"""Parts of the body by their names in plain words: "Does Wilson disease affect the liver?"."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from medground.graph.linking import Mention, Piece
from medground.graph.names import name_key, table
from medground.graph.store import GraphStore
from medground.graph.vocabulary import word_set

_TOUCHES = word_set(
    """affect affects affected affecting attack attacks harm harms harming damage damages damaging damaged harmed
    attacked hurt hurts target targets impact impacts involve involves involved involving"""
)
_PASSIVE = word_set("affected involved damaged harmed hurt attacked")
_TROUBLES = word_set(
    """problem problems trouble troubles issue issues disease diseases disorder disorders symptom symptoms sign signs
    abnormality abnormalities involvement damage defect defects feature features finding findings difficulties
    manifestations changes"""
)
_OWNERS = word_set("his her their your")


@cache
def organs() -> dict[str, tuple[str, ...]]:
    """The terms of the ontology that a part of the body stands for, by the key of its name."""
    return {name_key(name): tuple(terms.split(" | ")) for name, terms in table("organs.tsv")}


def organs_in(store: GraphStore, pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces with parts of the body as mentions, if a disease is named and asked to affect them.

    "Affects the heart", "heart problems" and "problems with the heart" become a mention of the heart's abnormalities;
    any other use of these words is left as it is.
    """
    words = {piece for piece in pieces if isinstance(piece, str)}
    diseases = any(isinstance(piece, Mention) and piece.of("disease") for piece in pieces)
    if not diseases or words.isdisjoint(_TOUCHES | _TROUBLES):
        return list(pieces)
    read: list[Piece] = []
    start = 0
    while start < len(pieces):
        mention, end = _organ(store, pieces, start)
        if mention and _is_subject(pieces[end:]):
            return list(pieces)
        read.append(mention or pieces[start])
        start = end
    if not any(isinstance(piece, Mention) and piece.organ for piece in read):
        return list(pieces)
    plain = [_cue(piece) if isinstance(piece, str) else piece for piece in read]
    return [piece for piece in plain if piece]


def _organ(store: GraphStore, pieces: Sequence[Piece], start: int) -> tuple[Mention | None, int]:
    """The part of the body that begins here, with the word for its trouble, and where it ends."""
    for length in (2, 1):
        words = [piece for piece in pieces[start : start + length] if isinstance(piece, str)]
        key = name_key(" ".join(words))
        terms = organs().get(key, ()) if len(key.split()) == length else ()
        meant = tuple(concept for term in terms for concept in store.find(term, "phenotype"))
        if meant:
            text, end = " ".join(words), start + length
            note = f"“{text}” read as {meant[0].label}" + (" and the like" if len(meant) > 1 else "")
            after = pieces[end] if end < len(pieces) else ""
            if after in _TROUBLES and start and pieces[start - 1] in ("a", "an"):
                break  # "Is it a skin disease?" asks what it is
            return Mention(text, meant, note, organ=True), end + (after in _TROUBLES)
    return None, start + 1


def _is_subject(after: Sequence[Piece]) -> bool:
    """Whether a part of the body affects a disease, which is another question."""
    verbs = [number for number, piece in enumerate(after) if piece in _TOUCHES - _PASSIVE]
    return bool(verbs) and any(isinstance(piece, Mention) for piece in after[verbs[0] :])


def _cue(word: str) -> str:
    if word in _OWNERS:
        return ""
    return "involve" if word in _TOUCHES else "features" if word in _TROUBLES else word
