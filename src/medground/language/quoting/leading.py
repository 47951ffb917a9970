"""What lets one sentence lead an answer rather than another that is as near to the question.

A reader sees the first sentence by itself: it is whole, its abbreviations can be understood, and it holds something of
the kind that is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from rapidfuzz import fuzz

from medground.language import words
from medground.language.clause_grammar import has_verb, words_of
from medground.language.mesh_terms import mentions
from medground.language.predicate_words import VERBS
from medground.language.question_reading import QuestionReading
from medground.language.word_lists import forms

UNEXPLAINED, BROKEN, KIND, LIST = 3.0, 2.0, 1.0, 2.0
"""How much a sentence loses that needs another to be understood, or that is not whole, and gains that holds something
of the kind that is asked for, or a list where one is, as logarithms. Chosen on BioASQ 7b and 8b."""
_LIST = forms("holds")["several"]
_SAME = 90
"""Likeness in percent of two sentences that are one."""
_TREES = {"disease": ("C", "F03"), "drug": ("D",), "gene": ("D12", "D08", "D06", "D23"), "place": ("A", "B", "Z")}
"""MeSH trees by kind of question (`question_kinds.KINDS`)."""
_ASKED = re.compile(r"\b(?:which|what)\s+(?:\w+ of\s+)?((?:[\w-]+\s+){0,2}[\w-]+)", re.IGNORECASE)
_EXPLAINED = re.compile(r"((?:[\w/'’-]+ ){1,8})\(([A-Za-z][\w-]{1,8})[);,]")
_SHORT = re.compile(r"\b(?=(?:\w*[A-Z]){2})[A-Za-z][\w-]{1,8}")
_BEGINS = re.compile(r"\W*(?:[^\W\d_]*[A-Z]|[\w-]*\d)")
_ENDS = re.compile(r"""[.?!][\s)\]"'”’»]*(?:\[?\d[\d,\s–-]*\]?)?$""")
_MARKUP = re.compile(r"<[^<>]*>")
_ADVICE = re.compile(
    r"\b(?:should|must|ought to|need to)(?: not)?(?: be)? (?:take|use|stop|start|continue|discontinue|give)|"
    r"\b(?:do not|don['’]t|never|please) \w+|\b(?:stop|start|keep|avoid)(?:ping|ing)? (?:taking|using)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"(?:^|[.;:,] |[-•*] |\byou (?:can|may|could) )\s*(?:then |and |or |also )?([A-Za-z]+)")
"""A word with which a clause begins: a verb there is an order."""


def is_whole(sentence: str) -> bool:
    """Whether a text is a sentence from its beginning to its end, with a verb: no heading, title or fragment."""
    plain = _MARKUP.sub("", sentence).strip()
    return bool(_BEGINS.match(plain) and _ENDS.search(plain)) and has_verb(words_of(plain))


def says_the_same(one: str, other: str) -> bool:
    """Whether one text has the other in it, but for marks and labels before it."""
    said = sorted((" ".join(words.tokens(text)) for text in (one, other)), key=len)
    return bool(said[0]) and fuzz.partial_ratio(*said) >= _SAME


def instructs(text: str) -> bool:
    """Whether a text reads as an instruction: it says what should be done, or begins a clause with a bare verb."""
    return _ADVICE.search(text) is not None or any(found[1].lower() in VERBS for found in _CLAUSE.finditer(text))


class Leading:
    """The sentences of all papers found, as candidates to lead the answer to a question."""

    def __init__(self, asked: QuestionReading, sentences: Sequence[str]) -> None:
        self._asked, self._said = asked, asked.text.casefold()
        pairs = (pair for sentence in sentences for pair in _explained(sentence))
        self._long = {short: long for short, long in pairs if short.casefold() not in self._said}
        self._named = {one.heading.name for one in mentions(asked.text)}
        self._trees = _asked_trees(asked)

    def understood(self, sentence: str) -> float:
        """What a sentence loses by an abbreviation that only another one explains, where a name is asked for."""
        if not self._trees:
            return 0.0
        short = {s for s in _SHORT.findall(sentence) if self._long.get(s, self._said) not in self._said}
        return -UNEXPLAINED if short - {s for s, _ in _explained(sentence)} else 0.0

    def worth(self, sentence: str, title: str) -> float:
        """What a sentence gains by something of the kind that is asked for, and loses by its form."""
        whole = is_whole(sentence) and words.tokens(sentence) != words.tokens(title)
        return KIND * self._holds_kind(sentence) - BROKEN * (not whole) + LIST * self._holds_list(sentence)

    def _holds_list(self, sentence: str) -> bool:
        return "several" in self._asked.kinds and _LIST.search(sentence) is not None

    def _holds_kind(self, sentence: str) -> bool:
        return bool(self._trees) and any(
            tree.startswith(self._trees)
            for one in mentions(sentence)
            if one.heading.name not in self._named and one.words.casefold() not in self._said
            for tree in one.heading.trees
        )


@lru_cache(maxsize=8192)
def _explained(sentence: str) -> tuple[tuple[str, str], ...]:
    """The abbreviations that a sentence explains in brackets, each with what it stands for in small letters."""
    found = []
    for before, short in _EXPLAINED.findall(sentence):
        spelled = before.split()
        initials = [c for c in short.casefold() if c.isalpha()]
        for start in range(len(spelled) - 1, -1, -1):
            long = " ".join(spelled[start:]).casefold()
            letters = iter(long)
            if long[0] == initials[0] and len(long) > 2 * len(short) and all(c in letters for c in initials):
                found.append((short, long))
                break
    return tuple(found)


def _asked_trees(asked: QuestionReading) -> tuple[str, ...]:
    """The trees of MeSH of what is asked for: below the heading that the asked noun names, and of its kind."""
    from medground.pubmed.mesh import vocabulary

    found = [tree for kind in sorted(asked.kinds & _TREES.keys()) for tree in _TREES[kind]]
    for noun in _ASKED.findall(asked.text):
        said = noun.split()
        runs = [" ".join(said[n:m]) for n in range(len(said)) for m in range(n + 1, len(said) + 1)]
        headings = [vocabulary().find(run) or vocabulary().find(f"{run}s") for run in runs]
        found += [f"{tree}." for one in headings if one for tree in one.trees]
    return tuple(found)
