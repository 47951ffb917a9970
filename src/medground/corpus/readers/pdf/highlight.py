"""Where a quote is printed: boxes on pages, checked against the file, or nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from rapidfuzz import fuzz

from medground.corpus.readers.files import is_packed, whole
from medground.document import Box, Document

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument

SURE = 90.0
"""Least match, in percent, between a quote and what the file has in its boxes."""


def highlights(path: Path, document: Document, spans: Sequence[tuple[int, int]]) -> list[tuple[Box, ...]]:
    """The boxes of slices of a document's text in its PDF, one for each printed line that holds some of it.

    A slice gets no boxes at all where the file has other text there: it was changed, or read wrongly. Letters and
    digits are compared, at 0.9.

    Args:
        path: the PDF that the document was read from.
        document: the document.
        spans: start and end of each slice.

    Raises:
        PdfiumError: the file cannot be opened.
    """
    from pypdfium2 import PdfDocument

    opened = PdfDocument(whole(path) if is_packed(path) else path)
    try:
        return [_checked(opened, document, start, end) for start, end in spans]
    finally:
        opened.close()


def _checked(opened: PdfDocument, document: Document, start: int, end: int) -> tuple[Box, ...]:
    boxes = document.boxes(start, end)
    if not boxes or boxes[-1].page > len(opened):
        return ()
    printed = ""
    for number, on_page in groupby(boxes, key=lambda box: box.page):
        page = opened[number - 1]
        text = page.get_textpage()
        try:
            printed += "".join(text.get_text_bounded(*box[1:]) for box in on_page)
        finally:
            text.close()
            page.close()
    return boxes if fuzz.partial_ratio(_letters(document.text[start:end]), _letters(printed)) >= SURE else ()


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.casefold())
