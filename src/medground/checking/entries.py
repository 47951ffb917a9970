"""Lists of references: in the text itself, under its heading or as footnotes, or read from a file beside it."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from medground.language.pattern import lazy_pattern, verbose_pattern
from medground.values.document import Document
from medground.values.identifiers import papers_named


@dataclass(frozen=True)
class Entry:
    """An entry of a list of references.

    Attributes:
        mark: the number or key by which the text cites it: its place in a list without any.
        text: the entry as it is written.
        ids: the papers that it names: `pmid:1`, `pmc:PMC1`, `doi:10.1/x`.
        title: its title, where a file of references says which words are the title.
        authors: its authors, where a file says so.
        year: its year, if it has one.
        printed: whether the list has numbers, keys or bullets.
    """

    mark: str
    text: str
    ids: tuple[str, ...] = ()
    title: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None
    printed: bool = True


_HEADING = verbose_pattern(
    r"""
    ^[ \t]*(?:\#{1,6}[ \t]*|\*\*|\d{1,2}\.?[ \t]+|\\section\*?\{)?
    (?:references?|bibliography|works\ cited|literature(?:\ cited)?|sources|citations?|footnotes|notes|
    reference\ list|list\ of\ references)
    :?(?:\*\*|\})?[ \t]*+:?[ \t]*+\#*+[ \t]*+\r?$
    """,
    re.IGNORECASE | re.MULTILINE,
)
_SURE = lazy_pattern(r"(?i)reference|bibliography|cited")
_NEXT_HEADING = lazy_pattern(r"^(?:#{1,6}[ \t]|\\(?:section|end)\b)", re.MULTILINE)
_BEGINS = verbose_pattern(
    r"""
    ^[ \t]*(?:\[\^(?P<note>[^\]\s]{1,60})\]:|\[(?P<key>[\w:.-]{1,60})\][.:]?|(?P<number>\d{1,3})[.)\]]|
    (?P<bullet>[-*•–]))[ \t]+|^[ \t]*\\bibitem(?:\[[^\]]*\])?\{(?P<item>[^{}]+)\}\s*
    """,
    re.MULTILINE,
)
_NOTE = lazy_pattern(r"^[ \t]*\[\^([^\]\s]{1,60})\]:[ \t]*\S.*$", re.MULTILINE)
_YEAR = lazy_pattern(r"(?<![\d/.:-])(?:1[89]|20)\d\d(?![\d/])")
_NO_YEARS = lazy_pattern(r"(?i)10\.\d{4,9}/\S+|\bPM(?:C?ID)\W*\d+|\b(?:accessed|retrieved|visited|cited)\b[^.;]{0,25}")
_AUTHOR = lazy_pattern(
    r"\s*(?:[^\W\d_a-z][\w'’-]{1,40} ){0,3}[^\W\d_a-z][\w'’-]{1,40},? (?:[^\W\d_a-z][.]?[ -]?){1,4}[,.;(& ]"
)
"""A person in front of an entry: `van Smith JA,`."""
_GAP = lazy_pattern(r"\n[ \t\r]*\n\s*")
_APART = lazy_pattern(r"\n(?:[ \t\r]*\n\s*|(?=[ \t]*(?:\[[\w:.-]{1,60}\]|\d{1,3}[.)\]])[ \t]))")
_LEAST, _MOST = 20, 600
"""Characters of an entry: a shorter or longer line is none."""


def entries_of(text: str) -> tuple[list[Entry], list[tuple[int, int]]]:
    """The entries of a text's own lists of references, and the places of these lists in the text."""
    headings = [*_HEADING.finditer(text)]
    places = [place for heading in headings if (place := _section(text, heading))[0] < place[1]]
    places = places or [*_unheaded(text)]
    found = [entry for start, end in places for entry in _listed(text[start:end])]
    for note in _NOTE.finditer(text):
        if not any(start <= note.start() < end for start, end in places):
            found += _listed(note[0])
            places.append(note.span())
    return found, sorted([*places, *(one.span() for one in headings)]) if found else []


