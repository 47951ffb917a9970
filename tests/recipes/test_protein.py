"""Genes and organisms that a question names, and the proteins that are read for them."""

import asyncio
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from protein_peer import PeerFault, ProteinPeer
from protein_records import FISH, HUMAN, cif_file, entry, model, pdb_file, shown, text
from rows import each_row

from medground.answering.run import Run
from medground.corpus.retraction import listed
from medground.home.kept_files import Attachments
from medground.recipes.biomedsearch.proteins import NO_GENE, NOT_OPEN, asks_for_structure, find_proteins, sections_for
from medground.recipes.settings import BioMedSearchSettings
from medground.sources.http.retries import Patience
from medground.sources.http.service import Client, Service
from medground.sources.proteins.genes import genes_in, organisms_named
from medground.sources.proteins.structure_sources import AlphaFoldSource, PDBSource
from medground.sources.proteins.uniprot import UniProtSource
from medground.values.report import ToolFound
from medground.values.research_plan import Keyword, ResearchPlan, SubQuestion

LETTERS = "MAGKSMAGKSMAGKSMAGKS"
QUESTION = "Effects of cyp17a1 knockout on zebrafish?"


def interaction(n: int, gene: str, times: int) -> dict[str, Any]:
    two = {"uniProtKBAccession": f"Q0000{n}", "geneName": gene}
    return {"interactantOne": {"uniProtKBAccession": "Q00000"}, "interactantTwo": two, "numberOfExperiments": times}


COMMENTS = [
    text("FUNCTION", "Makes androgens. Needed for sex differentiation"),
    text("DISRUPTION PHENOTYPE", "Knockout fish become males"),
    text("TISSUE SPECIFICITY", "In gonads"),
    text("CAUTION", "Was reported to bind BAD1. This was retracted"),
    {"commentType": "INTERACTION", "interactions": [interaction(1, "BAD1", 2), interaction(2, "OK1", 3)]},
]
ENTRIES = [
    entry("P00001", "cyp17a1", FISH, name="Cytochrome P450 17A1", synonyms=["cyp17"], comments=COMMENTS),
    entry("P00002", "CYP17A1", HUMAN, name="Steroid 17-alpha-hydroxylase"),
]


def peer(**more: Any) -> ProteinPeer:
    given = {
        "models": {"P00001": [model("P00001", LETTERS)]},
        "structures": {"P00001": {"structures": [shown("1TST", "P00001", 3, 12, resolution=1.5)]}},
        "files": {
            "files/AF-P00001-F1-model_v6.pdb": pdb_file(LETTERS).encode(),
            "files/AF-P00001-F1-model_v6.cif": cif_file(LETTERS).encode(),
            "static/entry/1tst_updated.cif": cif_file(LETTERS[2:12], entry="1TST").encode(),
        },
    }
    return ProteinPeer(ENTRIES, **{**given, **more})


def sources_of(one: ProteinPeer) -> list[Any]:
    def client(name: str, path: str = "") -> Client:
        service = Service(name, f"http://127.0.0.1{path}", patience=Patience(tries=2, first_wait=0.001))
        return Client(service, httpx2.ASGITransport(one.app()))

    return [UniProtSource(client("uniprot")), AlphaFoldSource(client("alphafold")), PDBSource(client("pdb", "/pdbe"))]


Find = Callable[..., tuple[ToolFound, Run]]


@pytest.fixture
def find(make_run: Callable[..., Run]) -> Find:
    def run(words: str, *, question: str = QUESTION, names: tuple[str, ...] = (), **more: Any) -> tuple[ToolFound, Run]:
        sub = SubQuestion(id="q1", text=words, keywords=tuple(more.pop("keywords", ())))
        keywords = tuple(Keyword(name=name, tools=("protein",)) for name in sub.keywords)
        plan = ResearchPlan(question=question, subquestions=(sub,), keywords=keywords)
        service = more.pop("service", None) or peer()
        one = make_run(question, more.pop("sources", sources_of(service)))
        one.settings = one.settings.with_section(BioMedSearchSettings(**more))
        return asyncio.run(find_proteins(sub, plan, one, names)), one

    return run


def lines(found: ToolFound) -> list[str]:
    return [hit.passage.text for hit in found.hits]


