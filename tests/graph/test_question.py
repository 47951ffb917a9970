"""Questions that ask for a stored relation, in the words of people, and many others that only seem to."""

from __future__ import annotations

import gzip
import json
import tomllib
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rows import each_row

from medground.graph.answer import find, read_question, wordings
from medground.graph.linking import terms_by_name
from medground.graph.store import GraphStore
from medground.values.graph import GraphFinding

QUESTIONS = tomllib.loads(Path(__file__).with_name("questions.toml").read_text(encoding="utf-8"))
ASKS = [(text, one["relation"], one["concepts"]) for one in QUESTIONS["asks"] for text in one["texts"]]


@each_row(("text", "relation", "concepts"), ASKS)
def test_a_question_for_a_stored_relation_is_read(hpo: GraphStore, text: str, relation: str, concepts: str) -> None:
    question = read_question(hpo, text)
    assert question is not None
    assert question.relation == relation
    named = {concept.id for concept in (*question.phenotypes, *question.diseases, *question.genes)}
    assert named == set(concepts.split())
    assert find(hpo, question) is not None


@each_row("text", ["", "?", *QUESTIONS["not_for_the_graph"]])
def test_every_other_question_is_left_to_the_literature(hpo: GraphStore, text: str) -> None:
    question = read_question(hpo, text)
    found = find(hpo, question) if question is not None else None
    assert found is None or not found.facts


@pytest.mark.slow
@pytest.mark.shared
def test_questions_about_studies_are_never_answered(hpo: GraphStore, shared: Path) -> None:
    taken = []
    for path in ("pubmedqa/pqa_l.jsonl.gz", "mirage/questions.jsonl.gz"):
        with gzip.open(shared / path, "rt", encoding="utf-8") as lines:
            for line in islice(lines, 0, None, 8):  # every eighth question; all of them take half a minute
                item = json.loads(line)
                text = item["question"]
                if "options" not in item and read_question(hpo, text) is not None:
                    taken.append(text)
    assert taken == []


def test_a_family_has_all_its_types_and_a_full_name_never_matches_a_longer_one(hpo: GraphStore) -> None:
    def found(text: str) -> set[str]:
        return {concept.id for concept in hpo.find(text, "disease")}

    assert {"OMIM:130000", "OMIM:130010", "OMIM:130050", "OMIM:225410"} <= found("Ehlers-Danlos syndrome")
    assert found("Marfan syndrome") == {"OMIM:154700", "ORPHA:558"}
    assert "OMIM:613454" not in found("Rett syndrome")
    assert not {"OMIM:606408", "ORPHA:230839"} & found("classic Ehlers-Danlos syndrome")
    for symbol, gene in (("mog", "NCBIGene:4340"), ("MOGS", "NCBIGene:7841")):  # a symbol has no plural
        assert [concept.id for concept in hpo.find(symbol, "gene")] == [gene]


@each_row("text", ["Strange eye", "ol", "odd", "lens", "Gone term", "HP:9999999", "Alpha"])
def test_a_weak_name_matches_nothing(small: GraphStore, text: str) -> None:
    assert small.find(text, "phenotype", "disease") == ()
    # an abbreviation matches only as written
    assert [c.id for c in small.find("OL", "phenotype")] == ["HP:0100001"]


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=400))
def test_any_text_can_be_read(hpo: GraphStore, text: str) -> None:
    for template in ("{}", "Is {} a feature of Marfan syndrome?", "What is {}?", "Which genes are associated with {}?"):
        read_question(hpo, template.format(text))


Ask = Callable[[GraphStore, str], GraphFinding]


def test_every_term_of_the_word_lists_is_in_the_release(hpo: GraphStore) -> None:
    named = {term for name in ("organs", "lay_terms") for terms in terms_by_name(name).values() for term in terms}
    assert {term for term in named if not hpo.find(term, "phenotype")} == set()


@each_row(("closed", "text"), [(closed, one) for closed, texts in QUESTIONS["closed"].items() for one in texts])
def test_a_closed_question_is_decided_only_by_what_is_stored(hpo: GraphStore, text: str, closed: str, ask: Ask) -> None:
    assert (ask(hpo, text).closed or "open") == closed


@each_row(("text", "closed", "branch"), QUESTIONS["organs"])
def test_a_part_of_the_body_is_its_branch(hpo: GraphStore, text: str, closed: str, branch: str, ask: Ask) -> None:
    finding = ask(hpo, text)
    places = [(fact.document_id, fact.start, fact.end) for fact in finding.facts]
    shown = {r.object.id for r in hpo.relations(subjects={doc for doc, *_ in places}) if r.place in places}
    assert shown
    assert shown <= {branch, *hpo.descendants(branch)}
    assert finding.closed == closed
    assert "read as Abnormal" in finding.note


def test_nothing_recorded_of_a_part_of_the_body_is_no_no(hpo: GraphStore, ask: Ask) -> None:
    for text in ("Does Tay-Sachs disease affect the liver?", "Is the heart affected in Tay-Sachs?"):
        finding = ask(hpo, text)
        assert (finding.status, finding.closed, finding.facts) == ("not recorded", "", ())


@each_row(("text", "note"), QUESTIONS["said"])
def test_how_a_question_was_read_is_said(hpo: GraphStore, text: str, note: str, ask: Ask) -> None:
    assert note in ask(hpo, text).note


@each_row(("text", "closed", "answer", "documents"), QUESTIONS["found"])
def test_what_is_found(hpo: GraphStore, text: str, closed: str, answer: str, documents: list[str], ask: Ask) -> None:
    finding = ask(hpo, text)
    assert (finding.closed, answer in finding.answer) == (closed, True)
    assert set(documents) <= {fact.document_id for fact in finding.facts}
    assert len(set(finding.facts)) == len(finding.facts) > 0


@each_row(
    ("text", "name"),
    [
        ("What is the best treatment of Marfan syndrome?", "Marfan syndrome"),
        ("Does the liver affect Wilson disease?", "Wilson"),
        ("alkaptonurea", "Alkaptonuria"),
    ],
)
def test_suggested_wordings_are_understood_and_answered(hpo: GraphStore, text: str, name: str, ask: Ask) -> None:
    suggested = wordings(hpo, text)
    assert 2 <= len(suggested) <= 3
    for wording in suggested:
        assert ask(hpo, wording).facts
        assert name in wording


def test_nothing_is_suggested_where_nothing_of_the_graph_is_named(hpo: GraphStore) -> None:
    for text in ("Does aspirin help?", "What is the capital of France?", "x", "¿Qué?"):
        assert wordings(hpo, text) == ()
