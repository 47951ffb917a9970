"""A PDF file as one document, or as the one line that says why it is none."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from medground.corpus.readers.base import Input, Item
from medground.corpus.readers.files import content_of, file_input, head, is_packed
from medground.corpus.readers.pdf.assemble import document_of
from medground.corpus.readers.pdf.pages import Pages, read_pages
from medground.errors import BadDocument

SIGNATURE = b"%PDF-"
_SIGNATURE_WITHIN = 1024
_NOT_IN_AN_ID = re.compile(r"[\s#\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+")
_BLOCK = 1 << 20
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
        raise BadDocument(_why(error), file=str(path)) from error
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


def _why(error: Exception) -> str:
    if "password" in str(error).lower():
        return "the PDF is encrypted; save a copy without its password"
    return "the PDF is damaged or incomplete; copy or download it again"


def _id(path: Path) -> str:
    """`FILE:NAME-DIGEST.pdf`: two files of one name in two folders are two documents, a moved file stays one."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    stem = re.sub(r"(?:\.pdf)?(?:\.gz)?$", "", path.name, flags=re.IGNORECASE)
    name = _NOT_IN_AN_ID.sub("_", stem)[:150] or "_"
    return f"FILE:{name}-{digest.hexdigest()[:8]}.pdf"