def test_the_gene_of_the_named_organism_is_read_and_its_names_are_handed_on(find: Find) -> None:
    found, run = find("What are the effects of cyp17a1 knockout on sex differentiation?")
    assert (found.state, found.failures, found.notes, found.attachments) == ("found", (), (), ())
    assert {hit.passage.document_id for hit in found.hits} == {"UNIPROT:P00001"}
    assert lines(found)[0] == "cyp17a1 (Danio rerio), function: Needed for sex differentiation."
    assert "cyp17a1 (Danio rerio), disruption phenotype: Knockout fish become males." in lines(found)
    assert [hit.rank for hit in found.hits] == list(range(1, len(found.hits) + 1))
    assert all(run.stands(hit.passage) and hit.source == "uniprot" for hit in found.hits)
    assert found.names == ("cyp17a1", "Cytochrome P450 17A1", "cyp17")
    assert (found.flow.found, found.flow.merged, found.flow.cut, found.flow.kept) == (1, 0, 0, 1)
    assert {search.node for search in run.searches} == {"q1 protein"}


def test_parts_are_chosen_by_the_words_of_the_question(find: Find) -> None:
    found, _ = find("Which proteins interact with cyp17a1?")
    assert {line for line in lines(found) if "interacts with" in line} == {
        "cyp17a1 (Danio rerio), as Q00000, interacts with BAD1 (Q00001) in 2 experiments.",
        "cyp17a1 (Danio rerio), as Q00000, interacts with OK1 (Q00002) in 3 experiments.",
    }
    # A finding that was taken back is never shown without that.
    assert lines(found)[-1] == "cyp17a1 (Danio rerio), caution: Was reported to bind BAD1. This was retracted."
    assert sections_for("amino acid sequence and disease") == ("Sequence", "Isoforms", "Disease", "Variants")
    assert sections_for("cyp17a1")[0] == "Function"


@each_row(
    ("words", "asked"),
    [
        ("the spatial conformation of the protein", True),
        ("Which domains and binding sites does it have?", True),
        ("a 2-fold change", False),
    ],
)
def test_a_structure_is_looked_up_only_where_it_is_asked_for(words: str, asked: bool, find: Find) -> None:
    assert asks_for_structure(words) is asked
    service = peer()
    found, _ = find(f"{words} cyp17a1", service=service)
    assert any("prediction" in path for path in service.asked) is asked
    assert bool(found.attachments) is asked


def test_a_structure_brings_its_facts_its_files_and_a_picture(find: Find) -> None:
    found, run = find("What is the 3D structure of cyp17a1?")
    names = [one.name for one in found.attachments]
    model = [f"AF-P00001-F1-model_v6.{kind}" for kind in ("svg", "pdb", "cif")]
    assert names == [*model, "1tst_updated.svg", "1tst_updated.cif"]
    picture, coordinates = found.attachments[:2]
    assert (picture.media_type, picture.document_id) == ("image/svg+xml", "ALPHAFOLD:AF-P00001-F1")
    assert coordinates.licence == "CC BY 4.0"
    assert coordinates.origin == "https://alphafold.ebi.ac.uk/files/AF-P00001-F1-model_v6.pdb"
    assert Attachments(run.settings.home).read(picture).startswith(b"<svg")
    assert "The mean pLDDT of the predicted structure AF-P00001-F1 of Test protein is 80.0." in lines(found)
    assert {hit.passage.document_id.partition(":")[0] for hit in found.hits} == {"UNIPROT", "ALPHAFOLD", "PDB"}
    assert "ALPHAFOLD:AF-P00001-F1: This structure is a prediction by a program, not an experiment." in found.notes
    assert found.flow.found == found.flow.merged + found.flow.cut + found.flow.kept == 3


def test_a_model_that_does_not_exist_and_a_refused_file_are_told(find: Find) -> None:
    found, _ = find("3D structure of cyp17a1", service=peer(models={}, structures={}))
    assert (found.state, found.failures, found.attachments) == ("found", (), ())
    assert "AlphaFold DB has no model of P00001" in found.notes
    assert "the Protein Data Bank has no structure of P00001" in found.notes

    files = {"files/AF-P00001-F1-model_v6.pdb": b"<html>", "files/AF-P00001-F1-model_v6.cif": cif_file("MAG").encode()}
    found, _ = find("3D structure of cyp17a1", service=peer(files=files, structures={}))
    assert found.attachments == ()
    assert found.failures == (
        "alphafold: AF-P00001-F1-model_v6.pdb: it has no C-alpha atom; the file was not kept",
        "alphafold: AF-P00001-F1-model_v6.cif: it has 3 residues, not the 20 of the model; the file was not kept",
    )