def _section(text: str, heading: re.Match[str]) -> tuple[int, int]:
    ends = [one.start() for one in (form.search(text, heading.end()) for form in (_NEXT_HEADING, _HEADING)) if one]
    start, end = heading.end(), min(ends, default=len(text))
    begins = [*_BEGINS.finditer(text, start, end)]
    if not (_SURE.search(heading[0]) or begins):  # notes may be a part of the text
        return start, start
    gaps = _GAP.finditer(text, begins[-1].end() if begins else start, end)
    prose = (
        gap.start() for gap in gaps if _is_prose(text[gap.end() : min(end, gap.end() + _MOST)], numbered=bool(begins))
    )
    return start, next(prose, end)


def _is_prose(text: str, *, numbered: bool) -> bool:
    """Whether the text behind an entry goes on: its first paragraph is no entry."""
    first = _GAP.split(text.strip(), 1)[0]
    return len(first) >= _LEAST and (numbered or not _is_entry(first))


def _is_entry(text: str) -> bool:
    """Whether a paragraph reads as an entry: it has an id and is short, or a person in front and a year."""
    first = _BEGINS.sub("", text, count=1).lstrip()
    return len(text) < _MOST and bool(papers_named(text) or (_AUTHOR.match(first) and years_in(text)))


def _unheaded(text: str) -> Iterator[tuple[int, int]]:
    """The places of lists without a heading: paragraphs or numbered lines, of which at least two read as entries."""
    cuts = [0, *(cut.end() for cut in _APART.finditer(text)), len(text)]
    spans = [(start, end) for start, end in pairwise(cuts) if text[start:end].strip()]
    for reads, group in groupby(spans, key=lambda span: _is_entry(text[slice(*span)]) and _begins_entry(text, *span)):
        if reads and len(run := [*group]) > 1:
            yield run[0][0], run[-1][1]


def _begins_entry(text: str, start: int, end: int) -> bool:
    return bool(_BEGINS.match(text, start, end) or _AUTHOR.match(text, start, end))


def _listed(text: str) -> Iterator[Entry]:
    starts = [*_BEGINS.finditer(text)]
    if not starts:
        lines = [line for line in re.split(r"\n\s*\n|\n(?=\S)", text) if line.strip()]
        whole = len(lines) == len(_GAP.split(text.strip())) or all(map(_is_entry, lines))  # no line goes on another
        for place, line in enumerate(lines, start=1):
            if len(line.strip()) >= _LEAST:
                yield replace(_entry(str(place) if whole else "", line), printed=False)
        return
    ends = [*(start.start() for start in starts[1:]), len(text)]
    for place, (begin, end) in enumerate(zip(starts, ends, strict=True), start=1):
        mark = begin["note"] or begin["key"] or begin["number"] or begin["item"] or str(place)
        yield _entry(mark, text[begin.end() : end])


def _entry(mark: str, text: str) -> Entry:
    text = " ".join(text.split())
    ids = tuple(dict.fromkeys(name for names in papers_named(text).values() for name in names))
    years = years_in(text)
    return Entry(mark, text, ids, year=years[-1] if years else None)


def years_in(text: str) -> list[int]:
    """The years of an entry, which may be of a journal's name too, but not that in which somebody read it."""
    return [int(year) for year in _YEAR.findall(_NO_YEARS.sub(" ", text))]


def entries_beside(documents: Iterable[Document]) -> list[Entry]:
    """The entries of a file of references, each under its key in that file, or else under its number."""
    found = []
    for number, document in enumerate(documents, start=1):
        key = next(iter(document.metadata.get("citation_key", ())), "") or str(number)
        authors = ", ".join(document.authors)
        text = ". ".join(str(part) for part in (authors, document.title, document.journal, document.year) if part)
        found.append(Entry(key, text, document.paper, document.title, document.authors, document.year))
    return found
