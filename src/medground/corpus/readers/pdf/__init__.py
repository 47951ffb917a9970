"""A PDF file as one document, or as the one line that says why it is none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from medground.corpus.banners import banner_fields
from medground.corpus.manifest import hash_file
from medground.corpus.readers.base import Input, Item, Reading, file_input, valid
from medground.corpus.readers.compose import Composition, caution_on_hidden, make_document
from medground.corpus.readers.pdf.aligned_tables import sideways_tables, without_aligned
from medground.corpus.readers.pdf.blocks import Block, blocks_of, furniture, leadings
from medground.corpus.readers.pdf.front import Shown, front_of, identifiers_of
from medground.corpus.readers.pdf.glyphs import Page, as_seen, opened_pdf, read_glyphs
from medground.corpus.readers.pdf.kinds import KEYWORDS, Part, parts_of
from medground.corpus.readers.pdf.lines import Line, lines_of, settle
from medground.corpus.readers.pdf.outline import Labelled
from medground.corpus.readers.pdf.ruled_tables import drawn_tables, taken_out
from medground.corpus.readers.pdf.sections import (
    Paragraph,
    Words,
    id_of_book,
    legends,
    paragraph_of,
    running,
    text_of_book,
    unread_tables,
    with_rows,
)
from medground.errors import BadDocument
from medground.values.document import Document, LinePlace

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument


_REPORT = 50
_FIRST = 2
"""A copy from a repository has a cover before its first page."""


@dataclass
class Pages:
    """What the pages hold, in order: each without its glyphs, the lines of each that can be seen, from top to bottom,
    invisible lines, the rows of ruled tables, and the numbers of pages that are pictures without text or
    cannot be read.
    """

    sheets: list[Page] = field(default_factory=list)
    lines: list[list[Line]] = field(default_factory=list)
    hidden: list[Line] = field(default_factory=list)
    tables: list[list[Line]] = field(default_factory=list)
    pictures: list[int] = field(default_factory=list)
    unreadable: list[int] = field(default_factory=list)

    def marks(self) -> list[str]:
        """Stamps that are on one of the first pages or on most; a volume may hold one article that has one."""
        stamps = [sheet.stamp for sheet in self.sheets if sheet.stamp]
        first = any(sheet.stamp for sheet in self.sheets[:_FIRST])
        return stamps[:1] if first or 2 * len(stamps) > len(self.sheets) else []

    def cautions(self) -> tuple[str, ...]:
        """What a reader must know of the file."""
        said: list[str] = []
        for page, why in dict.fromkeys((line.page, line.hidden) for line in self.hidden):
            pieces = [line.text for line in self.hidden if (line.page, line.hidden) == (page, why)]
            said += caution_on_hidden(pieces, f"Page {page}", why)
        if self.pictures:
            are = "it is" if len(self.pictures) == 1 else "each is"
            said.append(f"{_named(self.pictures)} without text ({are} a picture) could not be read.")
        if self.unreadable:
            said.append(f"{_named(self.unreadable)} could not be read: the file is damaged there.")
        return tuple(said)

    @property
    def meaningless(self) -> float:
        """Share of characters of which the fonts do not say what they are."""
        text = "".join(line.text for lines in self.lines for line in lines)
        return text.count("\ufffd") / max(len(text), 1)


def read_pages(document: PdfDocument) -> Iterator[Reading | Pages]:
    """Read page by page; last comes what was read. Only the lines of a page stay in memory."""
    from pypdfium2 import PdfiumError
    from pypdfium2.raw import FPDF_PAGEOBJ_IMAGE, FPDF_PAGEOBJ_PATH

    pages, count, above, over = Pages(), len(document), None, None
    for at in range(count):
        if at and at % _REPORT == 0:
            yield Reading(at, count)
        try:
            sheet = document[at]
        except PdfiumError:
            pages.unreadable.append(at + 1)
            continue
        try:
            drawn = [*sheet.get_objects(filter=[FPDF_PAGEOBJ_IMAGE, FPDF_PAGEOBJ_PATH], max_depth=3)]
            seen = as_seen(sheet, read_glyphs(sheet, at + 1, drawn))
            read, ruled, above = taken_out(seen, drawn_tables(seen, drawn), above)
            lines = lines_of(read)
            read, aligned, over = without_aligned(read, lines, drawn, over)
            tables = ruled + aligned + sideways_tables(seen, drawn)
        finally:
            sheet.close()
        lines = lines_of(read) if aligned else lines
        shown = [line for line in lines if not line.hidden]
        if read.scanned and not shown:
            pages.pictures.append(read.number)
        pages.tables += tables
        pages.sheets.append(replace(read, glyphs=[]))
        pages.lines.append(shown)
        pages.hidden += (line for line in lines if line.hidden)
    yield pages


def _named(numbers: list[int]) -> str:
    shown = ", ".join(map(str, numbers[:10])) + (" and others" if len(numbers) > 10 else "")
    return f"Page {shown}" if len(numbers) == 1 else f"Pages {shown}"


# The lines of all pages to one document: text by section, legends apart, the place of each line.

_FIRST_PAGES = 3
_MEANINGLESS = 0.05
"""A PDF with a larger share of characters that mean nothing outside its fonts has no text."""


def document_of(pages: Pages, metadata: Mapping[str, str], document_id: str, *, book: bool = False) -> Document:
    """The document that these pages are; `metadata` is what the file says of itself. A book is named after its text."""
    if not (any(pages.lines) or pages.tables) or pages.meaningless > _MEANINGLESS:
        raise ValueError(_no_text(pages))
    settle([line for lines in pages.lines for line in lines])
    dropped, kept, blocks = in_blocks(pages)
    parts = parts_of(blocks)
    outer = [line for lines in pages.lines[:_FIRST_PAGES] for line in lines if id(line) in dropped]
    beside: dict[tuple[int, int], str] = {}  # a journal on the left, its volume on the right
    for line in sorted(outer, key=lambda line: line.left):
        at = line.page, round(line.base)
        beside[at] = f"{beside.get(at, '')} {line.text}".strip()
    margins = [*(line.text for line in outer), *beside.values()]
    words = Words.from_lines(line for lines in kept for line in lines)
    first = [p for p in parts if p.block.page == 1 and p.label not in ("references", "citation")]
    said = [_whole(part.block, words) for part in first]
    prose = [text for text, part in zip(said, first, strict=True) if part.kind == "text"]
    shown = [Shown(_whole(b, words), b.page, b.size, b.bold) for b in (p.block for p in parts if p.kind == "front")]
    stated = [*(one.text for one in shown), *margins, *metadata.values()]
    own = identifiers_of(stated, [text for text in said if text not in prose], prose)
    front = {**front_of(shown, margins, " ".join(said), metadata), "identifiers": own}
    mark = banner_fields([*pages.marks(), *margins, *(one.text for one in shown), metadata.get("Title", "")])
    composition = Composition()
    everything: list[Labelled] = [(None, lines) for lines in kept if lines]
    labelled = with_rows([*running(parts), *legends(parts)] or everything, parts, pages.tables)
    paragraphs: list[Paragraph] = []
    for label, lines in text_of_book(labelled) if book else labelled:
        paragraphs.append(paragraph_of(lines, words))
        composition.add(paragraphs[-1].text, label)
    if book and not composition.text:
        raise ValueError("nothing is left of the book without its lists and web addresses")
    doi, pmc = (front["identifiers"].get(kind) for kind in ("doi", "pmc"))
    return make_document(
        {
            "id": id_of_book(composition.text) if book else document_id,
            "kind": "book" if book else "research",
            "text": composition.text,
            "sections": composition.sections,
            "keywords": _keywords(parts),
            "url": f"https://doi.org/{doi}" if doi else pmc and f"https://pmc.ncbi.nlm.nih.gov/articles/{pmc}/",
            "lines": list(_places(paragraphs, pages)),
        }
        | front
        | mark
        | {"cautions": (*mark.get("cautions", ()), *pages.cautions(), *_unread(unread_tables(parts, pages.tables)))}
    )


def in_blocks(pages: Pages) -> tuple[set[int], list[list[Line]], list[Block]]:
    """The `id()` of each running head and foot, the other lines of each page, and their blocks in order of reading."""
    dropped = furniture(pages.lines, [sheet.bounds for sheet in pages.sheets])
    kept = [[line for line in lines if id(line) not in dropped] for lines in pages.lines]
    usual = leadings(kept)
    return dropped, kept, [block for lines in kept for block in blocks_of(lines, usual)]


def _unread(pages: list[int]) -> Iterator[str]:
    """The note on tables of these pages whose rows are not in the text."""
    if pages:
        what = "1 table was" if len(pages) == 1 else f"{len(pages)} tables were"
        where = _named(list(dict.fromkeys(pages))).replace("Page", "page", 1)
        yield f"{what} not read ({where}); the figures in {'it' if len(pages) == 1 else 'them'} are not in the text."


def _places(paragraphs: Sequence[Paragraph], pages: Pages) -> Iterator[LinePlace]:
    """The place of each line in a text of paragraphs, each a blank line after the one before."""
    sheets = {sheet.number: sheet for sheet in pages.sheets}
    begins = 0
    for paragraph in (one for one in paragraphs if one.text):
        ends = [start for start, _ in paragraph.lines[1:]] + [len(paragraph.text)]
        for (start, line), end in zip(paragraph.lines, ends, strict=True):
            box = sheets[line.page].box(line.left, line.bottom, line.right, line.top)
            yield (begins + start, begins + end, line.page, *box)
        begins += len(paragraph.text) + 2


def _whole(block: Block, words: Words) -> str:
    return paragraph_of(block.lines, words).text


def _keywords(parts: Sequence[Part]) -> tuple[str, ...]:
    said = " ".join(KEYWORDS.sub("", part.block.text) for part in parts if part.kind == "keywords")
    words = (word.strip(" .") for word in re.split(r"[;,\u2022\u00b7|]", said))
    return tuple(dict.fromkeys(word for word in words if 1 < len(word) < 80))


def _no_text(pages: Pages) -> str:
    if any(pages.lines):
        return "the fonts of the PDF do not say which characters they show; reprocess it with ocrmypdf --force-ocr"
    if pages.pictures:
        count = len(pages.pictures)
        named = f"{count} page{'s' * (count > 1)}"
        return f"the PDF is a scan without text ({named}); make it searchable with OCR, for example ocrmypdf"
    if pages.hidden:
        return "the PDF has no visible text"
    return "the PDF has no text"


SIGNATURE = b"%PDF-"
_SIGNATURE_WITHIN = 1024
_NOT_IN_AN_ID = re.compile(r"[\s#\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+")
_DAMAGED = "damaged or incomplete; copy or download it again"
_MOST_PAGES = 20_000
"""A few kB can name one page as often as they like."""


def open_pdf(path: Path, *, book: bool = False) -> Input:
    """One PDF file. It is read when its document is asked for; on resuming, from the beginning.

    As a `book` it is a textbook, named after its text: kind `book`, without web addresses, indexes and the like.
    """
    return file_input(path, "book-pdf" if book else "pdf", partial(_read, book=book), apart=True)


def is_pdf(start: bytes) -> bool:
    """Whether a file that starts like this is a PDF."""
    return SIGNATURE in start[:_SIGNATURE_WITHIN]


def _read(path: Path, *, book: bool) -> Iterator[Item]:
    from pypdfium2 import PdfiumError

    try:
        document = opened_pdf(path)
    except PdfiumError as error:
        locked = "password" in str(error).lower()
        why = "encrypted; save a copy without its password" if locked else _DAMAGED
        raise BadDocument(f"the PDF is {why}", file=path) from error
    try:
        if len(document) > _MOST_PAGES:
            reason = f"the PDF has {len(document):,} pages; at most {_MOST_PAGES:,} are read"
            raise BadDocument(reason, file=path)
        for read in read_pages(document):
            if not isinstance(read, Pages):
                yield read
                continue
            with valid(path):
                yield document_of(read, document.get_metadata_dict(), _id(path), book=book)
    finally:
        document.close()


def _id(path: Path) -> str:
    """`FILE:NAME-DIGEST.pdf`: two files of one name in two folders are two documents, a moved file stays one."""
    stem = re.sub(r"(?:\.pdf)?(?:\.gz)?$", "", path.name, flags=re.IGNORECASE)
    name = _NOT_IN_AN_ID.sub("_", stem)[:150] or "_"
    return f"FILE:{name}-{hash_file(path)[:8]}.pdf"
