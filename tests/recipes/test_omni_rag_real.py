"""Omni-RAG on real texts: a question answered from a book, an encyclopaedia, papers and a graph, each quote opened."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from medground.answer import Answer, Evidence
from medground.blocking import BlockingEngine
from medground.corpus.build import build
from medground.corpus.concepts import build_graph
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.described import SourceDescription
from medground.document import SourceKind
from medground.errors import ConfigError
from medground.graph.hpo import Hpo
from medground.graph.vocabularies.hpo import hpo
from medground.settings import Settings

QUESTION = "Is Marfan syndrome an autosomal dominant disorder?"
SUBJECT = "Marfan"
COLLECTIONS: dict[SourceKind, tuple[str, ...]] = {"book": ("GARD", "NHLBI"), "wiki": ("GHR", "MPlusHealthTopics")}


def part_of_medquad(shared: Path, collections: tuple[str, ...], out: Path) -> Path:
    """The real records of some collections on the subject, in a file of the set's own format."""
    with gzip.open(shared / "medquad" / "qa.jsonl.gz", "rt", encoding="utf-8") as lines:
        kept = [line for line in lines if SUBJECT in line and json.loads(line)["source"] in collections]
    out.write_text("".join(kept), encoding="utf-8")
    return out


def part_of_hpo(out: Path) -> Path:
    """The installed release without the diseases that are not on the subject; all terms that those name stay."""
    try:
        release = Hpo.open()
    except ConfigError as missing:
        pytest.skip(str(missing))
    out.mkdir()
    for name in ("phenotype.hpoa", "genes_to_phenotype.txt"):
        lines = (release.folder / name).read_text(encoding="utf-8").splitlines(keepends=True)
        on_subject = {line.split("\t")[0] for line in lines if SUBJECT in line}
        head = [line for line in lines if line.startswith(("#", "database_id", "ncbi_gene_id"))]
        rows = [line for line in lines if line.split("\t")[0] in on_subject] if name == "phenotype.hpoa" else []
        (out / name).write_text("".join([*head, *rows]), encoding="utf-8")
    named = re.findall(r"HP:\d{7}", (out / "phenotype.hpoa").read_text(encoding="utf-8"))
    wanted = set(named)
    while more := {parent for i in wanted if i in release.terms for parent in release.terms[i].parents} - wanted:
        wanted |= more
    text = (release.folder / "hp.obo").read_text(encoding="utf-8")
    header, *stanzas = text.split("\n\n[Term]\n")
    kept = [stanza for stanza in stanzas if re.match(r"id: (\S+)", stanza)[1] in wanted]  # type: ignore[index]
    (out / "hp.obo").write_text("\n\n[Term]\n".join([header, *kept]) + "\n", encoding="utf-8")
    return out


def described(kind: SourceKind) -> SourceDescription:
    return SourceDescription(name=kind, kind=kind, about=f"Real texts: {kind}.", licence="as published", origin="tests")


@pytest.fixture
def library(shared: Path, tmp_path: Path) -> Library:
    folder = tmp_path
    library = Library(folder / "home")
    for kind, collections in COLLECTIONS.items():
        path = part_of_medquad(shared, collections, folder / f"{kind}.jsonl")
        build(library, f"real.{kind}", find_inputs([path], reader="medquad"), described=described(kind))
    papers = find_inputs([shared / "pubmed_xml" / "raw" / "medsamp2006.xml.gz"])
    build(library, "real.research", papers, described=described("research"))
    build_graph(library, "real.graph", [hpo(Hpo.open(part_of_hpo(folder / "hpo")))])
    return library


@pytest.fixture
def engine(library: Library, monkeypatch: pytest.MonkeyPatch) -> Iterator[BlockingEngine]:
    monkeypatch.setenv("MEDGROUND_HOME", str(library.folder.parent))
    options = {
        "recipe.name": "omni-rag",
        "omni_rag.planner": "all",
        "retrieval.corpora": ("real.book", "real.wiki", "real.research", "real.graph"),
    }
    with BlockingEngine(Settings.load(options=options)) as engine:
        yield engine


def kinds_of(answer: Answer) -> dict[SourceKind, list[Evidence]]:
    kinds = {document.id: document.kind for document in answer.documents}
    cited = {name for statement in answer.statements for name in statement.evidence}
    found: dict[SourceKind, list[Evidence]] = {}
    for quote in answer.evidence:
        if quote.id in cited:
            found.setdefault(kinds[quote.document_id], []).append(quote)
    return found


@pytest.mark.shared
def test_a_question_is_answered_from_three_kinds_of_source_or_more(engine: BlockingEngine) -> None:
    answer = engine.ask(QUESTION)
    found = kinds_of(answer)
    assert {"book", "research", "graph"} <= found.keys()
    for quotes in found.values():
        for quote in quotes:  # each citation is opened by its offsets, in the stored document
            document = engine.document(quote.document_id)
            assert document.text[quote.start : quote.end] == quote.quote
    assert {one.name: one.state for one in answer.sources if one.name in found} == dict.fromkeys(found, "found")
    assert answer.usage.model_calls == 0

    relations_are_quoted_as_such(answer)


def relations_are_quoted_as_such(answer: Answer) -> None:
    relations = {quote.id: quote.quote for quote in kinds_of(answer)["graph"]}
    stated = [one for one in answer.statements if set(one.evidence) & relations.keys()]
    assert stated
    for statement in stated:
        (name,) = statement.evidence
        assert statement.text == relations[name]  # letter by letter, worded by nobody
        assert (statement.verdict.label, statement.verdict.critic) == ("supported", "graph")
    assert any("Marfan syndrome" in text and "utosomal dominant" in text for text in relations.values())
