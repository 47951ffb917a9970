"""The description of a source."""

from __future__ import annotations

from typing import get_args

import pytest
from pydantic import ValidationError
from rows import each_row

from medground.described import SourceDescription
from medground.document import SourceKind


@each_row("kind", get_args(SourceKind))
def test_every_kind_has_a_description(kind: SourceKind) -> None:
    described = SourceDescription.of_kind(kind)
    assert described.name == described.kind == kind
    assert described.about.endswith(".")


@each_row("name", ["", "Book", "a book", "</book>", "1book", "b" * 33])
def test_a_name_must_be_usable_as_a_tag(name: str) -> None:
    with pytest.raises(ValidationError):
        SourceDescription(name=name, kind="book", about="x", licence="x", origin="x")
