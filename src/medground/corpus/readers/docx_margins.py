"""What a Word file says beside its text: running heads and feet, a watermark, its properties."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from medground.corpus.readers.docx_text import shown

_WATERMARK = ".//{urn:schemas-microsoft-com:vml}textpath"
_HEADS = ("header", "first_page_header", "even_page_header", "footer", "first_page_footer", "even_page_footer")


def margins_of(opened: Any) -> list[str]:
    """The texts of running heads, feet and watermarks, each once."""
    return list(dict.fromkeys(text for section in opened.sections for text in _margins(section)))


def _margins(section: Any) -> Iterator[str]:
    for name in _HEADS:
        part = getattr(section, name)
        if part.is_linked_to_previous:
            continue
        yield from filter(None, (shown(paragraph._p)[0] for paragraph in part.paragraphs))
        yield from (mark.get("string", "") for mark in part._element.iterfind(_WATERMARK))


def properties_of(opened: Any) -> Any:
    """The properties of the file; None if it has none. python-docx makes some up where there are none."""
    from docx.opc.constants import RELATIONSHIP_TYPE

    if any(part.reltype == RELATIONSHIP_TYPE.CORE_PROPERTIES for part in opened.part.package.rels.values()):
        return opened.core_properties
    return None


def fields_of(properties: Any, *, titled: bool) -> dict[str, Any]:
    """The fields of a document that the properties give; the title only where the text has none."""
    if properties is None:
        return {}
    found = {
        "authors": properties.author,
        "keywords": properties.keywords,
        "language": properties.language,
        "publication_types": properties.category,
        "status": properties.content_status,
    }
    if not titled:
        found["title"] = properties.title
    return {name: value for name, value in found.items() if value}


def stated(properties: Any) -> list[str]:
    """Properties that may say that the paper was retracted, or which PMID it has."""
    names = ("title", "subject", "comments", "identifier")
    return [] if properties is None else [text for name in names if (text := getattr(properties, name))]
