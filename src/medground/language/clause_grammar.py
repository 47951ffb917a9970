"""Decide whether words are a self-contained clause: a subject other than a bare pronoun, and its own finite verb.

This is a rule of thumb for English that needs no tagger. It uses closed word classes, verbs common in the literature
and the preceding word. When in doubt, the words stay with the clause before.
"""

import re
from collections.abc import Sequence

from medground.language.word_lists import word_lists

_LISTS = word_lists("clause_words")
WORD = re.compile(r"[^\W_]+(?:[-'’.][^\W_]+)*|,")

AUXILIARIES = _LISTS["auxiliaries"]
FUNCTION = _LISTS["function"]
_PRONOUNS = _LISTS["pronouns"]
_SUBJECTS = _PRONOUNS | frozenset(["we", "i", "you", "there", "one", "none", "others"])
_HYPOTHETICAL = frozenset(["if", "whether", "unless"])
_AFTER_NOUN = frozenset(["of", "and", "or", ","])
"""Words after which a form such as `causes` or `forms` is a noun."""


def words_of(text: str, start: int = 0, end: int | None = None) -> list[str]:
    """Words and commas of a slice in lower case, except the `A` of "vitamin A" and "group A"."""
    found = WORD.finditer(text, start, len(text) if end is None else end)
    return [match[0] if match[0] == "A" and match.start() > start else match[0].lower() for match in found]


class Clause:
    """Reads words one at a time and tracks the grammar of the clause so far."""

    def __init__(self, words: Sequence[str] = ()) -> None:
        self.negated = False
        self.hypothetical = False
        self._before = ""
        self._nouns = 0
        self._pronoun = False
        self._embedded = 0
        self._verb = False
        self._bare = False
        self.feed(words)

    @property
    def complete(self) -> bool:
        """Whether the main clause has a subject and a finite verb."""
        return self._verb and not self._bare

    @property
    def stands_alone(self) -> bool:
        """Whether it is complete and its subject is not just a pronoun that refers back."""
        return self.complete and not self._pronoun

    @property
    def names_subject(self) -> bool:
        """Whether it has a subject other than a pronoun and more words, even if its verb is not recognised."""
        return self._nouns > 1 and not self._pronoun

    def feed(self, words: Sequence[str]) -> None:
        """Read more words."""
        for number, word in enumerate(words):
            self._read(word, words[number + 1 : number + 5])
            if word == "," or not _is_adverb(word):
                self._before = word

    def _read(self, word: str, after: Sequence[str]) -> None:
        self.negated |= word in _LISTS["negative"] or word.endswith(("n't", "n’t"))
        self.hypothetical |= word in _HYPOTHETICAL
        if word == ",":
            self._embedded = 0
        elif is_finite(word, self._before, after[0] if after else ""):
            self._found_verb(word, after)
        elif word in _LISTS["relative"] and (self._before or word not in _PRONOUNS) and not self._verb:
            self._embedded += 1
            self._pronoun = False  # "those who"
        elif not _is_adverb(word) and (word in _SUBJECTS or word not in FUNCTION):
            self._pronoun |= self._nouns == 0 and word in _PRONOUNS
            self._nouns += 1

    def _found_verb(self, verb: str, after: Sequence[str]) -> None:
        if self._verb:
            return
        if self._embedded:
            self._embedded -= 1
            return
        self._verb = True
        self._bare = self._nouns == 0
        reports = "that" in (after[:4] if verb in AUXILIARIES else after[:1])
        self._pronoun &= self._nouns == 1 and not reports  # "it is known that", "they showed that"


def has_verb(words: Sequence[str]) -> bool:
    """Whether one of the words is a finite verb, of whichever clause."""
    return any(map(is_finite, words, ["", *words], [*words[1:], ""]))


def _is_adverb(word: str) -> bool:
    return word in _LISTS["adverbs"] or (word.endswith("ly") and len(word) > 4)


def is_finite(word: str, before: str, after: str) -> bool:
    if word in AUXILIARIES:
        return before != "to"
    if before in ("", ",") or (before in FUNCTION and before not in _SUBJECTS) or before in AUXILIARIES:
        return False
    if word in _LISTS["past"] or word in _LISTS["changes"]:
        return True
    if word.endswith("ed") and len(word) > 4 and not word.endswith(("eed", "hundred")):
        return bool(after) and after not in _LISTS["after participle"]
    if word.endswith("s") and not _plural(before) and after not in AUXILIARIES and after not in _AFTER_NOUN:
        stems = {word[:-1], word[:-2] if word.endswith("es") else "", word[:-3] + "y" if word.endswith("ies") else ""}
        return bool(stems & _LISTS["verbs"])
    return word in _LISTS["verbs"] and _plural(before)


def _plural(word: str) -> bool:
    return word in _LISTS["plural"] or (word.endswith("s") and not word.endswith(("ss", "us", "is", "'s", "’s")))
