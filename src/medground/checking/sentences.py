"""A text as sentences that cite: each with its place in the file, and what its marks lead to."""

from bisect import bisect, bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from medground.answering.verify.marks import without_citations
from medground.answering.verify.named import AuthorYear, author_years
from medground.answering.verify.references import plain
from medground.checking.entries import Entry, entries_of
from medground.checking.marks import Mark, blanked, marks
from medground.language.pattern import lazy_pattern, verbose_pattern
from medground.language.sentences import sentence_spans

SHARED = (
    "a sentence without a mark counts as citing what the next sentence of its paragraph with a mark cites, or the one "
    "before it if it begins with a word such as `it` or `they`; it is judged only where that text comes near to it"
)
"""The remark on marks that count for several sentences."""
_LETTERS = lazy_pattern(r"[^\W\d_]{2}")
_GOES_ON = verbose_pattern(
    r"""
    \W*(?:It|They|These|This|Their|Its|The\ (?:authors?|investigators|trial|study|effects?|same)|
    In\ (?:this|that)\ (?:trial|study))\b
    """,
    0,
)
_OPENS = lazy_pattern(r"\s*[a-z]{2}")
"""What goes on a sentence behind a mark."""
_BLANK = lazy_pattern(r"\n[^\S\n]*\n")
_STOPS = frozenset([".", "!", "?", "”", '"'])
_ENDS = (".", "?", "!", ";", "”", '"', ":", ")")
_SHORT, _LONGEST = 400, 3_000
"""Characters of a sentence that may be marks alone, and those of one that are read."""
_HEADLINE = 160
"""Most characters of a line without a full stop that is a heading."""


@dataclass(frozen=True)
class CitingSentence:
    """A sentence of a text.

    Attributes:
        text: the sentence as the file has it.
        start: its place in the file, in characters.
        end: where it ends, with the marks after its full stop.
        shown: the same without markup.
        keys: numbers and keys of the list of references, or ids such as `pmid:1`.
        authors: the works that it names by authors and year.
        carried: whether the mark is that of another sentence.
    """

    text: str
    start: int
    end: int
    shown: str = ""
    keys: tuple[str, ...] = ()
    authors: tuple[AuthorYear, ...] = ()
    carried: bool = False

    @property
    def cites(self) -> bool:
        """Whether it leads to any reference."""
        return bool(self.keys or self.authors)

    @property
    def claim(self) -> str:
        """What it says, without marks of citation."""
        return without_citations(self.shown)


@dataclass(frozen=True)
class CitingText:
    """A text that was read: its sentences in order, its own list of references, and remarks on the reading."""

    file: str
    sentences: tuple[CitingSentence, ...]
    entries: tuple[Entry, ...] = ()
    remarks: tuple[str, ...] = ()


def read_text(text: str, file: str = "text", readable: str | None = None) -> CitingText:
    """The sentences of a text, with what they cite, and its list of references.

    `readable` is the text with blanks for markup, of the same length; every place counts characters of `text`.
    """
    shown = text if readable is None else readable
    entries, lists = entries_of(shown)
    shown = blanked(shown, lists)
    found = marks(shown)
    numbered = any(entry.printed and entry.mark.isdecimal() for entry in entries)
    if numbered and not any(key.isdecimal() for mark in found for key in mark.keys):
        found = marks(shown, rounded=True)
    clear = _clear(shown, found)
    spans = _spans(clear, shown, found)
    sentences = [_sentence(text, shown, span, found) for span in spans]
    shared = _shared(sentences, _paragraphs(text, spans))
    remarks = (SHARED,) if any(one.carried for one in shared) else ()
    return CitingText(file, tuple(shared), tuple(entries), remarks)


def read_fields(text: str, file: str, parts: Iterable[tuple[int, str, tuple[str, ...]]]) -> CitingText:
    """The sentences of some parts of a file, each with its place, what it says, and the papers named beside it.

    A sentence with a mark of its own cites that.
    """
    found: list[CitingSentence] = []
    for at, said, papers in sorted(parts):
        for sentence in read_text(said, file).sentences:
            start, end = at + sentence.start, at + sentence.end
            cites = sentence.keys or (() if sentence.authors else papers)
            found.append(replace(sentence, text=text[start:end], start=start, end=end, keys=cites))
    return CitingText(file, tuple(found))


