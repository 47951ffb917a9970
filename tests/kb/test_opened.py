"""A knowledge base is opened by its name, and says what each of its sources holds."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from rows import each_row

from medground.corpus.build import add, build
from medground.corpus.library import Library
from medground.corpus.manifest import read_manifest
from medground.corpus.readers import find_inputs
from medground.engine.blocking import BlockingEngine
from medground.engine.open_sources import open_sources
from medground.errors import UsageError
from medground.graph.bases.record import Base, Bases
from medground.home.settings import Settings
from medground.sources.base import DescribedSource
from medground.values.source_plan import SourceDescription

BOOK = SourceDescription(name="book", kind="book", about="Chapters.", licence="CC BY 4.0", origin="the test")


@pytest.fixture
def library(home: Path, tmp_path: Path) -> Library:
    (tmp_path / "heart.txt").write_text("The heart pumps blood. Aspirin thins it.", encoding="utf-8")
    library = Library(home)
    build(library, "omni.book", find_inputs([tmp_path / "heart.txt"]), described=BOOK)
    return library


def test_the_description_is_in_the_manifest_and_survives_an_addition(library: Library, tmp_path: Path) -> None:
    (tmp_path / "lung.txt").write_text("The lung takes up oxygen.", encoding="utf-8")
    assert library.info("omni.book").described == BOOK
    add(library, "omni.book", find_inputs([tmp_path / "lung.txt"]))
    assert library.info("omni.book").described == BOOK


def test_a_manifest_from_before_there_were_descriptions_still_opens(library: Library) -> None:
    folder = library.current("omni.book")
    content = read_manifest(folder).model_dump(mode="json")
    content.pop("described")
    sums = hashlib.sha256(json.dumps(content, sort_keys=True, ensure_ascii=False).encode()).hexdigest()
    (folder / "manifest.json").write_text(json.dumps({"checksum": sums, **content}), encoding="utf-8")
    with library.open("omni.book") as snapshot:
        assert snapshot.described is None


def test_a_base_is_opened_by_name_in_place_of_the_starter_corpus(library: Library, home: Path) -> None:
    Bases(home).write(Base(name="omni", sources=("book",)))
    settings = Settings.load(options={"retrieval.knowledge_base": "omni"})
    with BlockingEngine(settings) as engine:
        assert [one.source for one in engine.search("heart").searches] == ["corpus:omni.book"]
        assert engine.search("heart").hits
    [source] = open_sources(settings)
    assert isinstance(source, DescribedSource)
    assert source.described == BOOK


def test_a_corpus_that_is_named_replaces_the_base_of_the_settings(library: Library, home: Path) -> None:
    build(library, "mine", find_inputs([library.folder.parent.parent / "heart.txt"]))
    settings = Settings.load(options={"retrieval.knowledge_base": "omni"})
    with BlockingEngine(settings, corpora="mine") as engine:
        assert [one.source for one in engine.search("heart").searches] == ["corpus:mine"]


def test_a_half_built_or_unknown_base_is_not_opened(library: Library, home: Path) -> None:
    Bases(home).write(Base(name="omni", pending=("book", "wiki"), spec="kb.toml"))
    with pytest.raises(UsageError, match=r"half-built; finish it with medground kb build kb\.toml"):
        BlockingEngine(Settings.load(options={"retrieval.knowledge_base": "omni"}))
    with pytest.raises(UsageError, match=r"no knowledge base 'onmi' \(existing: omni\)"):
        BlockingEngine(Settings.load(options={"retrieval.knowledge_base": "onmi"}))


@each_row("name", ["../omni", "a/b", "", ".", "Omni", "o" * 32])
def test_a_name_with_a_path_in_it_is_refused(home: Path, name: str) -> None:
    with pytest.raises(UsageError, match="not a name of a knowledge base"):
        Bases(home).find(name)
