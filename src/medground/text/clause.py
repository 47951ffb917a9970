"""One clause that begins with its auxiliary, as a statement: `Does zinc help` is `zinc helps`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from medground.text import predicate_words as lists
from medground.text.predicate import BE, DO, HAVE, core, predicate

_NO_MEANING = frozenset(("they", "this", "these", "those", "he", "she", "his", "her", "their"))
"""Subjects that stand for something said before."""
_CHOICE = re.compile(
    r"\bor (?:not|is|are|does|do|an?|the|just|only|merely)\b"
    r"|\b(?:better|best|more|less|worse|superior|inferior|first|due)\b|\bprefer"
)
_SAME_AS_AND = re.compile(r"\bwith or without\b|\band or\b|\bone or more\b")


def statement_of(text: str) -> str | None:
    """The statement of a clause such as `is zinc safe`, without a full stop; None where the rules are not sure."""
    tokens = tokenized(text)
    if tokens is None or len(tokens) < 3:
        return None
    verb, rest = tokens[0].lower(), tokens[1:]
    words = [core(token) for token in rest]
    if (
        words[0] in _NO_MEANING
        or words[0] in lists.PREPOSITIONS
        or (words[0] == "it" and not stands_for_clause(verb, rest))
    ):
        return None
    one_clause = not lists.SUBORDINATE & set(words)
    if verb in BE and one_clause and BE & set(words):
        return " ".join(rest)  # `Is zinc is safe`: the statement is there already
    place = predicate(verb, rest)
    if place is None or offers_choice(verb, words, place):
        return None
    if lists.SUBORDINATE & set(words[:place]) - {"that", "who", "which", "whose", "where"}:
        return None
    said = in_form(verb, rest[place:])
    subject = ["some", *rest[1:place]] if words[0] == "any" else rest[:place]
    return None if said is None else " ".join([*subject, *said])


def tokenized(text: str) -> list[str] | None:
    """Words, each with the bracketed aside after it; None if brackets do not match."""
    tokens: list[str] = []
    depth = 0
    for word in text.split():
        change = word.count("(") - word.count(")")
        if tokens and (depth or (word.startswith("(") and (change or word.rstrip(",.;:").endswith(")")))):
            tokens[-1] += f" {word}"
        else:
            tokens.append(word)
        depth += change
        if depth < 0:
            return None
    return None if depth else tokens


def stands_for_clause(verb: str, rest: Sequence[str]) -> bool:
    """Whether `it` is explained later: `is it safe to operate`. `is it a drug` is not."""
    words = [core(token) for token in rest]
    said = verb in BE and len(words) > 1 and words[1] not in lists.ARTICLES
    return said and any(word in ("to", "that") for word in words[2:5])


def in_form(verb: str, tokens: Sequence[str]) -> list[str] | None:
    """The predicate with its auxiliary, or in the form that needs none; None if a word has no place in a statement."""
    said = _positive(verb, tokens)
    if said is None or verb not in DO:
        return said
    at = next((n for n, token in enumerate(said) if not _is_adverb(token)), 0)
    joined = {core(token) for before, token in pairwise(said[at + 1 :]) if core(before) in ("and", "or")}
    if verb == "did" or (verb == "does" and joined & (lists.VERBS | lists.OFTEN_VERBS)):
        return [verb, *said]  # a second verb would need its form too
    return [*said[:at], said[at] if verb == "do" else _third_person(said[at]), *said[at + 1 :]]


def _is_adverb(token: str) -> bool:
    word = core(token)
    return word in lists.ADVERBS or (word.endswith("ly") and word not in lists.VERBS)


def _positive(verb: str, tokens: Sequence[str]) -> list[str] | None:
    """The auxiliary, if it stays, and the predicate, without `any` and `ever`, which statements do not have."""
    said = [token for token in tokens if core(token) != "ever"]
    if len(said) < len(tokens) and verb not in HAVE:
        said = ["sometimes" if core(token) == "ever" else token for token in tokens]
    said = said if verb in DO else [verb, *said]
    anys = [n for n, token in enumerate(said) if core(token) == "any" and core(said[n - 1]) not in lists.PREPOSITIONS]
    if not anys:
        return said
    at = anys[0]
    if len(anys) > 1 or not 0 < at < min(4, len(said) - 1):
        return None
    noun = before_preposition(said[at + 1 :])
    if noun[0] == "other":
        return None
    if verb in ("are", "were") or any(is_plural(word) for word in noun) or noun[-1] in lists.MASS:
        return [*said[:at], *said[at + 1 :]]
    return [*said[:at], "an" if noun[0][:1] in "aeiou" else "a", *said[at + 1 :]]


def before_preposition(tokens: Sequence[str]) -> list[str]:
    """A noun with what stands before it: all words up to the first preposition or clause."""
    words = [core(token) for token in tokens]
    after = lists.PREPOSITIONS | lists.SUBORDINATE | {"to"}
    return words[: next((n for n, word in enumerate(words) if n and word in after), len(words))]


def is_plural(noun: str) -> bool:
    """Whether a noun looks like a plural."""
    singular = ("ss", "us", "is", "cans", "diabetes", "series", "aids")
    return noun in lists.PLURALS or (noun.endswith("s") and not noun.endswith(singular))


def _third_person(token: str) -> str:
    """The verb without `does`: `reduce` is `reduces`."""
    if core(token) in ("have", "be"):
        return {"have": "has", "be": "is", "Have": "Has", "Be": "Is"}.get(token, token)
    if token.endswith(("s", "sh", "ch", "x", "z", "o")):
        return f"{token}es"
    return f"{token[:-1]}ies" if re.search(r"[^aeiou]y$", token) else f"{token}s"


def offers_choice(verb: str, words: Sequence[str], place: int) -> bool:
    """Whether `or` offers a choice, so that `yes` would say nothing: `is aspirin or warfarin better`.

    Args:
        verb: the auxiliary.
        words: the words after it.
        place: where the predicate begins among them.
    """
    text = _SAME_AS_AND.sub("and", " ".join(words))
    if "or" not in text.split():
        return False
    if verb in ("should", "would") or _CHOICE.search(text):
        return True
    at = words.index("or")
    if at < place or "either" in words[place:]:
        return at > place
    said = words[place:at]
    if verb in BE | HAVE:  # `is it safe or harmful`, but `is it associated with pain or nausea`
        return len(said) < 3 or not any(word in lists.PREPOSITIONS | {"to"} for word in said)
    return len(said) < 2 or at + 1 >= len(words) or words[at + 1] in lists.ALL_VERBS
