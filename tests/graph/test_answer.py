"""What the graph answers, and that it says no more than is stored."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from rows import each_row

from medground.errors import SnapshotCorrupt, StorageFailed
from medground.graph.answer import entails, find
from medground.graph.question import read_question
from medground.graph.relation import StatedAt, line
from medground.graph.starter import GraphWriter, Page
from medground.graph.store import GraphStore
from medground.graph.vocabularies.hpo import Hpo
from medground.values.graph import GraphFinding

Ask = Callable[[GraphStore, str], GraphFinding]


def sentences(finding: GraphFinding) -> list[str]:
    return [fact.sentence for fact in finding.facts]


def test_a_recorded_feature_comes_with_its_figure_and_references(small: GraphStore, ask: Ask) -> None:
    finding = ask(small, "Is lens oddity a feature of OMIM:1?")
    assert finding.status == "recorded"
    assert finding.concepts == ("Odd lens (HP:0100001)", "Alpha syndrome 1 (OMIM:1)")
    assert sentences(finding) == [
        "Odd lens is recorded as a feature of Alpha syndrome 1 (OMIM:1), in 3 of 4 patients (onset: Congenital onset)."
    ]
    assert finding.facts[0].references == ("PMID:11", "PMID:12")
    assert finding.graph == "HPO 2030-02-03"


def test_all_matching_diseases_are_shown_with_their_disagreement(small: GraphStore, ask: Ask) -> None:
    finding = ask(small, "Is odd lens a feature of Alpha syndrome?")
    assert finding.status == "recorded"
    assert [(f.document_id, f.excluded) for f in finding.facts] == [("OMIM:1", False), ("ORPHA:2", True)]
    assert finding.note == "recorded in one entry and excluded in another"


@each_row(
    ("text", "status", "said"),
    [
        (
            "Is odd lens seen in Beta disease, odd type?",
            "recorded",
            "Left odd lens, a kind of Odd lens, is recorded as a feature of Beta disease, odd type (OMIM:3), "
            "frequency not recorded.",
        ),
        (
            "Is odd lens a feature of Gamma disease?",
            "excluded",
            "Odd lens is recorded as not being a feature of Gamma disease (OMIM:4).",
        ),
        (
            "Is left odd lens a feature of Gamma disease?",
            "excluded",
            "Odd lens, of which Left odd lens is a kind, is recorded as not being a feature of Gamma disease (OMIM:4).",
        ),
        (
            "Is phenotypic abnormality a feature of Gamma disease?",
            "recorded",
            "Blue toe, a kind of Phenotypic abnormality, is recorded as a feature of Gamma disease (OMIM:4), "
            "in 45% of patients.",
        ),
        (
            "Is blue toe a feature of OMIM:1?",
            "seen in none",
            "Blue toe was seen in 0 of 12 patients with Alpha syndrome 1 (OMIM:1).",
        ),
        (
            "How frequent is blue toe in ORPHA:2?",
            "recorded",
            "Blue toe is recorded as a feature of Alpha syndrome (ORPHA:2), "
            "frequency: very frequent (80-99% of patients) (recorded for females) (Severe).",
        ),
    ],
)
def test_a_fact_is_said_as_it_is_stored(small: GraphStore, ask: Ask, text: str, status: str, said: str) -> None:
    finding = ask(small, text)
    assert (finding.status, sentences(finding)) == (status, [said])


def test_a_missing_record_is_not_an_answer(small: GraphStore, ask: Ask) -> None:
    finding = ask(small, "Is blue toe a feature of Beta disease, odd type?")
    assert (finding.status, finding.facts, finding.note) == ("not recorded", (), "not recorded in HPO 2030-02-03")


def test_an_exclusion_in_one_type_says_nothing_about_the_family(small: GraphStore, ask: Ask) -> None:
    finding = ask(small, "Is odd lens a feature of Delta syndrome?")
    assert (finding.status, finding.facts) == ("not recorded", ())
    assert finding.note == (
        "not recorded in HPO 2030-02-03 for Delta syndrome, type 2 (OMIM:6); "
        "excluded for Delta syndrome, type 1 (OMIM:5)"
    )
    assert ask(small, "Is odd lens a feature of Delta syndrome type I?").status == "excluded"


def test_two_studies_that_disagree_are_both_shown(small: GraphStore, ask: Ask) -> None:
    finding = ask(small, "How frequent is blue toe in OMIM:5?")
    assert finding.status == "recorded"
    assert [fact.references for fact in finding.facts] == [("PMID:6",), ("PMID:5",)]


def test_questions_that_ask_for_more_are_answered_only_by_a_record(small: GraphStore) -> None:
    recorded = read_question(small, "Does Alpha syndrome 1 cause odd lens?")
    silent = read_question(small, "Does Beta disease, odd type cause blue toe?")
    assert recorded is not None
    assert silent is not None
    answered, unanswered = find(small, recorded), find(small, silent)
    assert answered is not None
    assert answered.closed == "yes"
    assert unanswered is not None
    assert (unanswered.status, unanswered.closed, unanswered.facts) == ("not recorded", "", ())


def test_genes_diseases_features_and_definitions(small: GraphStore, ask: Ask) -> None:
    assert ask(small, "Which genes are associated with Alpha syndrome?").answer == "ABC1"
    assert ask(small, "Which genes are associated with left odd lens?").answer == "XYZ9"
    assert ask(small, "Is ABC1 associated with Alpha syndrome?").status == "recorded"
    assert ask(small, "Which diseases are caused by ABC1 mutations?").answer == "Alpha syndrome 1"
    assert ask(small, "What are the features of Gamma disease?").answer == "Blue toe"
    with_lens = ask(small, "Which diseases have odd lens?")
    assert [fact.document_id for fact in with_lens.facts] == ["OMIM:1", "OMIM:3"]
    assert with_lens.note == (
        "1 of 1 diseases, most frequent first, shown; diseases with only a more specific form of Odd lens: 1"
    )
    assert sentences(ask(small, "What is an odd lens?")) == [
        'Odd lens (HP:0100001) is defined as: A lens that is "odd".'
    ]


@each_row(
    "change",
    [
        {"sentence": "Odd lens is recorded as a feature of Alpha syndrome 1 (OMIM:1), in 4 of 4 patients."},
        {"sentence": "Odd lens is caused by Alpha syndrome 1."},
        {"document_id": "OMIM:4"},
        {"start": 0},
        {"end": 9999},
        {"excluded": True},
        {"references": ("PMID:99",)},
    ],
)
def test_a_changed_fact_is_not_entailed(small: GraphStore, change: dict[str, object], ask: Ask) -> None:
    fact = ask(small, "Is odd lens a feature of OMIM:1?").facts[0]
    assert entails(small, fact)
    assert not entails(small, fact.model_copy(update=change))


def test_the_question_of_the_readme(hpo: GraphStore, ask: Ask) -> None:
    finding = ask(hpo, "Is ectopia lentis a feature of Marfan syndrome?")
    assert finding.status == "recorded"
    assert sentences(finding)[0] == (
        "Ectopia lentis is recorded as a feature of Marfan syndrome (OMIM:154700), in 119 of 251 patients."
    )
    assert finding.facts[0].references == ("PMID:28050285", "PMID:29587526", "PMID:33436942")
    assert [fact.document_id for fact in finding.facts] == ["OMIM:154700", "ORPHA:558"]


def test_other_questions_of_the_first_landing(hpo: GraphStore, ask: Ask) -> None:
    assert (
        ask(hpo, "Which genes are associated with classic Ehlers-Danlos syndrome?").answer == "COL5A2, COL5A1, COL1A1"
    )
    assert ask(hpo, "How frequent are seizures in Rett syndrome?").status == "recorded"
    assert ask(hpo, "Is migraine a feature of Marfan syndrome?").note == "not recorded in HPO 2025-01-16"
    linked = ask(hpo, "Which genes cause ectopia lentis?")
    assert len(set(linked.facts)) == len(linked.facts)
    tetragametic = ask(hpo, "Is global developmental delay a feature of tetragametic chimerism syndrome?")
    assert tetragametic.status == "excluded"


def test_facts_are_stated_in_the_documents_word_for_word(sample: list[Page], hpo: GraphStore, ask: Ask) -> None:
    for page in sample:
        if page.concept.kind == "disease":
            for fact in ask(hpo, f"What are the features of {page.document.id}?").facts:
                stated = hpo.stated_at(StatedAt(fact.document_id, fact.start, fact.end))
                assert stated is not None
                assert page.document.text[fact.start : fact.end] == line(stated)


def test_many_threads_can_ask_at_once(hpo: GraphStore, ask: Ask) -> None:
    texts = ["Is ectopia lentis a feature of Marfan syndrome?", "Which diseases have ectopia lentis?"] * 20
    alone = [ask(hpo, text) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda text: ask(hpo, text), texts)) == alone


def test_closing_while_other_threads_read_is_safe(hpo: GraphStore) -> None:
    def read(store: GraphStore) -> bool:
        try:
            while True:
                store.descendants("HP:0000001")
        except SnapshotCorrupt:  # closed
            return True

    for _ in range(5):
        store = GraphStore.open(hpo.path)
        with ThreadPoolExecutor(4) as pool:
            reading = [pool.submit(read, store) for _ in range(4)]
            time.sleep(0.02)
            store.close()
        assert all(one.result() for one in reading)


@each_row("content", [b"", b"not a database" * 100, b"SQLite format 3\x00" + b"\x00" * 4000])
def test_a_file_that_is_not_a_graph_is_corrupt(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "graph.sqlite"
    path.write_bytes(content)
    with pytest.raises(SnapshotCorrupt, match="rebuild the corpus"):
        GraphStore.open(path)


def test_a_missing_file_is_corrupt(tmp_path: Path) -> None:
    with pytest.raises(SnapshotCorrupt):
        GraphStore.open(tmp_path / "none.sqlite")


def test_a_damaged_page_is_found_when_it_is_read(release: Hpo, tmp_path: Path) -> None:
    path = tmp_path / "graph.sqlite"
    with contextlib.closing(GraphWriter(release)) as writer:
        writer.save(path)
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    path.unlink()  # a new file: a reader may have the old one open or mapped
    path.write_bytes(bytes(content))
    with pytest.raises(SnapshotCorrupt):
        GraphStore.open(path).find("Odd lens", "phenotype")


def test_the_graph_is_read_only(small: GraphStore) -> None:
    with pytest.raises(sqlite3.OperationalError):
        sqlite3.connect(f"{small.path.as_uri()}?mode=ro", uri=True).execute("DELETE FROM names")


def test_a_failed_write_is_reported(release: Hpo, tmp_path: Path) -> None:
    with contextlib.closing(GraphWriter(release)) as writer, pytest.raises(StorageFailed, match="cannot write"):
        writer.save(tmp_path / "no" / "folder" / "graph.sqlite")
