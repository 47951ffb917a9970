"""What words can be in a closed question, by the headings of `predicate_words.txt`, where each list is explained."""

from __future__ import annotations

from importlib import resources


def _lists() -> dict[str, frozenset[str]]:
    """The words below each heading; `_` stands for a space."""
    found: dict[str, list[str]] = {}
    words: list[str] = []
    text = (resources.files(__package__) / "predicate_words.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.startswith("["):
            words = found.setdefault(line[1:].split("]")[0], [])
        elif not line.startswith("#"):
            words += (word.replace("_", " ") for word in line.split())
    return {name: frozenset(words) for name, words in found.items()}


_LISTS = _lists()
VERBS = _LISTS["verbs"]
OFTEN_VERBS = _LISTS["often verbs"]
SELDOM_VERBS = _LISTS["seldom verbs"]
ALL_VERBS = VERBS | OFTEN_VERBS | SELDOM_VERBS
STATES = _LISTS["states"]
AFTER_NOUN = _LISTS["after noun"]
LARGER = _LISTS["larger"]
PARTICIPLES = _LISTS["participles"]
NOT_PARTICIPLES = _LISTS["not participles"]
DECIDED = _LISTS["decided"]
FINAL = _LISTS["final"]
ING_NOUNS = _LISTS["ing nouns"]
LIKE_ADJECTIVES = _LISTS["like adjectives"]
PREPOSITIONS = _LISTS["prepositions"]
DETERMINERS = _LISTS["determiners"]
SUBORDINATE = _LISTS["subordinate"]
ADVERBS = _LISTS["adverbs"]
KINDS = _LISTS["kinds"]
PEOPLE = _LISTS["people"]
MASS = _LISTS["mass"]
PLURALS = _LISTS["plurals"]
IDIOMS = _LISTS["idioms"]
ARTICLES = frozenset(("a", "an", "the"))
