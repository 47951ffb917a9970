"""The sentences and the clauses of a text that somebody wrote."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from medground.language.clause_grammar import AUXILIARIES, FUNCTION, Clause, words_of
from medground.language.pattern import verbose_pattern
from medground.language.sentences import Span, sentence_spans

_LONGEST = 400
"""Characters; a pair further apart is taken for a typing error and ignored."""
_CLOSES = {")": "(", "]": "[", "}": "{", "”": "“", "»": "«"}
_MARK = re.compile(r'[()\[\]{}“”«»"\n]')
_LIST_MARK = re.compile(r"\((?:[ivx]{1,4}|\d{1,2}|[a-h])\)")


def asides(text: str) -> list[Span]:
    """Spans of the outermost bracketed and quoted parts, marks included, in order. A pair must be on one line.

    The marker of a list item, such as `(ii)`, does not count.
    """
    found: list[Span] = []
    opened: list[tuple[str, int]] = []
    for match in _MARK.finditer(text):
        mark, at = match[0], match.start()
        if mark == "\n":
            opened.clear()
        elif mark == '"' and not any(kind == '"' for kind, _ in opened):
            if at == 0 or not text[at - 1].isalnum():  # after a letter or a digit it is a closing mark, or means inches
                opened.append((mark, at))
        elif (kind := _CLOSES.get(mark, mark)) == mark and mark != '"':
            opened.append((mark, at))
        elif (start := _close(opened, kind)) is not None and at - start <= _LONGEST:
            while found and found[-1][0] > start:
                found.pop()
            found.append((start, at + 1))
    return [span for span in found if not _LIST_MARK.fullmatch(text, *span)]


def blanked(text: str) -> str:
    """The text with the content of its asides replaced by spaces; its length stays the same."""
    parts, last = [], 0
    for start, end in asides(text):
        parts += [text[last : start + 1], " " * (end - start - 2)]
        last = end - 1
    return "".join([*parts, text[last:]])


def _close(opened: list[tuple[str, int]], kind: str) -> int | None:
    """Position of the nearest open mark of this kind. Marks opened after it have no partner and are dropped."""
    for place in range(len(opened) - 1, max(len(opened) - 8, 0) - 1, -1):
        if opened[place][0] == kind:
            start = opened[place][1]
            del opened[place:]
            return start
    return None


_REPORT = r"(?:suggest|indicat|impl|show|demonstrat|mean|confirm|reveal|prov)"
_DEGREE = r"(?:part(?:ial)?ly|mainly|largely|mostly|primarily|probably|possibly|presumably|perhaps|apparently)\s+"
_SO = r"therefore|thus(?!\s+far)|hence|consequently|accordingly"
_CAUSE = rf"(?:{_DEGREE})?because(?!\s+of\b)"
_FREE = rf"""
    {_SO}|{_CAUSE}|whereas|(?:even\s+)?though|although|however(?=,)|nevertheless|nonetheless|which\s+(?:{_SO}|
    in\s+turn|strongly|further)?\s*{_REPORT}(?:e?s|ies|e?d|ied)?(?:\s+that)?
"""
_AFTER_COMMA = rf"""
    {_REPORT}y?ing\s+that|while|but(?!\s+(?:not|also|only|rather)\b)|so(?!\s+that\b)|yet|however|conversely|
    (?:in|by)\s+contrast(?!\s+to\b)|on\s+the\s+other\s+hand|as\s+a\s+result|moreover|furthermore|in\s+addition|
    (?:second|third|fourth|last)(?:ly)?(?=,)|finally(?=,)
