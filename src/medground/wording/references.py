"""A document as an entry in a list of references."""

from __future__ import annotations

import re

from medground.answer import SourceDocument
from medground.rank.design import UNKNOWN, design_level
from medground.retraction import RETRACTED, doubt, why_aside
from medground.text.clean import clean
from medground.wording.blocks import Line, line
from medground.wording.phrases import ended

_KINDS = {
    "graph": "knowledge graph entry",
    "protein": "protein record",
    "guideline": "guideline",
    "book": "book",
    "wiki": "encyclopedia article",
    "web": "web page",
}
_ADDRESS = re.compile(r"https?://[^\s<>\"'\\`\[\]]+", re.IGNORECASE)
"""Web addresses that no output format can misread."""


def study(document: SourceDocument) -> str:
    """The design and year of a document on one side of a conflict."""
    return f"{design(document) or 'design not stated'}, {document.year or 'year not stated'}"


def design(document: SourceDocument) -> str:
    """The strongest study design that a record names, or the kind of a source that is not a paper; else empty."""
    named = [t for t in document.publication_types if design_level([t]) != UNKNOWN or "review" in t.casefold()]
    if named:
        return clean(min(named, key=lambda t: design_level([t])).lower())
    return _KINDS.get(document.kind, "")


def bibliography(document: SourceDocument) -> str:
    """Title, journal, year and design, as in a list of references."""
    where = ", ".join(clean(str(part)) for part in (document.journal, document.year) if part)
    title = " ".join(clean(document.title).split()) or document.id
    return " ".join(ended(part) for part in (title, where, design(document).capitalize()) if part)


def plain_reference(document: SourceDocument) -> Line:
    """The same as a line without styles."""
    return line(bibliography(document))


def state(document: SourceDocument) -> str:
    """What a reader must know of a document before trusting it; empty where there is nothing."""
    if aside := why_aside(document):
        return f"{'RETRACTED' if aside == RETRACTED else aside.capitalize()}: not used as evidence."
    if document.retraction == "concern":
        return "An expression of concern has been published about this paper."
    if why := doubt(document):
        return f"This record {why}; check it before you rely on it."
    return ""


def terms(document: SourceDocument) -> str:
    """Under which licence a document may be used, and where its source has it from; empty where neither is known."""
    known = (("Licence", document.license), ("Origin", document.origin))
    return " ".join(ended(f"{name}: {' '.join(clean(text).split())}") for name, text in known if text)


def address(document: SourceDocument) -> str:
    """Where a document can be read, as its record says; else PubMed for a PMID; else empty."""
    prefix, _, number = document.id.partition(":")
    if document.url:
        return clean(document.url).strip()
    in_pubmed = prefix == "PMID" and number.isascii() and number.isdigit()
    return f"https://pubmed.ncbi.nlm.nih.gov/{number}/" if in_pubmed else ""


def is_web_address(text: str) -> bool:
    """Whether a text is an address that is safe to link to."""
    return _ADDRESS.fullmatch(text) is not None