def test_which_organism_and_record_is_meant(find: Find) -> None:
    found, _ = find("What does cyp17a1 do?", question="What does cyp17a1 do?")
    assert (found.state, found.hits, found.names) == ("empty", (), ())
    assert found.notes == ("'cyp17a1' is in several organisms: Zebrafish (P00001), Human (P00002); name the organism",)

    found, _ = find("What does CYP17A1 do?", question="What does CYP17A1 do?")
    assert {hit.passage.document_id for hit in found.hits} == {"UNIPROT:P00002"}
    assert found.notes == (
        "no organism is named, so the human record of CYP17A1 was looked up; name another organism if needed",
    )

    found, _ = find("What becomes of the fish?", question="What becomes of zebrafish?", names=("cyp17a1", "Cytochrome"))
    assert {hit.passage.document_id for hit in found.hits} == {"UNIPROT:P00001"}

    found, _ = find("How is steroid synthesis altered?", question="Zebrafish?", keywords=("cyp17a1 gene", "cyp17 gene"))
    assert (found.flow.found, found.flow.merged, found.flow.kept) == (2, 1, 1)


def test_a_line_that_rests_on_a_retracted_paper_is_left_out(find: Find) -> None:
    pmid = min(int(name[5:]) for name in listed() if name.startswith("pmid:"))
    told = [text("FUNCTION", f"Cures all (PubMed:{pmid}). Makes androgens (PubMed:{pmid}, PubMed:1)")]
    service = ProteinPeer([entry("P00001", "cyp17a1", FISH, comments=told)])
    found, _ = find("What is the function of cyp17a1?", service=service)
    assert lines(found) == [f"cyp17a1 (Danio rerio), function: Makes androgens (PubMed:{pmid}, PubMed:1)."]
    assert found.notes == (
        f"a line of UNIPROT:P00001 is left out, because it rests on a retracted paper (PMID:{pmid})",
    )


def test_unknown_genes_no_gene_and_no_source(find: Find) -> None:
    found, _ = find("What does the abc123 gene do?", question="The abc123 gene in zebrafish?")
    assert found.state == "empty"
    assert found.notes == ("UniProtKB has no protein or gene called 'abc123' in zebrafish (Danio rerio)",)
    found, _ = find("Does exercise help?", question="Does exercise help?")
    assert (found.state, found.notes, found.flow.found) == ("empty", (NO_GENE,), 0)
    found, _ = find("What does cyp17a1 do?", sources=[])
    assert (found.state, found.failures) == ("not configured", (NOT_OPEN,))


def test_a_service_that_fails_is_named_and_the_others_count(find: Find) -> None:
    found, _ = find("Function of cyp17a1?", service=peer(faults=[PeerFault("uniprotkb", 500)]))
    assert (found.state, found.hits) == ("failed", ())
    assert len(found.failures) == 1
    assert found.failures[0].startswith("uniprot: ")
    assert found.failures[0].endswith("; its protein records are missing")
    found, _ = find("3D structure of cyp17a1", service=peer(faults=[PeerFault("api/prediction", 500)]))
    assert found.state == "found"
    assert [line.partition(":")[0] for line in found.failures] == ["alphafold"]
    assert [one.name for one in found.attachments] == ["1tst_updated.svg", "1tst_updated.cif"]


def test_limits_on_lines_and_left_out_sources(find: Find) -> None:
    found, _ = find("3D structure and function of cyp17a1", kept=4, without=("alphafold",))
    assert len(found.hits) == 4
    assert {one.name for one in found.attachments} == {"1tst_updated.svg", "1tst_updated.cif"}


NAMED = tomllib.loads(Path(__file__).with_name("named_genes.toml").read_text(encoding="utf-8"))


@each_row(("text", "genes", "organisms"), NAMED["named"])
def test_genes_and_organisms_are_told_apart(text: str, genes: list[str], organisms: list[str]) -> None:
    assert [one.name for one in genes_in(text)] == genes
    assert [one.scientific.partition(" (")[0] for one in organisms_named(text)] == organisms
    assert all(text[one.start : one.end].startswith(one.name) for one in genes_in(text))


def test_a_symbol_is_named_once_and_its_writing_tells_whether_it_is_human() -> None:
    assert [one.name for one in genes_in("TP53 and tp53 and TP-53")] == ["TP53"]
    names = ("TP53", "p53", "IL-6", "TGF-β1", "vascular endothelial growth factor", "cyp17a1", "Tp53")
    assert [name for name in names if not genes_in(name)[0].looks_human] == ["cyp17a1", "Tp53"]


@settings(max_examples=25)
@given(st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    for one in genes_in(text):
        assert text[one.start : one.end].rstrip("+") == one.name
    organisms_named(text)
