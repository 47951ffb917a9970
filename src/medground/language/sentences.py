"""Find sentences in biomedical text, with the library nupunkt and corrections for this field."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from medground.language.pattern import lazy_pattern, verbose_pattern
from medground.language.word_lists import word_lists

_OPENERS = r"""
    The|This|These|Those|There|They|We|Our|It|Its|In|However|Thus|Therefore|Although|Moreover|Furthermore|After|
    Background|Objectives?|Aims?|Methods?|Patients|Results?|Conclusions?|Discussion
"""

Span = tuple[int, int]

_SPECIAL = word_lists("special_words")

# A capital letter before the full stop looks like the initial of a name ("vitamin C. The cells"), but its `_openers`
# start a sentence and are never a surname.
# This and the next begin with the full stop and then look back: searching for a single character is five times faster.
_AFTER_LETTER = verbose_pattern(
    rf"""
    \.(?<=[\s\-(][A-Z]\.)(?P<space>\s+)(?=(?:{_OPENERS})[\s,:])
    """,
    0,
)
# Abstracts often lack the space between two sections: "(P<.001).Conclusion", "was seen.The".
_GLUED = verbose_pattern(
    rf"""
    \.(?<=[a-z0-9)\]%]\.)(?P<space>)(?:(?=(?:{_OPENERS})\b(?!\.))|(?<=[)\]%]\.)(?=[A-Z][a-z]))
    """,
    0,
)

# A heading before a sentence of its line: "Weighing Treatment Options You and your doctor will".
_HEADED = verbose_pattern(
    rf"""
    (?<![^.?!\n]\s)(?<!\S)[A-Z][\w'’-]+(?:\s(?:(?:of|and|for|the|an?|in|to|with|or|on|from|your)\s)?[A-Z\d][\w'’-]*){{1,9}}
    (?P<space>\s)(?=(?:{_OPENERS}|You|Your|If|When|People|Many|Some|Most|Women|Men|Doctors)\s[a-z])
    """,
    0,
)
# A mark of a list behind a full stop or a colon: "may help: - less salt", "in men. - Women".
_ITEM = lazy_pattern(r"[.:;?!](?P<space>\s+)(?=[-•▪]\s+\S)")

ROW = " | "
"""Between the cells of a row of a table; a paragraph with it is one sentence."""
_BLANK_LINE = lazy_pattern(r"\n[^\S\n]*\n\s*")
# Dotted leaders and other long runs of marks do not end a sentence, and cost the library quadratic time.
_MARKS = lazy_pattern(r"[^\w\s][^\w\s]{19,}")  # in one piece it is half as fast

_ADDRESS = lazy_pattern(r"(?:https?:/|ftp:/|www\.|doi:|10\.\d{4,9}/|[\w.+-]+@)(?:\([^\s()]*\)|[^\s()])*")
_INSIDE = lazy_pattern(r"[.?!](?=[^\s.?!])")
"""A mark in an address that does not end it."""
_SHORT = lazy_pattern(r"(?:^|[\s(])(?:[A-Z][a-z]{1,2}|0|chr)\.$")
"""How a sentence ends that goes on in small letters or a number: a genus (Ae. | aegypti), a spaced number (0. | 3)."""
_OPEN_END = lazy_pattern(r"(?:^|[\s(\[])(?:vit|subsp|ssp|bv|pv|cv|chr|chrom|tab|figs?|suppl?|refs?)\.$", re.IGNORECASE)
_CLOSED_START = lazy_pattern(r"[A-K]\d{0,2}\b|S?\d|[a-z]|(?i:tab|fig|box|append|file|note|eq|mat|meth|data)")
"""What belongs to an abbreviation before it: "vit. | C", "Tab. | 3", "Suppl. | Table 2"."""
_BRACKET = 120
"""Characters: in longer brackets there may be sentences."""


def sentence_spans(text: str) -> list[Span]:
    """Spans `(start, end)` of the sentences of `text`, in code points.

    Spans are ordered, do not overlap, have no white space at their ends, and cover every other character of
    the text. A blank line always ends a sentence. A sentence can be of any length.
    """
    spans: list[Span] = []
    masked = _MARKS.sub(lambda run: "-" * len(run[0]), text)
    masked = _ADDRESS.sub(lambda address: _INSIDE.sub("-", address[0]), masked)
    for start, end in _paragraphs(masked):
        if ROW in masked[start:end] and "\n" not in masked[start:end].strip():
            spans.append((start, end))
            continue
        for span in _sentences(masked, start, end):
            if spans and spans[-1][0] >= start and _is_cut(masked, spans[-1], span):
                spans[-1] = (spans[-1][0], span[1])
            else:
                spans.append(span)
    return spans


def _paragraphs(text: str) -> Iterator[Span]:
    """Split at blank lines: the library sees them only after a letter, and many of them make it slow."""
    start = 0
    for blank in _BLANK_LINE.finditer(text):
        yield start, blank.start()
        start = blank.end()
    yield start, len(text)


def _sentences(text: str, start: int, end: int) -> Iterator[Span]:
    """The library's sentences of one paragraph, split where it missed a boundary."""
    forms = (_AFTER_LETTER, _GLUED, _HEADED, _ITEM)
    missed = sorted(one.span("space") for form in forms for one in form.finditer(text, start, end))
    for first, last in _tokenizer().spans(text[start:end]):
        first, last = start + first, start + last
        for before, after in missed:
            if first < before and after < last:
                yield first, before
                first = after
        yield first, last


def _is_cut(text: str, before: Span, after: Span) -> bool:
    """Whether a boundary is wrong: it cuts an abbreviation, or stands in short brackets: "none (cf. | Table 3)."."""
    if "\n" in text[before[1] : after[0]]:
        return False
    first = text[after[0]]
    if (first.islower() or first.isdigit()) and _SHORT.search(text, max(before[0], before[1] - 8), before[1]):
        return True
    ends = _OPEN_END.search(text, max(before[0], before[1] - 8), before[1])
    if ends and _CLOSED_START.match(text, after[0], after[1]):
        return True
    tail, follows = text[max(before[0], before[1] - _BRACKET) : before[1]], text[after[0] : after[0] + _BRACKET]
    closed = follows.find(")")
    return (
        tail.rfind("(") > tail.rfind(")")
        and closed >= 0
        and "(" not in follows[:closed]
        and "\n" not in follows[:closed]
    )


@cache
def _tokenizer() -> Any:
    """A separate instance of the library's model, so that our abbreviations affect no other user of it."""
    import nupunkt  # imported late: a stored fact is in no text

    tokenizer = nupunkt.load_default_model()
    tokenizer.add_abbreviations(sorted(_SPECIAL["abbreviations"]))
    for word in _SPECIAL["whole"]:
        tokenizer.remove_abbreviation(word)
    tokenizer.paragraph_breaks = False
    tokenizer.line_breaks = True
    return tokenizer
