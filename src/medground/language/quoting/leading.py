"""What lets one sentence lead an answer rather than another that is as near to the question.

A reader sees the first sentence by itself: it is whole, and it holds a list where one is asked for.
"""

from __future__ import annotations

import re
from collections import Counter

from rapidfuzz import fuzz

from medground.language import words
from medground.language.clause_grammar import has_verb, words_of
from medground.language.finding_sentences import states_purpose
from medground.language.predicate_words import VERBS
from medground.language.question_reading import QuestionReading
from medground.language.sentences import ROW
from medground.language.word_lists import forms

BROKEN, LIST = 2.0, 2.0
"""How much a sentence loses that is not whole, and gains that holds a list where one is asked for, as logarithms.
Chosen on BioASQ 7b and 8b."""
_PAST = frozenset(["was", "were", "had", "did"])
_BRACKETS = re.compile(r"\([^()]*\)")
_LIST = forms("holds")["several"]
_SAME = 90
"""Likeness in percent of two sentences that are one."""
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


def worth(asked: QuestionReading, sentence: str, title: str) -> float:
    """What a sentence gains by a list where one is asked for, and loses by its form."""
    whole = is_whole(sentence) and words.tokens(sentence) != words.tokens(title)
    holds_list = "several" in asked.kinds and _LIST.search(sentence) is not None
    return LIST * holds_list - BROKEN * (not whole) - BROKEN * states_purpose(sentence)


def cell_named(asked: QuestionReading, sentence: str) -> float:
    """How surely a question that asks for a value names a row of a table, and what is a column's own, 0 to 1.

    A row reads `Pain | Placebo: 4 | Drug: 2`. A value is asked for as an amount, or in the past tense, as it was found
    in one study; or else by nothing but the names of the row and the column.
    """
    if ROW not in sentence or "closed" in asked.kinds:
        return 0.0
    name, *cells = sentence.split(ROW)
    said, row = frozenset(words.terms(asked.text)), frozenset(words.terms(name))
    columns = [frozenset(words.terms(_BRACKETS.sub("", cell.rpartition(": ")[0]))) for cell in cells]
    times = Counter(word for column in columns for word in column)
    owns = [frozenset(word for word in column if times[word] == 1) or column for column in columns]
    named = [column for own, column in zip(owns, columns, strict=True) if own and own <= said]
    pieces = (frozenset(words.terms(piece)) for piece in name.split(", "))
    if not named or not any(piece and piece <= said for piece in pieces):
        return 0.0
    is_found = "amount" in asked.kinds or not _PAST.isdisjoint(words.tokens(asked.text))
    if not is_found and said - row - frozenset[str]().union(*named):
        return 0.0
    return len(row & said) / len(row)
