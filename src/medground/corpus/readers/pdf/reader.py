"""A PDF file as one document, or as the one line that says why it is none."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from medground.corpus.readers.base import Input, Item, content_of, file_input, head, is_packed
from medground.corpus.readers.cautions import marked
from medground.corpus.readers.compose import Composition, make_document
from medground.corpus.readers.pdf.blocks import Block, blocks_of, furniture, leadings
from medground.corpus.readers.pdf.book import id_of_book, text_of_book
from medground.corpus.readers.pdf.front import Front, Shown, front_of
from medground.corpus.readers.pdf.kinds import Part, parts_of
from medground.corpus.readers.pdf.lines import settle
from medground.corpus.readers.pdf.pages import Pages, read_pages
from medground.corpus.readers.pdf.sections import Labelled, Paragraph, Words, legends, paragraph_of, running
from medground.corpus.readers.values import own_pmid
from medground.errors import BadDocument
from medground.values.document import Document, LinePlace

# The lines of all pages to one document: text by section, legends apart, the place of each line.

_KEYWORDS = re.compile(r"\s*key\s?-?words?(?: and phrases)?\W*", re.I)
_FIRST_PAGES = 3
_MEANINGLESS = 0.05
"""A PDF with a larger share of characters that mean nothing outside its fonts has no text."""


def document_of(pages: Pages, metadata: Mapping[str, str], document_id: str, *, book: bool = False) -> Document:
    """The document that these pages are.

    Args:
        pages: the lines of each page.
        metadata: what the file says of itself.
        document_id: its id; a book is named after its text.
        book: whether to read them as a textbook.

    Raises:
        ValueError: they have no text; one line says why.
    """
    if not any(pages.lines) or pages.meaningless > _MEANINGLESS:
        raise ValueError(_no_text(pages))
    settle([line for lines in pages.lines for line in lines])
    dropped = furniture(pages.lines, [sheet.bounds for sheet in pages.sheets])
    kept = [[line for line in lines if id(line) not in dropped] for lines in pages.lines]
    usual = leadings(kept)
    parts = parts_of([block for lines in kept for block in blocks_of(lines, usual)])
    margins = [line.text for lines in pages.lines[:_FIRST_PAGES] for line in lines if id(line) in dropped]
    words = Words.of(line for lines in kept for line in lines)
    front = _front(parts, margins, metadata, words)
    mark = marked([*pages.marks(), *margins, *front.above, metadata.get("Title", "")])
    composition, places = Composition(), _Places(pages)
    everything: list[Labelled] = [(None, lines) for lines in kept if lines]
    paragraphs = [*running(parts), *legends(parts)] or everything
    for label, lines in text_of_book(paragraphs) if book else paragraphs:
        paragraph = paragraph_of(lines, words)
        composition.add(paragraph.text, label)
        places.add(paragraph)
    if book and not composition.text:
        raise ValueError("nothing is left of the book without its lists and web addresses")
    doi, pmc = (front.identifiers.get(kind) for kind in ("doi", "pmc"))
    return make_document(
        {
            "id": id_of_book(composition.text) if book else document_id,
            "kind": "book" if book else "research",
            "title": front.title,
            "text": composition.text,
            "sections": composition.sections,
            "year": front.year,
            "journal": front.journal,
            "authors": front.authors,
            "keywords": _keywords(parts),
            "identifiers": front.identifiers,
            "url": f"https://doi.org/{doi}" if doi else pmc and f"https://pmc.ncbi.nlm.nih.gov/articles/{pmc}/",
            "lines": places.lines,
        }
        | mark
        | {"cautions": (*mark.get("cautions", ()), *pages.cautions())}
    )


class _Places:
    """The place of each line in a text of paragraphs, each a blank line after the one before."""

    def __init__(self, pages: Pages) -> None:
        self._sheets = {sheet.number: sheet for sheet in pages.sheets}
        self._next = 0
        self.lines: list[LinePlace] = []

    def add(self, paragraph: Paragraph) -> None:
        """Note the lines of the next paragraph."""
        if not paragraph.text:
            return
        ends = [start for start, _ in paragraph.lines[1:]] + [len(paragraph.text)]
        for (start, line), end in zip(paragraph.lines, ends, strict=True):
            box = self._sheets[line.page].box(line.left, line.bottom, line.right, line.top)
            self.lines.append((self._next + start, self._next + end, line.page, *box))
        self._next += len(paragraph.text) + 2


def _front(parts: Sequence[Part], margins: Sequence[str], metadata: Mapping[str, str], words: Words) -> Front:
    first = [_whole(p.block, words) for p in parts if p.block.page == 1 and p.label not in ("references", "citation")]
    front = [Shown(_whole(b, words), b.page, b.size, b.bold) for b in (p.block for p in parts if p.kind == "front")]
    return front_of(front, margins, " ".join(first), metadata, own_pmid(first))


def _whole(block: Block, words: Words) -> str:
    return paragraph_of(block.lines, words).text


def _keywords(parts: Sequence[Part]) -> tuple[str, ...]:
    said = " ".join(_KEYWORDS.sub("", part.block.text) for part in parts if part.kind == "keywords")
    words = (word.strip(" .") for word in re.split(r"[;,\u2022\u00b7|]", said))
    return tuple(dict.fromkeys(word for word in words if 1 < len(word) < 80))


def _no_text(pages: Pages) -> str:
    if any(pages.lines):
        return "the fonts of the PDF do not say which characters they show; read it anew with ocrmypdf --force-ocr"
    if pages.pictures:
        count = len(pages.pictures)
        named = f"{count} page{'s' * (count > 1)}"
        return f"the PDF is a scan without text ({named}); make it searchable with OCR, such as ocrmypdf"
    if pages.hidden:
        return "the PDF has no text that anybody can see"
    return "the PDF has no text"


SIGNATURE = b"%PDF-"
_SIGNATURE_WITHIN = 1024
_NOT_IN_AN_ID = re.compile(r"[\s#\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+")
_DAMAGED = "damaged or incomplete; copy or download it again"
_MOST_PAGES = 20_000
"""A few kB can name one page as often as they like."""


def open_pdf(path: Path) -> Input:
    """One PDF file. It is read when its document is asked for; on resuming, from the beginning.

    Raises:
        BadDocument: the file is empty, cannot be read, or is not a PDF.
    """
    return _input(path, "pdf", book=False)


def open_book_pdf(path: Path) -> Input:
    """One PDF file as a textbook, named after its text: kind `book`, without web addresses, indexes and the like.

    Raises:
        BadDocument: as for `open_pdf`.
    """
    return _input(path, "book-pdf", book=True)


def _input(path: Path, reader: str, *, book: bool) -> Input:
    if not is_pdf(head(path)):
        raise BadDocument("this is not a PDF file, whatever its name; rename it or leave it out", file=str(path))
    return file_input(path, reader, partial(_read, book=book))


def is_pdf(start: bytes) -> bool:
    """Whether a file that starts like this is a PDF."""
    return SIGNATURE in start[:_SIGNATURE_WITHIN]


def _read(path: Path, *, book: bool) -> Iterator[Item]:
    from pypdfium2 import PdfDocument, PdfiumError

    try:
        document = PdfDocument(content_of(path) if is_packed(path) else path)
    except PdfiumError as error:
        locked = "password" in str(error).lower()
        why = "encrypted; save a copy without its password" if locked else _DAMAGED
        raise BadDocument(f"the PDF is {why}", file=str(path)) from error
    try:
        if len(document) > _MOST_PAGES:
            reason = f"the PDF has {len(document):,} pages; at most {_MOST_PAGES:,} are read"
            raise BadDocument(reason, file=str(path))
        for read in read_pages(document):
            if not isinstance(read, Pages):
                yield read
                continue
            try:
                yield document_of(read, document.get_metadata_dict(), _id(path), book=book)
            except ValueError as error:
                raise BadDocument(str(error), file=str(path)) from error
    finally:
        document.close()


def _id(path: Path) -> str:
    """`FILE:NAME-DIGEST.pdf`: two files of one name in two folders are two documents, a moved file stays one."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256")
    stem = re.sub(r"(?:\.pdf)?(?:\.gz)?$", "", path.name, flags=re.IGNORECASE)
    name = _NOT_IN_AN_ID.sub("_", stem)[:150] or "_"
    return f"FILE:{name}-{digest.hexdigest()[:8]}.pdf"
