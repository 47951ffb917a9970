"""JSON readers: PubMedQA, BEIR, SciFact, your own lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from read_files import document_of, items_of, lines
from rows import each_row

from medground.corpus.readers import find_inputs
from medground.corpus.readers.entry import described
from medground.errors import BadDocument
from medground.values.document import Document

QUESTION = {
    "pmid": "7",
    "question": "Does it?",
    "contexts": ["One.", "Two."],
    "labels": ["AIM", "RESULTS"],
    "year": 2001,
}


def test_pubmedqa_lines(tmp_path: Path) -> None:
    document = document_of(
        lines(tmp_path / "q.jsonl.gz", QUESTION | {"meshes": ["Asthma"], "long_answer": "Yes."}), "pubmedqa"
    )
    assert (document.id, document.title, document.year) == ("PMID:7", "Does it?", 2001)
    assert document.text == "One.\n\nTwo."
    assert [(s.label, document.text[s.start : s.end]) for s in document.sections] == [
        ("AIM", "One."),
        ("RESULTS", "Two."),
    ]
    assert document.mesh[0].descriptor == "Asthma"


@each_row("indent", [None, 4])
def test_pubmedqa_as_published(tmp_path: Path, indent: int | None) -> None:
    record = {
        "QUESTION": "Does {it}?",
        "CONTEXTS": ['A "}" here.'],
        "LABELS": ["AIM"],
        "YEAR": "2001",
        "LONG_ANSWER": "Yes.",
    }
    entries = {str(n): record | {"MESHES": ["x" * 4000]} for n in range(1, 400)}
    file = tmp_path / "ori_pqal.json"
    file.write_text(json.dumps(entries | {"77777": {"QUESTION": "Bad?"}}, indent=indent))
    *documents, bad = items_of(file, "pubmedqa")
    assert [d.id for d in documents if isinstance(d, Document)] == [f"PMID:{n}" for n in range(1, 400)]
    assert "record 400: contexts: the field is missing" in str(bad)
    file.write_text(file.read_text()[:-200_000])
    with pytest.raises(BadDocument, match="broken or ends early"):
        items_of(file, "pubmedqa")
    file.write_text('{"1": ' + '{"QUESTION": ' * 50_000)
    with pytest.raises(BadDocument, match="nested too deeply"):
        items_of(file, "pubmedqa")


def test_an_endless_line_is_skipped(tmp_path: Path) -> None:
    good = {"id": "LAB:1", "text": "x"}
    endless = '{"id": "LAB:2", "text": "' + "y" * 45_000_000
    first, bad, last = items_of(lines(tmp_path / "x.jsonl.gz", good, endless, good), "jsonlines")
    assert (type(first), type(last)) == (Document, Document)
    assert "x.jsonl.gz:2: the line has 40,000,000 bytes or more" in str(bad)


def test_beir_and_scifact(tmp_path: Path) -> None:
    lines(
        tmp_path / "corpus.jsonl",
        {"_id": "4", "title": "T", "text": "X."},
        {"_id": "PMID:5", "text": "Y.", "metadata": {}},
    )
    lines(tmp_path / "queries.jsonl", {"_id": "q"})
    first, second = items_of(tmp_path, "beir")
    assert (first.id, first.text, second.id) == ("DOC:4", "X.", "PMID:5")
    other = lines(tmp_path / "s.jsonl", {"doc_id": 9, "title": "T", "abstract": ["One.", "Two. "], "structured": False})
    assert document_of(other, "scifact").text == "One. Two."


def test_own_lines(tmp_path: Path) -> None:
    own = {
        "id": "LAB:1",
        "text": "Ab cd.",
        "year": 2020,
        "kind": "guideline",
        "sections": [{"label": "S", "start": 0, "end": 2}],
    }
    plain = {"pmid": 5, "title": "T", "abstract": "A."}
    first, second = items_of(lines(tmp_path / "x.jsonl", own, plain), "jsonlines")
    assert (first.kind, first.year, first.sections[0].label) == ("guideline", 2020, "S")
    assert (second.id, second.text, second.identifiers) == ("PMID:5", "A.", {"pmid": "5"})


@each_row(
    ("line", "reason"),
    [
        ('{"id": "LAB:2", "year": 2020}', "text: the field is missing"),
        ('{"id": "LAB:2"}', "text: the field is missing"),
        ('{"id": " ", "text": "x"}', "the id is empty"),
        ('{"id": "LAB:2", "text": "x", "references": 5}', "references: Input should be a valid"),
        ('{"id": "LAB:2", "text": "  "}', "neither text nor title"),
        ('{"id": "LAB:2", "text": 5}', "text: Input should be a valid string"),
        ('{"id": "LAB:2", "text": "x", "year": 99999}', "year: "),
        ('{"id": "LAB:2", "text": "x", "sections": [{"label": "S", "start": 0, "end": 9}]}', "is outside the text"),
        ('{"pmid": "5x", "abstract": "x"}', "'5x' is not a PMID"),
        ('{"id": "LAB:2", "text": ', "not JSON"),
        ("[1, 2]", "not a JSON object"),
        ("[" * 100_000, "JSON nested too deeply"),
        ('{"id": "LAB:2", "text": "' + "x" * 20_000_001 + '"}', "more than 20,000,000"),
    ],
)
def test_a_broken_line_is_skipped_with_its_number(tmp_path: Path, line: str, reason: str) -> None:
    good = {"id": "LAB:1", "text": "x"}
    first, bad, last = items_of(lines(tmp_path / "x.jsonl", good, "", line, good), "jsonlines")
    assert isinstance(first, Document)
    assert isinstance(last, Document)
    assert bad.position == 3
    assert reason in str(bad)
    assert "\n" not in str(bad)
    assert len(str(bad)) < 400


def test_a_file_of_broken_lines_is_rejected_and_resuming_keeps_the_numbers(tmp_path: Path) -> None:
    good = {"id": "LAB:1", "text": "x"}
    with pytest.raises(BadDocument, match="none of the first 20 lines can be used"):
        items_of(lines(tmp_path / "x.jsonl", *["{}"] * 20, good), "jsonlines")
    with pytest.raises(BadDocument, match="none of the first 2 lines"):
        items_of(lines(tmp_path / "y.jsonl", "{broken", "{}"), "jsonlines")
    file = lines(tmp_path / "z.jsonl", *["{}"] * 19, good, "{}", good)
    assert len(items_of(file, "jsonlines")) == 22
    (found,) = find_inputs([file])
    assert [type(item).__name__ for item in found.read(19)] == ["Document", "BadDocument", "Document"]


def test_another_encoding_is_rejected_and_a_byte_order_mark_is_not(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    file.write_bytes('{"id": "LAB:1", "text": "Größe"}\n'.encode("latin-1"))
    with pytest.raises(BadDocument, match="not UTF-8 at byte 27"):
        items_of(file, "jsonlines")
    file.write_bytes(b"\xef\xbb\xbf" + '{"id": "LAB:1", "text": "Größe"}\n'.encode())
    assert document_of(file, "jsonlines").text == "Größe"


def test_characters_that_cannot_be_stored_are_replaced_one_for_one(tmp_path: Path) -> None:
    document = document_of(
        lines(tmp_path / "x.jsonl", r'{"id": "LAB:1", "text": "a\u0000b\ud800c\u001bd\n"}'), "jsonlines"
    )
    assert document.text == "a b\ufffdc d\n"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@given(st.dictionaries(st.sampled_from([*Document.model_fields, "pmid", "abstract", "x"]), JSON))
@settings(max_examples=100)
def test_any_record_gives_a_document_or_a_one_line_error(record: dict[str, Any]) -> None:
    try:
        document = described(record)
    except ValueError as error:
        assert "\n" not in str(error)
    else:
        assert document.text.encode()


def test_real_data_sets(shared: Path) -> None:
    questions = [d for d in items_of(shared / "pubmedqa" / "pqa_l.jsonl.gz", "pubmedqa") if isinstance(d, Document)]
    assert len(questions) == 1000
    assert all(d.sections and d.text for d in questions)
    assert next(d for d in questions if d.id == "PMID:21645374").year == 2011
    assert len([d for d in items_of(shared / "scifact", "scifact") if isinstance(d, Document)]) == 5183
