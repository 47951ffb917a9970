"""Fill what a document lacks from its record. What the file says stays: its text, its title, every field it has."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from medground.document import Document, Joined, Retraction
from medground.identifiers import KINDS

_FILLED = ("title", "journal", "authors", "year", "language", "url", "mesh", "keywords", "substances", "references")
_BY_NAME = ("imprint", "dates")
_ADDED = ("publication_types", "cautions")
"""Lists to which the record adds what they do not hold: a file that says `research-article` names no design."""
_GRAVITY: tuple[Retraction, ...] = ("none", "concern", "notice", "retracted")
FIELDS = (*_FILLED, "identifiers", *_BY_NAME, *_ADDED, "retraction", "joined")
"""All fields that a record may change."""


def merged(document: Document, record: Document, source: str) -> Document:
    """The document with what the record adds, and a note of it; the same document if the record adds nothing.

    Args:
        document: what the file says, or what earlier sources made of it.
        record: its record.
        source: where the record is from, such as `corpus:medline`.
    """
    changes: dict[str, Any] = {}
    noted: list[str] = []
    for name in _FILLED:
        if not getattr(document, name) and (value := getattr(record, name)):
            changes[name] = value
            noted.append(name)
    ids = dict(name.split(":", 1) for name in record.paper)
    given: dict[str, Mapping[str, str]] = {"identifiers": {kind: ids[kind] for kind in KINDS if kind in ids}}
    given |= {name: getattr(record, name) for name in _BY_NAME}
    if _other_year(document, record):
        given["dates"] = {}
    for name, values in given.items():
        own = getattr(document, name)
        if new := {key: value for key, value in values.items() if key not in own}:
            changes[name] = {**own, **new}
            noted += [f"{name}.{key}" for key in new]
    for name in _ADDED:
        own = getattr(document, name)
        known = {value.casefold() for value in own}
        if new_values := [value for value in getattr(record, name) if value.casefold() not in known]:
            changes[name] = (*own, *new_values)
            noted.append(name)
    if _GRAVITY.index(record.retraction) > _GRAVITY.index(document.retraction):
        changes["retraction"] = record.retraction
        noted.append("retraction")
    if not noted:
        return document
    note = Joined(record=record.id, source=source, fields=tuple(noted))
    return document.model_copy(update={**changes, "joined": (*document.joined, note)})


def difference(own: Document, joined: Document) -> str:
    """What the file said of the fields that a record changed, as JSON: `restored` makes the file's version of it."""
    before = own.model_dump(mode="json", include=set(FIELDS))
    after = joined.model_dump(mode="json", include=set(FIELDS))
    return json.dumps({name: value for name, value in before.items() if value != after[name]}, ensure_ascii=False)


def restored(joined: Document, difference: str) -> Document:
    """The document as its file has it."""
    return Document.model_validate({**joined.model_dump(mode="json"), **json.loads(difference)})


def _other_year(document: Document, record: Document) -> bool:
    """Whether the dates of the record would contradict the year of the file."""
    return document.year is not None and record.year is not None and document.year != record.year
