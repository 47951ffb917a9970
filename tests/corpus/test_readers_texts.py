"""Markdown and text folders."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rows import each_row

from medground.corpus.readers import find_inputs
from medground.corpus.readers.base import Input, Item
from medground.corpus.readers.texts import text_document
from medground.errors import BadDocument
from medground.values.document import Document


def read(path: Path, reader: str | None = None) -> list[Item]:
    inputs = find_inputs([path], reader)
    assert {found.reader for found in inputs} <= {"texts", "none"}
    return [item for found in inputs for item in outcome(found)]


def outcome(found: Input) -> list[Item]:
    """The items of an input, and the error that ends it."""
    try:
        return list(found.read(0))
    except BadDocument as error:
        return [error]


def test_headings_become_sections(tmp_path: Path) -> None:
    file = tmp_path / "asthma guide.md"
    file.write_text(
        "Intro.\r\n\r\n# Asthma #\r\nText.\n```\n# no heading\n```\n## Dosage\nTwo.\n\nSetext\n======\nEnd.\n"
    )
    (document,) = read(file)
    assert (document.title, document.kind) == ("Asthma", "book")
    assert document.id.startswith("FILE:asthma_guide.md-")
    assert [(s.label, document.text[s.start : s.end]) for s in document.sections] == [
        ("Asthma", "# Asthma #\nText.\n```\n# no heading\n```\n"),
        ("Asthma > Dosage", "## Dosage\nTwo.\n\n"),
        ("Setext", "Setext\n======\nEnd.\n"),
    ]


def test_a_folder_is_read_in_order_and_bad_files_are_skipped(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "two.txt").write_text("# not a heading here\nTwo.")
    (tmp_path / "a.md").write_text("One.")
    (tmp_path / "c.txt").write_bytes(b"\x00bin")
    (tmp_path / "d.txt").write_bytes(b"\xff\x01" * 40)
    (tmp_path / "e.txt").write_text(" \n")
    (tmp_path / ".hidden.md").write_text("No.")
    (tmp_path / "f.odt").write_bytes(b"PK")
    hidden, one, two, *bad = read(tmp_path)
    assert hidden.reason == "a hidden file"
    assert (one.id, one.title, two.id, two.title) == ("FILE:a.md", "a", "FILE:b/two.txt", "two")
    assert two.sections == ()
    refused = {Path(item.file).name: item.reason for item in bad if isinstance(item, BadDocument)}
    assert list(refused) == ["c.txt", "d.txt", "e.txt", "f.odt"]
    reasons = ("a binary file", "neither UTF-8 nor Latin-1", "the file is empty", "")
    assert all(reason in refused[name] for name, reason in zip(refused, reasons, strict=True))


def test_links_are_not_followed_and_named(tmp_path: Path) -> None:
    folder, outside = tmp_path / "folder", tmp_path / "secret.md"
    folder.mkdir()
    outside.write_text("Secret.")
    (folder / "a.md").write_text("One.")
    (folder / "b.md").symlink_to(folder / "a.md")
    (folder / "c.md").symlink_to(outside)
    (folder / "d").symlink_to(folder)
    (folder / "e").symlink_to(folder / "e")
    one, *links = read(folder)
    assert isinstance(one, Document)
    assert [link.reason for link in links if isinstance(link, BadDocument)] == [
        "a link to a file or folder that is read where it is",
        "the link points outside the folder; copy its target into the folder",
        "a link to a file or folder that is read where it is",
        "the link is broken",
    ]
    with pytest.raises(BadDocument, match=r"c\.md: the link points outside the folder"):
        find_inputs([folder], strict=True)


FRONT = """---
title: What the trial found
author: [Ana Gil, Bo Li]
date: 2021-03-04
doi: https://doi.org/10.1000/ABC
ward: ICU
arms: {control: 12}
---

# Methods
Text.
"""


def test_front_matter_is_metadata_and_not_text(tmp_path: Path) -> None:
    (tmp_path / "n.md").write_text(FRONT)
    (document,) = read(tmp_path)
    assert (document.title, document.authors, document.year) == ("What the trial found", ("Ana Gil", "Bo Li"), 2021)
    assert document.identifiers == {"doi": "10.1000/abc"}
    assert document.dates == {"published": "2021-03-04"}
    assert document.metadata == {"ward": ("ICU",), "arms.control": ("12",)}
    assert document.text == "# Methods\nText.\n"
    assert [s.label for s in document.sections] == ["Methods"]


@each_row(
    ("front", "reason"),
    [
        ("a: &x [1]\nb: *x", "has aliases"),
        ("a: [1", "the front matter is not YAML at line"),
        (f"a: {'[' * 600}{']' * 600}", "the front matter is nested more than 20 deep; flatten it"),
    ],
)
def test_front_matter_that_cannot_be_read(tmp_path: Path, front: str, reason: str) -> None:
    (tmp_path / "n.md").write_text(f"---\n{front}\n---\nText.\n")
    (bad,) = read(tmp_path)
    assert reason in bad.reason


def test_long_and_odd_names_give_different_ids(tmp_path: Path) -> None:
    names = ["a b.md", "a\tb.md", "a#b.md", "a_b.md", "d/" * 100 + "x.md", "e/" * 100 + "x.md", "Größe.md"]
    ids = [text_document("One.", name, markdown=True).id for name in names]
    assert len(set(ids)) == len(names)


@given(
    st.lists(
        st.sampled_from(["# A", "## B", "#", "text", "", "===", "---", "```", "> # q", "- # l", "\t# t"]), max_size=20
    )
)
@settings(deadline=None, max_examples=150)
def test_sections_are_ordered_slices(lines: list[str]) -> None:
    text = "\n".join([*lines, "end"])
    document = text_document(text, "x.md", markdown=True)
    assert document.text == text
    assert all(one.end == two.start for one, two in zip(document.sections, document.sections[1:], strict=False))
    assert not document.sections or document.sections[-1].end == len(text)
