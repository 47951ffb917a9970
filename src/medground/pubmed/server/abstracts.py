"""Split a record's abstract into parts."""

from __future__ import annotations

from dataclasses import dataclass

from medground.document import Document


@dataclass(frozen=True)
class Part:
    """A paragraph of an abstract, with its label if it has one."""

    text: str
    label: str | None = None


def abstract_parts(record: Document) -> list[Part]:
    """Return the labelled sections and the text between them; empty if the record has only a title."""
    if record.text == record.title:
        return []
    parts: list[Part] = []
    end = 0
    for section in record.sections:
        parts += _paragraphs(record.text[end : section.start], None)
        parts += _paragraphs(record.text[section.start : section.end], section.label)
        end = section.end
    return parts + _paragraphs(record.text[end:], None)


def _paragraphs(text: str, label: str | None) -> list[Part]:
    return [Part(each.strip(), label) for each in text.split("\n\n") if each.strip()]
