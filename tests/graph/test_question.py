"""A question for a stored relation: read, and answered by what is stored alone."""

import contextlib
import gzip
import json
import sqlite3
import tomllib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rows import each_row, tables

from medground.errors import SnapshotCorrupt, StorageFailed
from medground.graph.answer import entails, find, read_question, wordings
from medground.graph.completions import Completions
from medground.graph.concept_store import ConceptStore, open_graph
from medground.graph.linking import terms_by_name
from medground.graph.starter import GraphWriter
from medground.graph.store import GraphStore
from medground.graph.vocabularies.hpo import Hpo
from medground.values.graph import GraphFinding

TABLES = tables(__file__)

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


@each_row(
    "text",
    [
        "What is the chance that my baby will have Marfan syndrome?",
        "My sister has Marfan syndrome. Could I be a carrier?",
        "My husband has Marfan syndrome, can our son get it?",
        "I have Marfan syndrome and I am pregnant. Could the baby have it?",
        "my aunt and my cousin have Marfan syndrome, should I worry about my own kids",
    ],
)
def test_a_letter_on_a_family_gets_the_mode_of_inheritance_and_what_it_means(hpo: GraphStore, text: str) -> None:
    question = read_question(hpo, text)
    found = find(hpo, question) if question is not None else None
    assert found is not None and found.chooses and found.answer.startswith("Autosomal dominant inheritance")
    assert "each child has a chance of 1 in 2" in found.note


@each_row(
    "text",
    [
        "Does my child have Marfan syndrome?",
        "How many children have Marfan syndrome?",
        "Can a woman with Marfan syndrome get pregnant?",
        "We are healthy and our son has Marfan syndrome. What are the chances for the next child?",
    ],
)
def test_a_letter_that_asks_something_else_of_a_family_gets_no_chance(hpo: GraphStore, text: str) -> None:
    question = read_question(hpo, text)
    found = find(hpo, question) if question is not None else None
    assert found is None or "1 in 2" not in found.note


def test_diseases_that_are_alike_are_told_by_what_both_have(hpo: GraphStore) -> None:
    question = read_question(hpo, "Are Marfan syndrome and Loeys-Dietz syndrome 1 alike?")
    found = find(hpo, question) if question is not None else None
    assert found is not None and not found.closed
    features = [fact.sentence.partition(" is recorded")[0] for fact in found.facts]
    assert features[::2] == features[1::2] and features


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
            for line in islice(lines, 0, None, 32):  # all of them take minutes
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


def sentences(finding: GraphFinding) -> list[str]:
    return [fact.sentence for fact in finding.facts]


IS, IS_NOT = "is recorded as a feature of", "is recorded as not being a feature of"
ALPHA, GAMMA, DELTA = "Alpha syndrome 1 (OMIM:1)", "Gamma disease (OMIM:4)", "Delta syndrome, type 1 (OMIM:5)"
ODD = f"Odd lens {IS} {ALPHA}, in 3 of 4 patients (onset: Congenital onset)."
NO_ODD = f"Odd lens {IS_NOT} Alpha syndrome (ORPHA:2)."
WIDER = f"Odd lens, of which Left odd lens is a kind, {IS_NOT} {GAMMA}."
NARROWER = f"Blue toe, a kind of Phenotypic abnormality, {IS} {GAMMA}, in 45% of patients."
LEFT = f"Left odd lens, a kind of Odd lens, {IS} Beta disease, odd type (OMIM:3), frequency not recorded."
NONE = "Blue toe was seen in 0 of {} patients with {}.".format
OFTEN = f"Blue toe {IS} Alpha syndrome (ORPHA:2), frequency: very frequent (80-99% of patients)"
OFTEN += " (recorded for females) (Severe)."
FEW = "seen in none of the patients counted, which is not enough for a no"
BOTH = "recorded in one entry and excluded in another"
SILENT = "not recorded in HPO 2030-02-03"
ONE_TYPE = f"{SILENT} for Delta syndrome, type 2 (OMIM:6); excluded for {DELTA}"


@each_row(
    ("text", "status", "note", "said"),
    [
        ("lens oddity in OMIM:1?", "recorded", "", [ODD]),
        ("odd lens in Alpha syndrome?", "recorded", BOTH, [ODD, NO_ODD]),
        ("left odd lens in Gamma disease?", "excluded", "", [WIDER]),
        ("phenotypic abnormality in Gamma disease?", "recorded", "", [NARROWER]),
        ("odd lens in OMIM:3?", "recorded", "", [LEFT]),
        ("blue toe in OMIM:1?", "seen in none", FEW, [NONE(12, ALPHA)]),
        ("blue toe in ORPHA:2?", "recorded", "", [OFTEN]),
        ("blue toe in OMIM:5?", "recorded", BOTH, [f"Blue toe {IS} {DELTA}, in 1 of 3 patients.", NONE(2, DELTA)]),
        ("blue toe in Beta disease, odd type?", "not recorded", SILENT, []),
        # an exclusion in one type says nothing about the family
        ("odd lens in Delta syndrome?", "not recorded", ONE_TYPE, []),
        ("odd lens in Delta syndrome type I?", "excluded", "", [f"Odd lens {IS_NOT} {DELTA}."]),
    ],
)
def test_a_fact_is_said_as_stored(
    small: GraphStore, ask: Ask, text: str, status: str, note: str, said: list[str]
) -> None:
    for asked in (f"Is there {text}", f"How frequent is {text}"):
        finding = ask(small, asked)
        assert (finding.status, finding.note, sentences(finding)) == (status, note, said)


