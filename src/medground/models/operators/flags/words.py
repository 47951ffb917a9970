"""Words that carry a meaning on their own, and a statement beside the sentence nearest to it, word by word."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from rapidfuzz.distance import LCSseq, Levenshtein

from medground.language import words


def cue(words: str, *, unless_after: str = "") -> re.Pattern[str]:
    """A pattern that matches any of the given words as a whole word, ignoring case.

    A lookahead tests the first letter, which halves the time because most words in a text start with other letters. So
    no word may begin with an optional part.

    Args:
        words: regular expressions for words or phrases, separated by `|`.
        unless_after: a character that must not come before the word.
    """
    begin = "".join(sorted(set(re.findall(r"(?:^|\|)(?:\(\?:)?(.)", words))))
    free = f"(?<!{unless_after})" if unless_after else ""
    return re.compile(rf"\b{free}(?=[{begin}])(?:{words})\b", re.IGNORECASE)


NEGATION = cue(
    r"no|not(?! (?:only|just)\b)|never|neither|nor|none|without|cannot|fail(?:s|ed)? to|lack(?:s|ed|ing)?|"
    r"absence of|absent|unable|unlikely|insufficient|ineffective|insignificant|nonsignificant|"
    r"'t(?<=n't)|’t(?<=n’t)"
)
UP = cue(
    r"increas\w*|high(?:er|est|ly)?|greater|larger|more|rais\w*|rise[sn]?|rising|rose|elevat\w*|improv\w*|better|"
    r"up-?regulat\w*|enhanc\w*|promot\w*|longer|superior|activat\w*|stimulat\w*|gain\w*|faster|stronger|positive\w*|"
    r"beneficial|older|directly|above|best|most"
)
DOWN = cue(
    r"decreas\w*|low(?:er\w*|est)?|less|fewer|smaller|reduc\w*|declin\w*|worse\w*|down-?regulat\w*|inhibit\w*|"
    r"suppress\w*|block\w*|shorter|inferior|impair\w*|diminish\w*|loss|prevent\w*|slower|weaker|negative\w*|harmful|"
    r"younger|inverse\w*|below|worst|least|attenuat\w*|drop\w*|fall\w*|fell"
)
HEDGE = cue(
    r"may|might|could|can|suggest\w*|possib\w+|potential\w*|appear\w*|seem\w*|likely|unclear|probabl\w+|perhaps|"
    r"preliminary|trend\w*|tend(?:s|ed)?|hypothesi\w*|putative\w*|presumabl\w+|indicat\w+|partly|partially"
)
DOUBT = cue(r"may|might|could|possib\w+|unclear|perhaps|preliminary|hypothesi\w*|putative\w*|presumabl\w+")
"""The hedges that leave open whether something is true at all."""
SURE = cue(r"prov(?:e|es|ed|en|ing)|definite\w*|certain\w*|always|undoubtedly|clearly|will")
CAUSE = cue(
    r"caus\w*|leads? to|led to|results? in|resulted in|induc\w*|due to|because|responsible for|trigger\w*|"
    r"produc\w*|prevent\w*|mediat\w*",
    unless_after="-",
)
ASSOCIATION = cue(r"associat\w*|correlat\w*|link\w*|relat(?:ed to|ionship|ion)|predict\w*|risk factors?")
EVERY = (NEGATION, UP, DOWN, HEDGE, SURE, CAUSE, ASSOCIATION)


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
