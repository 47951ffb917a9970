"""Splitting any text into statements: lossless, deterministic, of the right size on real rationales, case by case."""

import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st
from rows import each_row, tables

from medground.answering.write.draft import statements
from medground.language.clauses import asides, segment
from medground.language.sentences import sentence_spans
from medground.values.evidence import Evidence, Sentence, by_sentence, sentences_of

Linear = Callable[[Callable[[int], object], int], None]


def pieces_of(text: str) -> st.SearchStrategy[str]:
    return st.sampled_from(text.split("|"))


CLAUSES = pieces_of(
    "aspirin reduced stroke|bleeding rose|the trial was stopped|it was small|of the patients|A|mortality fell by 12.5%|"
    "IL-6 (n = 5; P < .05) increased|those who smoked were older|others disagree|a benefit|no effect was seen|"
    "if platelets matter|“stroke fell. It did; indeed”|bleeding,"
)
LINKS = pieces_of(
    " because |, whereas |; |; however, |, and therefore |, which suggests that |. | [E1]. |, although |"
    ", suggesting that |"
    ' (i) |, (ii) | 1) |, and 2) |, but | • |\n- |. [E1]|. Although |, |. Because | (|) | "|"'
    '" |. 1. |. Yes. |。|.However|\n\n'
)
WRITTEN = st.lists(st.tuples(CLAUSES, LINKS), max_size=14).map(lambda parts: "".join(a + b for a, b in parts))
TEXTS = st.one_of(st.text(max_size=200), WRITTEN)
LABEL = re.compile(r"\W*(?:\w{1,4}|maybe)\W*", re.IGNORECASE)


@given(TEXTS)
@settings(deadline=None, max_examples=100)
@example("")
@example(" \n ")
@example("no sentence end")
@example("Although ")
@example("; ; ;")
def test_statements_are_in_order_and_nothing_is_lost(text: str) -> None:
    spans = segment(text)
    last = 0
    for start, end in spans:
        assert last <= start < end <= len(text)
        assert text[last:start].strip() == ""
        assert text[start:end] == text[start:end].strip()
        last = end
    assert text[last:].strip() == ""
    assert segment(text) == spans


@given(TEXTS)
@settings(deadline=None, max_examples=100)
def test_sentence_boundaries_hold_unless_there_is_a_reason(text: str) -> None:
    """The reasons: brackets or quotes around it, a lone label before it, citation marks after it."""
    borders = [start for start, _ in sentence_spans(text)][1:]
    for start, end in segment(text):
        for border in (b for b in borders if start < b < end):
            inside = any(first < border < last for first, last in asides(text))
            assert inside or text[border] == "[" or LABEL.fullmatch(text[start:border])


REPEATED = (
    "; ",
    "stroke fell because bleeding rose, ",
    "[E1;(",
    '"a which   ',
    "阿司匹林降低。",
    "1. Although it fell, b, ",
)


@each_row("piece", REPEATED)
def test_a_long_text_takes_no_more_than_linear_time(piece: str, linear: Linear) -> None:
    linear(lambda size: segment((piece * size)[:size]), 8_000)


def test_a_statement_keeps_its_citations_and_its_offset_in_the_sentence() -> None:
    text = "Aspirin reduced stroke; bleeding rose. Death was rare."
    found = statements([Sentence(text=text, evidence=("E1", "E2"))], [])
    assert [s.text for s in found] == ["Aspirin reduced stroke;", "bleeding rose.", "Death was rare."]
    assert {s.evidence for s in found} == {("E1", "E2")}
    assert all(s.whole.text[s.start : s.start + len(s.text)] == s.text for s in found)
    assert [s.text for s in sentences_of(found)] == ["Aspirin reduced stroke; bleeding rose.", "Death was rare."]


def test_a_verbatim_quote_stays_whole() -> None:
    text = "Aspirin reduced stroke because platelets were inhibited."
    quote = Evidence(id="E1", document_id="PMID:1", start=0, end=len(text), quote=text)
    same = Sentence(text=text.replace(" stroke", "  stroke"), evidence=("E1",))
    assert statements([same], [quote]) == (same,)
    assert len(statements([same.model_copy(update={"evidence": ("E2",)})], [quote])) == 2


@given(st.lists(st.tuples(WRITTEN, st.lists(st.sampled_from(["E1", "E2"]), unique=True).map(tuple)), max_size=4))
@settings(deadline=None, max_examples=40)
def test_splitting_statements_again_changes_nothing(written: list[tuple[str, tuple[str, ...]]]) -> None:
    once = statements([Sentence(text=text, evidence=cited) for text, cited in written], [])
    assert statements(once, []) == once
    for group in by_sentence(once):
        whole = group[0].whole
        assert "".join("".join(s.text for s in group).split()) == "".join(whole.text.split())
        assert {s.evidence for s in group} == {whole.evidence}


def test_real_abstracts_are_split_without_loss(shared: Path) -> None:
    """PubMedQA's conclusions: about one in twelve sentences has two statements, and none is split into fragments."""
    sentences = found = 0
    with gzip.open(shared / "pubmedqa" / "pqa_l.jsonl.gz", "rt", encoding="utf-8") as lines:
        for _, line in zip(range(100), lines, strict=False):
            text = json.loads(line)["long_answer"]
            spans = segment(text)
            assert "".join("".join(text[s:e] for s, e in spans).split()) == "".join(text.split())
            assert all(len(text[s:e].split()) > 1 for s, e in spans)
            sentences += len(sentence_spans(text))
            found += len(spans)
    assert 1.02 < found / sentences < 1.3


MARKED = [(kind, line.strip()) for kind, lines in tables(__file__).items() for line in lines.strip().splitlines()]


@each_row(("kind", "marked"), MARKED)
def test_texts_are_split_as_in_the_table(kind: str, marked: str) -> None:
    text = marked.replace("| ", "").replace("|", "")
    found = [text[start:end] for start, end in segment(text)]
    assert found == [part.strip() for part in marked.split("|")], kind
