"""Sentence borders of biomedical text: the library nupunkt, and what it misses in this field."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import nupunkt

Span = tuple[int, int]

# Abbreviations of papers and prescriptions that nupunkt's model does not know.
_ABBREVIATIONS = [
    *("b.i.d", "t.i.d", "q.i.d", "q.h.s", "i.a", "i.n", "i.t", "i.c.v", "r.p.m", "s.d", "s.e", "s.e.m", "c.f", "viz"),
    *("vit", "subsp", "ssp", "subspp", "bv", "pv", "cv", "suppl", "wt", "wks", "yrs", "pts", "pat"),
]

# A capital letter before the full stop looks like the initial of a name ("vitamin C. The cells"), but these words
# open a sentence and are never a family name.
_OPENERS = (
    "The|This|These|Those|There|They|We|Our|It|Its|In|However|Thus|Therefore|Although|Moreover|Furthermore|After|"
    "Background|Objectives?|Aims?|Methods?|Patients|Results?|Conclusions?|Discussion"
)
_AFTER_LETTER = re.compile(rf"(?<=[\s\-(][A-Z]\.)\s+(?=(?:{_OPENERS})[\s,:])")
# Abstracts lose the space between two sections: "(P<.001).Conclusion", "was seen.The".
_GLUED = re.compile(rf"(?<=[a-z0-9)\]%]\.)(?=(?:{_OPENERS})\b(?!\.))|(?<=[)\]%]\.)(?=[A-Z][a-z])")

# The library passes over a blank line that has no letter before it.
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n\s*")
_BORDERS = (_BLANK_LINE, _AFTER_LETTER, _GLUED)

# An abbreviation that always belongs to what follows it: a vitamin's letter, a number, a rank of a taxon's name.
_OPEN_END = re.compile(
    r"(?:^|[\s(\[])(?:vit|subsp|ssp|bv|pv|cv)\.$|(?:^|[\s(\[])(?:tab|fig|figs|suppl|ref|refs)\.$", re.I
)
_CLOSED_START = re.compile(r"[A-K]\d{0,2}\b|S?\d|[a-z]")


def sentence_spans(text: str) -> list[Span]:
    """Spans `(start, end)` of the sentences of `text`, in code points.

    Spans are ordered, do not overlap, have no white space at their ends, and hold every other character of the
    text. A blank line always ends a sentence. A sentence has no greatest length.
    """
    spans: list[Span] = []
    for span in _split(text, _tokenizer().spans(text)):
        if spans and _belongs_together(text, spans[-1], span):
            spans[-1] = (spans[-1][0], span[1])
        else:
            spans.append(span)
    return spans


def _split(text: str, spans: list[Span]) -> Iterator[Span]:
    """Add the borders that the library does not see."""
    for start, end in spans:
        borders = [match for pattern in _BORDERS for match in pattern.finditer(text, start, end)]
        for border in sorted(borders, key=lambda match: match.start()):
            if text[start : border.start()].strip():
                yield start, start + len(text[start : border.start()].rstrip())
                start = border.end()
        yield start, end


def _belongs_together(text: str, before: Span, after: Span) -> bool:
    """Whether the border after an abbreviation is none: "vit. | C", "Tab. | 3"."""
    return (
        "\n" not in text[before[1] : after[0]]
        and _OPEN_END.search(text, max(before[0], before[1] - 8), before[1]) is not None
        and _CLOSED_START.match(text, after[0], after[1]) is not None
    )


@cache
def _tokenizer() -> Any:
    """An own instance of the library's model (abbreviations added to it reach nobody else)."""
    tokenizer = nupunkt.load_default_model()
    tokenizer.add_abbreviations(_ABBREVIATIONS)
    tokenizer.line_breaks = True
    return tokenizer
