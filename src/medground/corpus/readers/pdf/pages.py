"""The pages of an opened PDF as lines: what can be seen, what nobody can see, which pages are pictures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from medground.corpus.readers.base import Reading
from medground.corpus.readers.pdf.glyphs import Page, read_glyphs
from medground.corpus.readers.pdf.lines import Line, lines_of
from medground.corpus.readers.pdf.visible import as_seen
from medground.corpus.readers.unseen import caution_on_hidden

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument

_REPORT = 50
_FIRST = 2
"""A copy from a repository has a cover before its first page."""


@dataclass
class Pages:
    """What the pages hold, in order.

    Attributes:
        sheets: each page, without its glyphs.
        lines: the lines of each page that can be seen, from top to bottom.
        hidden: lines that nobody can see.
        pictures: numbers of the pages that are pictures without text.
        unreadable: numbers of the pages that cannot be read.
    """

    sheets: list[Page] = field(default_factory=list)
    lines: list[list[Line]] = field(default_factory=list)
    hidden: list[Line] = field(default_factory=list)
    pictures: list[int] = field(default_factory=list)
    unreadable: list[int] = field(default_factory=list)

    def marks(self) -> list[str]:
        """Stamps that are on one of the first pages or on most; a volume may hold one article that has one."""
        stamps = [sheet.stamp for sheet in self.sheets if sheet.stamp]
        first = any(sheet.stamp for sheet in self.sheets[:_FIRST])
        return stamps[:1] if first or 2 * len(stamps) > len(self.sheets) else []

    def cautions(self) -> tuple[str, ...]:
        """What a reader must know of the file."""
        said = [*self._hidden_texts()]
        if self.pictures:
            said.append(f"{_named(self.pictures)} without text ({_are(self.pictures)} a picture) could not be read.")
        if self.unreadable:
            said.append(f"{_named(self.unreadable)} could not be read: the file is damaged there.")
        return tuple(said)

    @property
    def meaningless(self) -> float:
        """Share of characters of which the fonts do not say what they are."""
        text = "".join(line.text for lines in self.lines for line in lines)
        return text.count("\ufffd") / max(len(text), 1)

    def _hidden_texts(self) -> Iterator[str]:
        places = dict.fromkeys((line.page, line.hidden) for line in self.hidden)
        for page, why in places:
            pieces = [line.text for line in self.hidden if (line.page, line.hidden) == (page, why)]
            yield from caution_on_hidden(pieces, f"Page {page}", why)


def read_pages(document: PdfDocument) -> Iterator[Reading | Pages]:
    """Read page by page; last comes what was read. Only the lines of a page stay in memory."""
    from pypdfium2 import PdfiumError

    pages, count = Pages(), len(document)
    for at in range(count):
        if at and at % _REPORT == 0:
            yield Reading(at, count)
        try:
            sheet = document[at]
        except PdfiumError:
            pages.unreadable.append(at + 1)
            continue
        try:
            read = as_seen(sheet, read_glyphs(sheet, at + 1))
        finally:
            sheet.close()
        _keep(pages, read)
    yield pages


def _keep(pages: Pages, read: Page) -> None:
    lines = lines_of(read)
    shown = [line for line in lines if not line.hidden]
    if read.scanned and not shown:
        pages.pictures.append(read.number)
    pages.sheets.append(replace(read, glyphs=[]))
    pages.lines.append(shown)
    pages.hidden += (line for line in lines if line.hidden)


def _named(numbers: list[int]) -> str:
    shown = ", ".join(map(str, numbers[:10])) + (" and others" if len(numbers) > 10 else "")
    return f"Page {shown}" if len(numbers) == 1 else f"Pages {shown}"


def _are(numbers: list[int]) -> str:
    return "it is" if len(numbers) == 1 else "each is"