"""
_JOINED = r"(?:(?:and|but|or)\s+)?"
_ITEM = r"\(?(?:[ivx]{1,4}|\d{1,2}|[a-h])\)(?=\s)"
_BULLET = r"[•▪‣●◦](?=\s)"
_OPENING = rf"\[[^\]\s]{{1,20}}\]|{_ITEM}|{_BULLET}|[-*–](?=\s)|(?:and|or|first(?:ly)?(?=,)|{_FREE}|{_AFTER_COMMA})\b"
_MARKER = verbose_pattern(
    rf"""
    (?<=\s){_JOINED}(?:{_FREE})\b|(?<=[,;]\s)(?:{_AFTER_COMMA})\b|(?<=\s)and\s+(?:so(?!\s+that\b)|yet|
    finally(?=,))\b
    """
)
_FULL = verbose_pattern(
    rf"""
    .*\bthat|{_JOINED}(?:{_CAUSE}|whereas)
    """,
    re.DOTALL | re.IGNORECASE,
)
_CAUSAL = verbose_pattern(
    rf"""
    {_JOINED}(?:{_CAUSE})\b
    """
)

_LEAD = verbose_pattern(
    rf"""
    (?:(?:{_OPENING}),?\s*)+
    """
)
"""Words that may open a clause without being part of its subject."""

_NUMBERED = verbose_pattern(
    r"""
    (?<!\S)(?:(?:and|or)\s+)?\(?(?:(?P<roman>[ivx]{1,4})|(?P<digit>\d{1,2})|(?P<letter>[a-h]))\)(?=\s+(?!(?:and|
    or|but|while|because)\b)[^\W_])
    """,
    0,
)
_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")
_STRONG = verbose_pattern(
    rf"""
    ;(?=\s)|(?<=\s){_BULLET}
    """,
    0,
)
_ENTITY = re.compile(r"&#?\w{1,8}$")
_OPENS_SUBORDINATE = verbose_pattern(
    r"""
    (?:(?:however|moreover|furthermore|and|but|thus|therefore),?\s+)?(?:although|(?:even\s+)?though|while|
    whereas|because(?!\s+of\b))\b
    """
)
_COMMA = re.compile(r",(?=\s)")
_DURING = re.compile(r"while\s[^,]*\b(?:is|are|was|were)\s+(?:\w+ly\s+)?\w+ing\b", re.IGNORECASE)
_LAST_WORD = re.compile(r"([^\W_]+(?:['’][^\W_]+)?)[\s,:]*$")


_RUNS_ON = AUXILIARIES | FUNCTION | {"only", "just", "simply", "merely", "be", "been", "being"}


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
        governed = (cut.weak and current.hypothetical) or (cut.causal and current.negated)
        if whole and current.complete and not governed:
            stop = cut.at
            while seen[stop - 1].isspace():
                stop -= 1
            found.append((start, stop))
            start, current = cut.at, after
        else:
            current.feed(words_of(seen, cut.at, until))
    return [*found, (start, end)]


def _body(seen: str, start: int, end: int) -> list[str]:
    lead = _LEAD.match(seen, start, end)
    return words_of(seen, lead.end() if lead else start, end)


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
    return word in _RUNS_ON


def _next_word(seen: str, at: int, end: int) -> int:
    while at < end and seen[at].isspace():
        at += 1
    return at


_CITED = r"\[(?:E\d+|\d+|[A-Za-z]{2,12}:\s?[\w.:/-]+)(?:\s*[,;–-]\s*(?:E?\d+|[A-Za-z]{2,12}:\s?[\w.:/-]+)){0,20}\]"
_CITATIONS = re.compile(rf"(?:{_CITED}[\s.]*)+")
_FULL_STOP = re.compile(r"[。！？｡।۔؟]+[”」』）\"]*")
_LABEL = re.compile(r"\(?(?:\d{1,2}|[ivx]{1,4}|[a-h])[.)]|[-*•–]|(?:yes|no|maybe)[.,!]?", re.IGNORECASE)


def segment(text: str) -> tuple[Span, ...]:
    """Spans `(start, end)` of the statements of a text, in code points.

    They are in order, do not overlap and cover everything except the white space between them.
    """
    return tuple(
        (start + first, start + last)
        for start, end in written_sentences(text)
        for first, last in clause_spans(text[start:end])
    )


def written_sentences(text: str) -> list[Span]:
    """Spans of the sentences of a rationale: those of `sentence_spans`, also split at the full stops of other scripts.

    A sentence does not end inside brackets or quotes, after a lone list number or a lone `Yes.` (these belong to the
    text after them), or before citation marks (these belong to the text before them).
    """
    inside = asides(text)
    starts = [start for start, _ in inside]
    found: list[Span] = []
    for start, end in _sentences(text):
        place = bisect_right(starts, start - 1) - 1
        if found and ((place >= 0 and start < inside[place][1]) or _LABEL.fullmatch(text, *found[-1]) is not None):
            found[-1] = (found[-1][0], end)
            continue
        if found and (marks := _CITATIONS.match(text, start, end)):
            found[-1] = (found[-1][0], start + len(marks[0].rstrip()))
            start = marks.end()
        if start < end:
            found.append((start, end))
    return found


def _sentences(text: str) -> Iterator[Span]:
    for start, end in sentence_spans(text):
        first = start
        for stop in _FULL_STOP.finditer(text, start, end):
            yield first, stop.end()
            first = stop.end()
            while first < end and text[first].isspace():
                first += 1
        if first < end:
            yield first, end
