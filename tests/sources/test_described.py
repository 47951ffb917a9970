"""The description of a source."""

from __future__ import annotations

from typing import get_args

import pytest
from pydantic import ValidationError

from medground.values.document import SourceKind
from medground.values.source_description import SourceDescription


def test_every_kind_has_a_description_and_a_name_must_be_usable_as_a_tag() -> None:
    for kind in get_args(SourceKind):
        described = SourceDescription.of_kind(kind)
        assert described.name == described.kind == kind
        assert described.about.endswith(".")
    for name in ("", "Book", "a book", "</book>", "1book", "b" * 33):
        with pytest.raises(ValidationError):
            SourceDescription(name=name, kind="book", about="x", licence="x", origin="x")
