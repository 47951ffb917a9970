"""A statement and the sentence nearest to it, and what changed between the two, word by word.

A statement that repeats most of a sentence is compared strictly: every changed word counts, except before and after the
repeated part. A free paraphrase is compared loosely, by the words of both as a whole.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from rapidfuzz.distance import LCSseq, Levenshtein

from medground.text import words

REPEATED = 0.7
"""Minimum share of a statement's tokens that a sentence contains in the same order for a strict comparison."""
LONGEST = 400
"""Maximum tokens of a text that are aligned; the rest is ignored."""

_BORDER = re.compile(
    r"[;:(),]|\b(?:but|although|though|whereas|while|however|yet|despite|except|unless)\b", re.IGNORECASE
)
_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+(?:['’]t\b)?|[%<>≤≥±]")
_ASCII_TOKEN = re.compile(r"[0-9]+(?:[.,][0-9]+)*|[a-z]+(?:'t\b)?|[%<>]")
"""The same for lower-case ASCII, which covers most sentences and is faster."""


@dataclass(frozen=True)
class Change:
    """Tokens of the sentence, and the tokens of the statement that replace them; one may be empty."""

    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True)
class Pair:
    """A statement, the sentence nearest to it, and the whole premise that the sentence is from."""

    statement: str
    quote: str
    premise: str

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """The differences inside the part of the sentence that the statement repeats."""
        quoted, stated = aligned(self.quote), aligned(self.statement)
        codes = [c for c in Levenshtein.opcodes(quoted, stated) if c.tag != "equal"]
        inside = [c for c in codes if c.tag != "delete" or (c.src_start > 0 and c.src_end < len(quoted))]
        spans: list[tuple[int, int, int, int]] = []
        for code in inside:
            if spans and spans[-1][1] == code.src_start and spans[-1][3] == code.dest_start:
                spans[-1] = (spans[-1][0], code.src_end, spans[-1][2], code.dest_end)
            else:
                spans.append((code.src_start, code.src_end, code.dest_start, code.dest_end))
        return tuple(Change(tuple(quoted[a:b]), tuple(stated[c:d])) for a, b, c, d in spans)

    @cached_property
    def repeats(self) -> bool:
        """Whether the statement repeats most of the sentence, or of a part of it."""
        return self.repetition >= REPEATED

    @cached_property
    def repetition(self) -> float:
        """Share of the statement's tokens that the sentence has in the same order, 0 to 1."""
        return repetition(aligned(self.statement), aligned(self.quote))

    @cached_property
    def clause(self) -> str:
        """The clause of the sentence that holds most of the statement's words."""
        wanted = words.terms(self.statement)
        clauses = [part for part in _BORDER.split(self.quote) if part.strip()] or [self.quote]
        return max(clauses, key=lambda part: words.coverage(wanted, words.terms(part)))

    def changed(self, pattern: re.Pattern[str]) -> tuple[int, int]:
        """How often a pattern occurs in the changed words of the sentence, and in those of the statement."""
        return (
            sum(len(pattern.findall(" ".join(change.before))) for change in self.changes),
            sum(len(pattern.findall(" ".join(change.after))) for change in self.changes),
        )


def aligned(text: str) -> list[str]:
    """Lower-case tokens in order, including symbols that change the meaning."""
    lower = folded(text).lower()
    pattern = _ASCII_TOKEN if lower.isascii() else _TOKEN
    return [t[: words.LONGEST_TOKEN] for t in pattern.findall(lower)[:LONGEST]]


def folded(text: str) -> str:
    """The text with look-alike characters unified (NFKC)."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def repetition(statement: Sequence[str], sentence: Sequence[str]) -> float:
    """Share of the statement's tokens that the sentence has in the same order, 0 to 1."""
    return LCSseq.similarity(statement, sentence) / len(statement) if statement else 0.0
