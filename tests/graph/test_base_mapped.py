"""JSON Lines of any form, and the lines of a specification that messages name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rows import each_row

from medground.errors import BadDocument
from medground.graph.bases.spec import line_of, open_mapped
from medground.values.document import Document

FIELDS = {"id": ("n",), "title": ("head",), "text": ("parts.text", "end"), "year": ("when",), "authors": ("who",)}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


def read(path: Path, *records: object, **more: object) -> list[object]:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return list(open_mapped(path, FIELDS, **more).read(0))  # type: ignore[arg-type]


def test_dots_lead_into_objects_and_lists_and_texts_follow_each_other(tmp_path: Path) -> None:
    parts = [{"label": "A", "text": "Zinc was given."}, {"label": "B", "text": "It helped."}]
    record = {"n": 7, "head": "Zinc", "parts": parts, "end": "Fewer colds.", "when": "2001", "who": ["Doe J"]}
    [found] = read(tmp_path / "a.jsonl", record, prefix="P", kept=("when",))
    assert (found.id, found.title, found.year, found.authors) == ("P:7", "Zinc", 2001, ("Doe J",))
    assert found.text == "Zinc was given.\n\nIt helped.\n\nFewer colds."
    assert found.metadata == {"when": ("2001",)}


def test_a_name_with_a_dot_in_it_counts_before_its_parts(tmp_path: Path) -> None:
    [found] = read(tmp_path / "a.jsonl", {"n": "X:1", "parts.text": "whole", "parts": {"text": "part"}})
    assert found.text == "whole"


def test_a_record_without_the_text_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    good, bad = read(tmp_path / "a.jsonl", {"n": "X:1", "end": "text"}, {"n": "X:2", "gold": "secret"})
    assert isinstance(good, Document)
    assert "parts.text or end: the field is missing or empty" in str(bad)


@pytest.mark.slow
@given(st.dictionaries(st.sampled_from(["n", "head", "parts", "end", "when", "who", "x"]), JSON))
def test_whatever_a_record_holds_it_is_a_document_or_a_named_problem(
    tmp_path_factory: pytest.TempPathFactory, record: dict[str, object]
) -> None:
    found = read(tmp_path_factory.mktemp("a") / "a.jsonl", {"n": "X:0", "end": "text"}, record)
    assert all(isinstance(one, Document | BadDocument) for one in found)
    assert len(found) == 2


TEXT = """name = "omni"

[[sources]]
kind = "book"
inputs = [
  { path = "a" },
  { path = "b", reader = "pdf" },
]

[[sources]] # the second
kind = "wiki"

[[sources.inputs]]
path = "c"

[[sources.inputs]]
reader = "x"
path = "d"
"""


@each_row(
    ("place", "line"),
    [
        (("name",), 1),
        (("sources", 0), 3),
        (("sources", 0, "kind"), 4),
        (("sources", 0, "inputs", 1, "reader"), 7),
        (("sources", 1, "kind"), 11),
        (("sources", 1, "about"), 10),
        (("sources", 1, "inputs", 0, "path"), 14),
        (("sources", 1, "inputs", 1, "path"), 18),
        (("sources", 1, "inputs", 1), 16),
        (("nothing",), 1),
    ],
)
def test_the_line_of_a_place(place: tuple[str | int, ...], line: int) -> None:
    assert line_of(TEXT, place) == line


@given(st.text(), st.lists(st.text(max_size=4) | st.integers(0, 3), max_size=4))
def test_a_line_of_any_text_is_one_of_its_lines(text: str, place: list[str | int]) -> None:
    assert 1 <= line_of(text, place) <= max(1, len(text.splitlines()))
