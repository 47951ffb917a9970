"""Which reader a path gets, and the one-line error for an invalid path."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest
from rows import each_row

from medground.corpus.readers import find_inputs
from medground.errors import BadDocument, UsageError

MEDLINE = "<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>1</PMID><Article><ArticleTitle>T</ArticleTitle></Article></MedlineCitation></PubmedArticle></PubmedArticleSet>"  # noqa: E501
OWN = '{"id": "LAB:1", "text": "x"}\n'


def test_the_content_decides_not_the_name(tmp_path: Path) -> None:
    contents = {
        "a.xml": MEDLINE,
        "b.xml": "<article/>",
        "c.jsonl": OWN,
        "d.json": '{"5": {"QUESTION": "x"}}',
        "e.jsonl": '{broken\n{"_id": "1", "text": "x"}\n',
        "f.dat": MEDLINE,
        "g.md": "<b>bold</b> start",
    }
    for name, text in contents.items():
        (tmp_path / name).write_text(text)
    found = find_inputs([tmp_path / name for name in contents])
    assert [i.reader for i in found] == ["medline", "jats", "jsonlines", "pubmedqa", "beir", "medline", "texts"]
    packed = tmp_path / "no-suffix"
    packed.write_bytes(gzip.compress(MEDLINE.encode()))
    (one,) = find_inputs([packed])
    assert (one.reader, one.name) == ("medline", str(packed))
    os.utime(packed, ns=(1, 1))
    assert find_inputs([packed])[0].fingerprint != one.fingerprint


def test_a_folder_gives_its_data_files_in_order_without_its_notes(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "b.xml").write_text(MEDLINE)
    (tmp_path / "a.jsonl").write_text(OWN)
    (tmp_path / "README.md").write_text("# Notes")
    assert [(i.reader, Path(i.name).name) for i in find_inputs([tmp_path])] == [
        ("none", "README.md"),
        ("jsonlines", "a.jsonl"),
        ("medline", "b.xml"),
    ]
    assert [i.reader for i in find_inputs([tmp_path], "medline")] == ["none", "none", "medline"]
    assert [i.reader for i in find_inputs([tmp_path / "README.md"])] == ["texts"]


@each_row(
    ("content", "reason"),
    [
        (b"", "the file is empty"),
        (b" \n", "the file is empty"),
        (gzip.compress(b"", mtime=0), "the file is empty"),
        (b"\x7fELF\x00\x01", "a binary file"),
        (b"PK\x03\x04\x00\x00", "a binary file"),
        (gzip.compress(b"\x00\x01", mtime=0), "a binary file"),
        (gzip.compress(MEDLINE.encode(), mtime=0)[:20], "ends early"),
        (b"\x1f\x8bnot gzip at all", "the gzip file is damaged"),
        (b"<svg><text>Not found</text></svg>", "unknown XML format (<svg>)"),
        (b"< PubmedArticleSet>", "not well-formed XML"),
        (b'<!DOCTYPE x [<!ENTITY a "b">]><PubmedArticleSet/>', "declares entities"),
        (b"Dear all,", "unknown file format"),
    ],
)
def test_an_invalid_file_is_rejected_in_one_line(tmp_path: Path, content: bytes, reason: str) -> None:
    file = tmp_path / "file.bin"
    file.write_bytes(content)
    with pytest.raises(BadDocument) as refused:
        find_inputs([file])
    assert reason in str(refused.value)
    assert str(refused.value).startswith(str(file))
    assert "\n" not in str(refused.value)


def test_paths_without_anything_to_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file or folder"):
        find_inputs([tmp_path / "none"])
    with pytest.raises(UsageError, match="no path to read"):
        find_inputs([])
    for reader in (None, "medline", "beir", "texts"):
        with pytest.raises(BadDocument, match="the folder contains no"):
            find_inputs([tmp_path], reader)


def test_a_file_given_to_the_wrong_reader_is_rejected(tmp_path: Path) -> None:
    for content, readers in ((OWN, ["medline", "beir", "pubmedqa", "scifact"]), (MEDLINE, ["jats", "jsonlines"])):
        (tmp_path / "file").write_text(content)
        for reader in readers:
            (found,) = find_inputs([tmp_path / "file"], reader)
            with pytest.raises(BadDocument):
                list(found.read(0))
