"""The specification of a knowledge base, what is told of a wrong one, and JSON Lines of any form."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rows import each_row

from medground.errors import BadDocument, ConfigError
from medground.graph.bases.spec import line_of, open_mapped, read_spec
from medground.values.document import Document

BOOK = """
[[sources]]
kind = "book"
about = "Chapters of a textbook."
licence = "CC BY 4.0"
origin = "https://example.org"
inputs = [{ path = "books" }]
"""
GRAPH = 'name = "omni"\n' + BOOK.replace('"book"', '"graph"')
INPUT = """
[[sources.inputs]]
reader = "x"
path = "d"
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


@each_row(
    ("text", "told"),
    [
        ('name = "omni"\n', "line 1: sources: is missing; begin each source with [[sources]]"),
        ('name = "a/b"\n' + BOOK, "line 1: name: 'a/b' is not a name of a knowledge base"),
        (BOOK, "name: is missing"),
        ('name = "omni"\n' + BOOK.replace('"book"\n', '"novel"\n'), "line 4: source 1 (novel): kind: unknown kind"),
        ('name = "omni"\n' + BOOK.replace('about = "Chapters of a textbook."\n', ""), "line 3: source 1 (book): about"),
        ('name = "omni"\n' + BOOK.replace("Chapters of a textbook.", ""), "about: is empty"),
        ('name = "omni"\n' + BOOK + 'colour = "red"\n', "line 9: source 1 (book): colour: is not a key"),
        ('name = "omni"\n' + BOOK.replace('"books"', '"gone"'), "gone does not exist"),
        ('name = "omni"\n' + BOOK.replace("{ path", '{ reader = "magic", path'), "unknown reader 'magic'"),
        ('name = "omni"\n' + BOOK.replace('[{ path = "books" }]', "[]"), "inputs: is empty"),
        ('name = "omni"\n' + BOOK + BOOK, "two sources are called book"),
        ('name = "omni"\n' + BOOK + BOOK.replace('"book"', '"wiki"'), "line 15: source 2 (wiki), input 1: path"),
        ('name = "omni"\n' + BOOK + BOOK.replace('"book"', '"wiki"').replace('"books"', '"books/one"'), "overlaps"),
        ('name = "omni"\n' + (BOOK + BOOK).replace('"book"', '"graph"'), "there are two graphs"),
        ('name = "omni"\n' + BOOK.replace('kind = "book"', 'kind = "book"\nname = "A Book"'), "not a source's name"),
        ('name = "omni"\n' + BOOK + "chunk = 5000\n", "line 9: source 1 (book): chunk"),
        ('name = "omni"\n' + BOOK.replace('" }]', '" }, { path = "./books" }]'), "line 8: source 1 (book), input 2"),
        ('name = "omni"\n' + BOOK.replace('inputs = [{ path = "books" }]', "") + INPUT, "line 11: source 1 (book)"),
        (GRAPH.replace("{ path", '{ reader = "snomed", path'), "unknown vocabulary 'snomed'"),
        (GRAPH, "`reader` is missing; name the vocabulary"),
        (GRAPH.replace('path = "books"', 'reader = "mesh"'), "`path` is missing"),
        ('name = "omni"\n[[sources]', "cannot read"),
    ],
)
def test_a_wrong_specification_is_one_line_with_its_place(written: Path, text: str, told: str) -> None:
    assert told in _problem(written, text)


def test_one_file_may_be_split_between_sources_by_its_values(written: Path) -> None:
    part = BOOK.replace('{ path = "books" }', '{ path = "qa.jsonl", where = { set = "A" } }')
    other = part.replace('"book"', '"wiki"')
    told = _problem(written, 'name = "omni"\n' + part + other)
    assert "named twice" in told
    written.write_text('name = "omni"\n' + part + other.replace('"A"', '["B", "C"]'), encoding="utf-8")
    assert [source.described.name for source in read_spec(written).sources] == ["book", "wiki"]
    written.write_text('name = "omni"\n' + BOOK.replace("kind", 'name = "atlas"\nkind'), encoding="utf-8")
    (source,) = read_spec(written).sources
    assert (source.described.name, source.described.licence) == ("atlas", "CC BY 4.0")
    assert source.inputs[0].resolved(written.parent) == ((written.parent / "books").resolve(),)
    with pytest.raises(ConfigError, match=r"knowledge-base\.md"):
        read_spec(written.with_name("none.toml"))


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
    [found] = read(tmp_path / "a.jsonl", {"n": "X:1", "parts.text": "whole", "parts": {"text": "part"}})
    assert found.text == "whole"  # a name with a dot in it counts before its parts
    good, bad = read(tmp_path / "a.jsonl", {"n": "X:1", "end": "text"}, {"n": "X:2", "gold": "secret"})
    assert isinstance(good, Document)
    assert "parts.text or end: the field is missing or empty" in str(bad)


@settings(max_examples=25)
@given(st.dictionaries(st.sampled_from(["n", "head", "parts", "end", "when", "who", "x"]), JSON))
def test_whatever_a_record_holds_it_is_a_document_or_a_named_problem(
    tmp_path_factory: pytest.TempPathFactory, record: dict[str, object]
) -> None:
    found = read(tmp_path_factory.mktemp("a") / "a.jsonl", {"n": "X:0", "end": "text"}, record)
    assert all(isinstance(one, Document | BadDocument) for one in found)
    assert len(found) == 2


@given(st.text(), st.lists(st.text(max_size=4) | st.integers(0, 3), max_size=4))
def test_a_line_of_any_text_is_one_of_its_lines(text: str, place: list[str | int]) -> None:
    assert 1 <= line_of(text, place) <= max(1, len(text.splitlines()))
