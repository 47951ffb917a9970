"""Pieces of HTML, as services put them into their records, as text."""

import re

from lxml import html
from lxml.etree import ParserError

from medground.corpus.readers.compose import Composition, printable

_HEADING = re.compile(r"<h[1-6][^>]*>(.*?)</h[1-6]\s*>", re.IGNORECASE | re.DOTALL)
_BREAK = re.compile(r"<(?:br|/?p|/?div|/?li|/?ul|/?ol)\b[^>]*>", re.IGNORECASE)
_COVERED = re.compile(r"<(script|style)\b.*?</\1\s*>", re.IGNORECASE | re.DOTALL)


def plain(marked: str) -> str:
    """The text of a piece of HTML in one line; scripts are left out."""
    visible = _BREAK.sub(" ", _COVERED.sub(" ", printable(marked)))
    if "<" in visible or "&" in visible:
        try:
            visible = html.fromstring(f"<div>{visible}</div>").text_content()
        except (ParserError, ValueError):
            return ""
    return " ".join(printable(visible).split())


def abstract_of(marked: str) -> Composition:
    """An abstract with a section for each of its headings (`<h4>Methods</h4>`)."""
    composition = Composition()
    parts = _HEADING.split(marked)
    composition.add(plain(parts[0]))
    for label, part in zip(parts[1::2], parts[2::2], strict=True):
        composition.add(plain(part), plain(label).rstrip(":") or None)
    return composition
