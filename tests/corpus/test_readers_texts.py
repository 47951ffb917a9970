"""Markdown and text folders."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from medground.corpus.readers import find_inputs
from medground.corpus.readers.base import Item
from medground.corpus.readers.texts import text_document
from medground.document import Document
from medground.errors import BadDocument


def read(path: Path, reader: str | None = None) -> list[Item]:
    (found,) = find_inputs([path], reader)
    assert found.reader == "texts"
    return list(found.read(0))


def test_headings_become_sections(tmp_path: Path) -> None:
    file = tmp_path / "asthma guide.md"
    file.write_text(
        "Intro.\r\n\r\n# Asthma #\r\nText.\n```\n# no heading\n```\n## Dosage\nTwo.\n\nSetext\n======\nEnd.\n"
    )
    (document,) = read(file)
    assert isinstance(document, Document)
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
    (tmp_path / "c.txt").write_bytes(b"\xff\xfe\x00bin")
    (tmp_path / "d.txt").write_bytes("Größe".encode("latin-1"))
    (tmp_path / "e.txt").write_text(" \n")
    (tmp_path / ".hidden.md").write_text("No.")
    (tmp_path / "f.odt").write_bytes(b"PK")
    one, two, *bad = read(tmp_path)
    assert isinstance(one, Document)
    assert isinstance(two, Document)
    assert (one.id, one.title, two.id, two.title) == ("FILE:a.md", "a", "FILE:b/two.txt", "two")
    assert two.sections == ()
    assert [reason for reason in ("binary", "not UTF-8 at byte 2", "neither") for item in bad if reason in str(item)]
    assert [Path(item.file).name for item in bad if isinstance(item, BadDocument)] == ["c.txt", "d.txt", "e.txt"]
    (found,) = find_inputs([tmp_path])
    assert [type(item).__name__ for item in found.read(1)] == ["Document", "BadDocument", "BadDocument", "BadDocument"]


def test_the_fingerprint_changes_with_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("One.")
    (before,) = find_inputs([tmp_path])
    (tmp_path / "a.md").write_text("One more.")
    (after,) = find_inputs([tmp_path])
    assert before.fingerprint != after.fingerprint


def test_links_out_of_the_folder_are_rejected_and_links_inside_it_are_read(tmp_path: Path) -> None:
    folder, outside = tmp_path / "folder", tmp_path / "secret.md"
    folder.mkdir()
    outside.write_text("Secret.")
    (folder / "a.md").write_text("One.")
    (folder / "b.md").symlink_to(folder / "a.md")
    assert len(read(folder)) == 2
    (folder / "c.md").symlink_to(outside)
    with pytest.raises(BadDocument, match=r"c\.md: the link points outside the folder"):
        find_inputs([folder])


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