def _clear(shown: str, found: Sequence[Mark]) -> str:
    """A text without its marks; one that a sentence opens with, as `\\citet{smith} gave`, is a name there."""
    clear = blanked(shown, [(mark.start, mark.end) for mark in found])
    for mark in found:
        named = len(shown[mark.start : mark.end].lstrip())
        if _OPENS.match(clear, mark.end) and clear[: mark.start].rstrip()[-1:] in _STOPS:
            clear = clear[: mark.end - named] + "A" * named + clear[mark.end :]
    return clear


def _spans(clear: str, shown: str, found: Sequence[Mark]) -> list[tuple[int, int]]:
    """The sentences of a text without its marks; a mark behind a full stop belongs to the sentence before it."""
    spans: list[tuple[int, int]] = []
    for start, end in _cut_behind_marks(clear, shown, found):
        only_cites = end - start < _SHORT and not _LETTERS.search(without_citations(shown[start:end]))
        if spans and only_cites and "\n\n" not in shown[spans[-1][1] : start]:
            spans[-1] = spans[-1][0], end
        elif not _is_heading(clear, start, end) and not clear.endswith("?", start, end):
            spans.append((start, end))
    starts = [*(start for start, _ in spans[1:]), len(clear)]
    return [(start, _with_marks(clear, end, until, found)) for (start, end), until in zip(spans, starts, strict=False)]


def _cut_behind_marks(clear: str, shown: str, found: Sequence[Mark]) -> Iterator[tuple[int, int]]:
    """The sentences, cut where a mark stands right behind a full stop: `140 mL per kg.[3] The next one`."""
    cuts = [mark.end for mark in found if shown[max(0, mark.start - 1) : mark.start] in _STOPS]
    for start, end in sentence_spans(clear):
        own = cuts[bisect(cuts, start) : bisect_left(cuts, end)]
        for cut in (cut for cut in own if clear[cut:end].strip()[:1].isupper()):
            yield start, start + len(clear[start:cut].rstrip())
            start = cut + len(clear[cut:end]) - len(clear[cut:end].lstrip())
        yield start, end


def _is_heading(clear: str, start: int, end: int) -> bool:
    last = clear.find("\n", end)
    line = clear[clear.rfind("\n", 0, start) + 1 : last if last >= 0 else len(clear)].strip()
    short = len(line) <= _HEADLINE and not line.endswith(_ENDS) and line == clear[start:end].strip()
    return not _LETTERS.search(clear, start, end) or line.startswith("#") or short


def _with_marks(clear: str, end: int, until: int, found: Sequence[Mark]) -> int:
    """Where a sentence ends with the marks that follow it, unless they open the next one (in lower case)."""
    for mark in found[bisect(found, end, key=_end) : bisect(found, until, key=_end)]:
        gap = clear[end : mark.start]
        if mark.start < end or gap.strip() or "\n\n" in gap:
            continue
        if mark.start == end or not clear[mark.end : until + 1].lstrip()[:1].islower():
            end = mark.end
    return end


def _end(mark: Mark) -> int:
    return mark.end


def _sentence(text: str, shown: str, span: tuple[int, int], found: Sequence[Mark]) -> CitingSentence:
    start, end = span
    own = found[bisect(found, start, key=_end) : bisect(found, end, key=_end)]  # it may begin in the gap before
    keys = [key for mark in own for key in mark.keys]
    end_read = min(end, start + _LONGEST)
    named = tuple(year for year in author_years(plain(shown[start:end_read])) if year.year)
    return CitingSentence(text[start:end], start, end, shown[start:end_read], tuple(dict.fromkeys(keys)), named)


def _paragraphs(text: str, spans: Sequence[tuple[int, int]]) -> list[list[int]]:
    """The numbers of the sentences of each paragraph: what stands between two blank lines."""
    ends = [blank.start() for blank in _BLANK.finditer(text)]
    grouped = groupby(range(len(spans)), key=lambda number: bisect(ends, spans[number][0]))
    return [list(numbers) for _, numbers in grouped]


def _shared(sentences: Sequence[CitingSentence], paragraphs: Sequence[Sequence[int]]) -> list[CitingSentence]:
    """The sentences, of which some take the mark of another one of their paragraph: see `SHARED`."""
    kept = list(sentences)
    for numbers in paragraphs:
        for number in numbers:
            if kept[number].cites:
                continue
            before = [kept[one] for one in numbers if one == number - 1 and kept[one].cites]
            after = [sentences[one] for one in numbers if one > number and sentences[one].cites]
            if source := (before if _GOES_ON.match(kept[number].shown) else []) or after[:1]:
                own = source[0]
                kept[number] = replace(kept[number], keys=own.keys, authors=own.authors, carried=True)
    return kept
