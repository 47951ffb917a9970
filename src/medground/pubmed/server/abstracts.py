"""The parts of a record's abstract."""

from __future__ import annotations

from dataclasses import dataclass

from medground.document import Document


@dataclass(frozen=True)
class Part:
    """A paragraph of an abstract, with its label where it has one."""

    text: str
    label: str | None = None


def abstract_parts(record: Document) -> list[Part]:
    """The labelled sections and what stands between them; none where the title stands in for an abstract."""
    if record.text == record.title:
        return []
    parts: list[Part] = []
    done = 0
    for section in record.sections:
        parts += _paragraphs(record.text[done : section.start], None)
        parts += _paragraphs(record.text[section.start : section.end], section.label)
        done = section.end
    return parts + _paragraphs(record.text[done:], None)


def _paragraphs(text: str, label: str | None) -> list[Part]:
    return [Part(each.strip(), label) for each in text.split("\n\n") if each.strip()]
