"""The words of questions to the graph: those that say nothing, and those that say what is asked.

A word in none of these sets, and in no name, is a condition that no stored relation covers.
"""

from __future__ import annotations

import re

from medground.graph.names import table


def word_set(text: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(text.split())


_TABLE = {name: word_set(words) for name, words in table("question_words.tsv")}
EMPTY = _TABLE["empty"]
"""Words that do not change which relation is asked for."""
CONDITIONS = _TABLE["conditions"]
"""Words that narrow a question to what no relation covers: they are never taken for a misspelt name."""
CUES = {name.removeprefix("cue "): words for name, words in _TABLE.items() if name.startswith("cue ")}
"""What is asked, by the words that ask it."""

RECORD_ONLY = CUES["link"] - word_set("characterised characterized combine combines combining share both together")
"""Words that ask for more than a feature, so that a missing record does not answer them."""

JOINTS = {"and": "and", "or": "or", "&": "and", ",": "and", "/": "or", "plus": "and"}
"""Words between two names of one kind."""

CONTRACTED = re.compile(r"^(is|are|was|do|does|did|has|have|can|could|would)n['’]?t\b", re.IGNORECASE)
"""“Isn't”: a question that expects yes."""

ALL = EMPTY.union(*CUES.values())


def cues_of(word: str) -> frozenset[str]:
    """The cues that a word may give."""
    return frozenset(cue for cue, words in CUES.items() if word in words)