@each_row(("text", "closed", "answer"), TABLES["only_a_record_decides"])
def test_only_a_record_decides(small: GraphStore, ask: Ask, text: str, closed: str, answer: str) -> None:
    finding = ask(small, text)
    assert (finding.closed, finding.answer) == (closed, answer)


def test_a_definition_and_the_diseases_with_a_feature_or_a_more_specific_one(small: GraphStore, ask: Ask) -> None:
    [definition] = sentences(ask(small, "What is an odd lens?"))
    assert definition == 'Odd lens (HP:0100001) is defined as: A lens that is "odd".'
    with_lens = ask(small, "Which diseases have odd lens?")
    assert [fact.document_id for fact in with_lens.facts] == ["OMIM:1", "OMIM:3"]
    assert with_lens.note.endswith("diseases with only a more specific form of Odd lens: 1")


@each_row(
    "change",
    [
        {"sentence": "Odd lens is recorded as a feature of Alpha syndrome 1 (OMIM:1), in 4 of 4 patients."},
        {"document_id": "OMIM:4"},
        {"excluded": True},
        {"references": ("PMID:99",)},
    ],
)
def test_a_changed_fact_is_not_entailed(small: GraphStore, change: dict[str, object], ask: Ask) -> None:
    fact = ask(small, "Is odd lens a feature of OMIM:1?").facts[0]
    assert entails(small, fact)
    assert not entails(small, fact.model_copy(update=change))


def test_the_questions_of_the_readme(hpo: GraphStore, ask: Ask) -> None:
    finding = ask(hpo, "Is ectopia lentis a feature of Marfan syndrome?")
    assert finding.status == "recorded"
    assert sentences(finding)[0] == (
        "Ectopia lentis is recorded as a feature of Marfan syndrome (OMIM:154700), in 119 of 251 patients."
    )
    assert finding.facts[0].references == ("PMID:28050285", "PMID:29587526", "PMID:33436942")
    assert [fact.document_id for fact in finding.facts] == ["OMIM:154700", "ORPHA:558"]
    classic = ask(hpo, "Which genes are associated with classic Ehlers-Danlos syndrome?")
    assert classic.answer == "COL5A2, COL5A1, COL1A1"


def test_many_threads_can_ask_at_once(hpo: GraphStore, ask: Ask) -> None:
    texts = ["Is ectopia lentis a feature of Marfan syndrome?", "Which diseases have ectopia lentis?"] * 20
    alone = [ask(hpo, text) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda text: ask(hpo, text), texts)) == alone


def test_closing_while_other_threads_read_is_safe(small: GraphStore) -> None:
    def read(store: GraphStore) -> bool:
        try:
            while True:
                store.descendants("HP:0000001")
        except SnapshotCorrupt:  # closed
            return True

    store = GraphStore.open(small.path)
    with ThreadPoolExecutor(4) as pool:
        reading = [pool.submit(read, store) for _ in range(4)]
        store.close()
    assert all(one.result() for one in reading)


@each_row("content", [None, b"", b"not a database" * 100, b"SQLite format 3\x00" + b"\x00" * 4000])
def test_a_file_that_is_not_a_graph_is_corrupt(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "graph.sqlite"
    if content is not None:
        path.write_bytes(content)
    for opening in (GraphStore.open, ConceptStore.open, open_graph, Completions.read):
        with pytest.raises(SnapshotCorrupt, match="rebuild the corpus"):
            opening(path)


def test_damaged_pages_and_failed_writes(release: Hpo, small: GraphStore, tmp_path: Path) -> None:
    with contextlib.closing(GraphWriter(release)) as writer, pytest.raises(StorageFailed, match="cannot write"):
        writer.save(tmp_path / "no" / "folder" / "graph.sqlite")
    with pytest.raises(sqlite3.OperationalError):
        sqlite3.connect(f"{small.path.as_uri()}?mode=ro", uri=True).execute("DELETE FROM names")
    content = small.path.read_bytes()
    damaged = tmp_path / "damaged.sqlite"
    damaged.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))
    with pytest.raises(SnapshotCorrupt):
        GraphStore.open(damaged).find("Odd lens", "phenotype")
