"""The specification of a knowledge base: what it says, and what is told of a wrong one."""

from __future__ import annotations

from pathlib import Path

import pytest
from rows import each_row

from medground.errors import ConfigError
from medground.graph.bases.spec import read_spec

BOOK = """
[[sources]]
kind = "book"
about = "Chapters of a textbook."
licence = "CC BY 4.0"
origin = "https://example.org"
inputs = [{ path = "books" }]
"""


@pytest.fixture
def written(tmp_path: Path) -> Path:
    for folder in ("books", "books/one", "papers"):
        (tmp_path / folder).mkdir()
    (tmp_path / "qa.jsonl").write_text('{"id": 1, "text": "x", "set": "A"}\n')
    return tmp_path / "kb.toml"


def _problem(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as error:
        read_spec(path)
    assert "\n" not in str(error.value)
    return str(error.value).removeprefix(str(path))


def test_a_source_is_called_as_its_kind_unless_it_has_a_name(written: Path) -> None:
    second = BOOK.replace('kind = "book"', 'name = "atlas"\nkind = "book"').replace('"books"', '"papers"')
    written.write_text('name = "omni"\n' + BOOK + second, encoding="utf-8")
    spec = read_spec(written)
    assert [source.described.name for source in spec.sources] == ["book", "atlas"]
    assert spec.sources[0].inputs[0].resolved(written.parent) == ((written.parent / "books").resolve(),)
    assert spec.sources[0].described.licence == "CC BY 4.0"


@each_row(
    ("text", "told"),
    [
        ('name = "omni"\n', "line 1: sources: is missing; begin each source with [[sources]]"),
        ('name = "a/b"\n' + BOOK, "line 1: name: 'a/b' is not a name of a knowledge base"),
        ('name = "../up"\n' + BOOK, "no path"),
        (BOOK, "name: is missing"),
        ('name = "omni"\n' + BOOK.replace('"book"\n', '"novel"\n'), "line 4: source 1 (novel): kind: unknown kind"),
        ('name = "omni"\n' + BOOK.replace('about = "Chapters of a textbook."\n', ""), "line 3: source 1 (book): about"),
        ('name = "omni"\n' + BOOK.replace("Chapters of a textbook.", ""), "about: is empty"),
        ('name = "omni"\n' + BOOK.replace('licence = "CC BY 4.0"\n', ""), "licence: is missing"),
        ('name = "omni"\n' + BOOK + 'colour = "red"\n', "line 9: source 1 (book): colour: is not a key"),
        ('name = "omni"\n' + BOOK.replace('"books"', '"gone"'), "gone does not exist"),
        ('name = "omni"\n' + BOOK.replace("{ path", '{ reader = "magic", path'), "unknown reader 'magic'"),
        ('name = "omni"\n' + BOOK.replace('[{ path = "books" }]', "[]"), "inputs: is empty"),
        ('name = "omni"\n' + BOOK + BOOK, "two sources are called book"),
        ('name = "omni"\n' + BOOK + BOOK.replace('"book"', '"wiki"'), "line 15: source 2 (wiki), input 1: path"),
        ('name = "omni"\n' + BOOK + BOOK.replace('"book"', '"wiki"').replace('"books"', '"books/one"'), "overlaps"),
        ('name = "omni"\n' + (BOOK + BOOK).replace('"book"', '"graph"'), "there are two graphs"),
        ('name = "omni"\n' + BOOK.replace("Chapters", "x" * 1001), "about"),
        ('name = "omni"\n' + BOOK.replace('kind = "book"', 'kind = "book"\nname = "A Book"'), "not a source's name"),
        ('name = "omni"\n' + BOOK + "chunk = 5000\n", "line 9: source 1 (book): chunk"),
        ('name = "omni"\n[[sources]', "cannot read"),
    ],
)
def test_a_wrong_specification_is_one_line_with_its_place(written: Path, text: str, told: str) -> None:
    assert told in _problem(written, text)


def test_a_folder_named_twice_is_told_with_both_places(written: Path) -> None:
    twice = BOOK.replace('[{ path = "books" }]', '[{ path = "books" }, { path = "./books" }]')
    told = _problem(written, 'name = "omni"\n' + twice)
    assert "line 8" in told
    assert "input 2: path" in told
    assert "is named twice (in book)" in told


def test_one_file_may_be_split_between_sources_by_its_values(written: Path) -> None:
    part = BOOK.replace('{ path = "books" }', '{ path = "qa.jsonl", where = { set = "A" } }')
    other = part.replace('"book"', '"wiki"')
    told = _problem(written, 'name = "omni"\n' + part + other)
    assert "named twice" in told
    written.write_text('name = "omni"\n' + part + other.replace('"A"', '["B", "C"]'), encoding="utf-8")
    assert len(read_spec(written).sources) == 2


@each_row(
    ("fields", "told"),
    [
        ('{ id = "n", body = "b" }', "a document has no field 'body'"),
        ('{ id = "n" }', "must say which field is the text"),
    ],
)
def test_a_mapping_must_lead_to_a_document(written: Path, fields: str, told: str) -> None:
    mapped = BOOK.replace('{ path = "books" }', f'{{ path = "qa.jsonl", fields = {fields} }}')
    assert told in _problem(written, 'name = "omni"\n' + mapped)
    other = mapped.replace('{ path = "qa', '{ reader = "pdf", path = "qa').replace(fields, '{ text = "b" }')
    assert "`fields` are for the reader jsonlines, not pdf" in _problem(written, 'name = "omni"\n' + other)


def test_no_specification_is_an_error_that_names_an_example(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"knowledge-base\.md"):
        read_spec(tmp_path / "none.toml")
