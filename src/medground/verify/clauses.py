"""Split a sentence into the clauses that are statements in their own right.

Source: Reason and Verify, section 3.4: clause markers and list delimiters split a sentence. A fragment that is not
self-contained stays with the clause before it, or at the start of a sentence with the clause after it. Sentences are
split only at white space outside brackets and quotes. The rules are for English; a sentence in another language stays
whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

from medground.text.brackets import blanked
from medground.text.sentences import Span
from medground.verify.finite import AUXILIARIES, FUNCTION, Clause, words_of

_REPORT = r"(?:suggest|indicat|impl|show|demonstrat|mean|confirm|reveal|prov)"
_DEGREE = r"(?:part(?:ial)?ly|mainly|largely|mostly|primarily|probably|possibly|presumably|perhaps|apparently)\s+"
_SO = r"therefore|thus(?!\s+far)|hence|consequently|accordingly"
_CAUSE = rf"(?:{_DEGREE})?because(?!\s+of\b)|so\s+that"
_FREE = (
    rf"{_SO}|{_CAUSE}|whereas|(?:even\s+)?though|although|however(?=,)|nevertheless|nonetheless"
    rf"|which\s+(?:{_SO}|in\s+turn|strongly|further)?\s*{_REPORT}(?:e?s|ies|e?d|ied)?(?:\s+that)?"
)
_AFTER_COMMA = (
    rf"{_REPORT}y?ing\s+that|while|but(?!\s+(?:not|also|only|rather)\b)|so|yet|however|conversely"
    r"|(?:in|by)\s+contrast(?!\s+to\b)|on\s+the\s+other\s+hand|as\s+a\s+result|moreover|furthermore|in\s+addition"
    r"|(?:second|third|fourth|last)(?:ly)?(?=,)|finally(?=,)"
)
_JOINED = r"(?:(?:and|but|or)\s+)?"
_MARKER = re.compile(
    rf"(?<=\s){_JOINED}(?:{_FREE})\b|(?<=[,;]\s)(?:{_AFTER_COMMA})\b|(?<=\s)and\s+(?:so|yet|finally(?=,))\b",
    re.IGNORECASE,
)
_FULL = re.compile(rf".*\bthat|{_JOINED}(?:{_CAUSE}|whereas)", re.IGNORECASE | re.DOTALL)
_CAUSAL = re.compile(rf"{_JOINED}(?:{_CAUSE})\b", re.IGNORECASE)

_ITEM = r"\(?(?:[ivx]{1,4}|\d{1,2}|[a-h])\)(?=\s)"
_BULLET = r"[•▪‣●◦](?=\s)"
_OPENING = rf"\[[^\]\s]{{1,20}}\]|{_ITEM}|{_BULLET}|[-*–](?=\s)|(?:and|or|first(?:ly)?(?=,)|{_FREE}|{_AFTER_COMMA})\b"
_LEAD = re.compile(rf"(?:(?:{_OPENING}),?\s*)+", re.IGNORECASE)
"""Words that may open a clause without being part of its subject."""

_NUMBERED = re.compile(
    r"(?<!\S)(?:(?:and|or)\s+)?\(?(?:(?P<roman>[ivx]{1,4})|(?P<digit>\d{1,2})|(?P<letter>[a-h]))\)"
    r"(?=\s+(?!(?:and|or|but|while|because)\b)[^\W_])"
)
_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")
_STRONG = re.compile(rf";(?=\s)|(?<=\s){_BULLET}")
_ENTITY = re.compile(r"&#?\w{1,8}$")
_OPENS_SUBORDINATE = re.compile(
    r"(?:(?:however|moreover|furthermore|and|but|thus|therefore),?\s+)?"
    r"(?:although|(?:even\s+)?though|while|whereas|because(?!\s+of\b))\b",
    re.IGNORECASE,
)
_COMMA = re.compile(r",(?=\s)")
_DURING = re.compile(r"while\s[^,]*\b(?:is|are|was|were)\s+(?:\w+ly\s+)?\w+ing\b", re.IGNORECASE)
_LAST_WORD = re.compile(r"([^\W_]+(?:['’][^\W_]+)?)[\s,:]*$")


class _Cut(NamedTuple):
    """A position where a clause may begin.

    Attributes:
        at: the offset.
        weak: a marker, which an earlier `if` or `whether` can govern.
        causal: a cause, which an earlier negation can govern ("did not fall because ...").
        full: a marker that grammar allows only before a full clause.
    """

    at: int
    weak: bool = False
    causal: bool = False
    full: bool = False


def clause_spans(sentence: str) -> list[Span]:
    """Spans of the statements of one sentence, in order, without the white space between them."""
    seen = blanked(sentence)
    whole = (len(sentence) - len(sentence.lstrip()), len(sentence.rstrip()))
    if whole[0] >= whole[1]:
        return []
    found: list[Span] = []
    for part in _split(seen, whole, _list_cuts(seen, whole)):
        for clause in _split(seen, part, _marker_cuts(seen, part)):
            found += _split(seen, clause, _after_subordinate(seen, clause))
    return found


def _split(seen: str, span: Span, cuts: Iterable[_Cut]) -> list[Span]:
    """Split a span at the cuts that have a self-contained clause on both sides."""
    start, end = span
    opening = _LEAD.match(seen, start, end)  # "However, because" is one opening: do not cut inside it
    first = opening.end() if opening else start + 1
    inner = sorted({cut.at: cut for cut in cuts if first <= cut.at < end}.values())
    ends = [cut.at for cut in inner[1:]] + [end] * bool(inner)
    current = Clause(_body(seen, start, inner[0].at if inner else end))
    found: list[Span] = []
    for cut, until in zip(inner, ends, strict=True):
        after = Clause(_body(seen, cut.at, until))
        whole = after.stands_alone or (cut.full and after.names_subject)
        if whole and current.complete and not _governed(cut, current):
            found.append((start, _stripped(seen, cut.at)))
            start, current = cut.at, after
        else:
            current.feed(words_of(seen, cut.at, until))
    return [*found, (start, end)]


def _governed(cut: _Cut, before: Clause) -> bool:
    return (cut.weak and before.hypothetical) or (cut.causal and before.negated)


def _body(seen: str, start: int, end: int) -> list[str]:
    lead = _LEAD.match(seen, start, end)
    return words_of(seen, lead.end() if lead else start, end)


def _stripped(seen: str, end: int) -> int:
    while seen[end - 1].isspace():
        end -= 1
    return end


def _list_cuts(seen: str, span: Span) -> list[_Cut]:
    """Semicolons, bullets, and items that are numbered from the first."""
    cuts = [_Cut(at) for at in _numbered(seen, span) if not _runs_on(seen, at)]
    for mark in _STRONG.finditer(seen, *span):
        if mark[0] != ";":
            cuts.append(_Cut(mark.start()))
        elif not _ENTITY.search(seen, max(span[0], mark.start() - 10), mark.start()):
            cuts.append(_Cut(_next_word(seen, mark.end(), span[1])))
    return cuts


def _numbered(seen: str, span: Span) -> list[int]:
    """Where list items begin: (i) (ii), 1) 2), a) b). A number that does not continue a list is not an item."""
    runs: dict[str, list[int]] = {}
    found: list[int] = []
    for mark in _NUMBERED.finditer(seen, *span):
        kind = str(mark.lastgroup)
        text = mark[kind]
        value = int(text) if kind == "digit" else _ROMAN.index(text) + 1 if text in _ROMAN else ord(text[0]) - 96
        run = runs.setdefault(kind, [])
        if value == 1:
            run[:] = [mark.start()]
        elif run and value == len(run) + 1:
            found += [*run, mark.start()] if value == 2 else [mark.start()]
            run.append(mark.start())
    return found


def _marker_cuts(seen: str, span: Span) -> list[_Cut]:
    return [
        _Cut(mark.start(), weak=True, causal=bool(_CAUSAL.fullmatch(mark[0])), full=bool(_FULL.fullmatch(mark[0])))
        for mark in _MARKER.finditer(seen, *span)
        if not _runs_on(seen, mark.start())
    ]


def _after_subordinate(seen: str, span: Span) -> list[_Cut]:
    """The comma after an opening such as "Although A fell,": the first one between two clauses."""
    start, end = span
    if not _OPENS_SUBORDINATE.match(seen, start, end) or _DURING.match(seen, start, end):
        return []
    opening = _LEAD.match(seen, start, end)
    stops = [comma.end() for comma in _COMMA.finditer(seen, opening.end() if opening else start, end)] + [end]
    before = Clause(_body(seen, start, stops[0]))
    for comma, stop in pairwise(stops):
        at = _next_word(seen, comma, end)
        after = _body(seen, at, stop)
        if before.complete and Clause(after).stands_alone:
            return [_Cut(at)]
        before.feed(words_of(seen, comma, stop))
    return []


def _runs_on(seen: str, at: int) -> bool:
    """Whether the words before an offset need what follows: "was therefore", "that, because", "not because"."""
    last = _LAST_WORD.search(seen, max(0, at - 40), at)
    word = last[1].lower() if last else ""
    return (
        word in AUXILIARIES or word in FUNCTION or word in ("only", "just", "simply", "merely", "be", "been", "being")
    )


def _next_word(seen: str, at: int, end: int) -> int:
    while at < end and seen[at].isspace():
        at += 1
    return at
