"""A document as an entry in a list of references."""

from __future__ import annotations

from medground.answer import SourceDocument
from medground.rank.source_facts import design
from medground.text.clean import clean
from medground.text.english import ended, joined
from medground.wording.blocks import Line, line


def study(document: SourceDocument) -> str:
    """The design and year of a document on one side of a conflict."""
    return f"{design(document) or 'design not stated'}, {document.year or 'year not stated'}"


def bibliography(document: SourceDocument) -> str:
    """Title, journal, year and design, as in a list of references."""
    where = ", ".join(clean(str(part)) for part in (document.journal, document.year) if part)
    title = joined(document.title) or document.id
    return " ".join(ended(part) for part in (title, where, design(document).capitalize()) if part)


def plain_reference(document: SourceDocument) -> Line:
    """The same as a line without styles."""
    return line(bibliography(document))


def terms(document: SourceDocument) -> str:
    """Under which licence a document may be used, and where its source has it from; empty where neither is known."""
    known = (("Licence", document.license), ("Origin", document.origin))
    return " ".join(ended(f"{name}: {joined(text)}") for name, text in known if text)
