"""What the graph answers, and that it says no more than is stored."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from rows import each_row

from medground.errors import SnapshotCorrupt, StorageFailed
from medground.graph.answer import entails
from medground.graph.completions import Completions
from medground.graph.concept_store import ConceptStore, open_graph
from medground.graph.starter import GraphWriter
from medground.graph.store import GraphStore
from medground.graph.vocabularies.hpo import Hpo
from medground.values.graph import GraphFinding

Ask = Callable[[GraphStore, str], GraphFinding]


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


@each_row(
    ("text", "closed", "answer"),
    [
        # what asks for more is answered only by a record
        ("Does Alpha syndrome 1 cause odd lens?", "yes", ""),
        ("Does Beta disease, odd type cause blue toe?", "", ""),
        # 3 of 4 patients: a count of so few is not all of them, nor most
        ("Do all people with Alpha syndrome 1 have odd lens?", "no", ""),
        ("Do most people with Alpha syndrome 1 have odd lens?", "", ""),
        ("Which genes are associated with left odd lens?", "yes", "XYZ9"),
        ("Which diseases are caused by ABC1 mutations?", "yes", "Alpha syndrome 1"),
        ("What are the features of Gamma disease?", "", "Blue toe"),
    ],
)
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
