"""A contributor adds a source, an operator, a recipe and a reader: new files, and one registry line for each.

The toys are the examples of CONTRIBUTING.md, read from there, so that what it shows works.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import READERS, find_inputs
from medground.engine.blocking import BlockingEngine
from medground.errors import ConfigError, UsageError
from medground.home.registry import RECIPES, SOURCES
from medground.home.settings import Settings
from medground.sources.base import Source
from medground.testing import SourceContract
from medground.values.lookup import Lookup, PlainWords

GUIDE = Path(__file__).resolve().parent.parent.parent / "CONTRIBUTING.md"
QUESTION = "Does aspirin reduce the risk of stroke?"


@pytest.fixture
def toys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, ModuleType]]:
    """The examples of the guide as modules, registered as it says."""
    folder = tmp_path / "toys"
    folder.mkdir()
    blocks = re.findall(r"```python\n# (toy_\w+)\.py\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 4, "the guide shows a source, an operator, a recipe and a reader"
    for name, code in blocks:
        (folder / f"{name}.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setitem(SOURCES, "toy-notes", "toy_source:TOY")
    monkeypatch.setitem(RECIPES, "toy", "toy_recipe:TOY")
    yield {name: importlib.import_module(name) for name, _ in blocks}
    for name, _ in blocks:
        sys.modules.pop(name, None)


def settings(**options: Any) -> Settings:
    return Settings.load(options={"retrieval.corpora": ("papers",)} | options)


class TestToySource(SourceContract):
    """The guide's source passes the contract of every source."""

    lookups = (Lookup(asked=PlainWords(text="aspirin"), text="aspirin"),)
    nothing = Lookup(asked=PlainWords(text="xylophone"), text="xylophone")

    @pytest.fixture
    def make(self, toys: dict[str, ModuleType]) -> Callable[[], Source]:
        return lambda: toys["toy_source"].TOY.open(Settings.load())


def test_the_source_is_opened_by_name_with_its_own_settings(papers: Path, toys: dict[str, ModuleType]) -> None:
    with BlockingEngine(settings(**{"retrieval.sources": ("toy-notes",)})) as engine:
        assert "toy" in [source.name for source in engine._engine.sources]
    with pytest.raises(ConfigError, match=r"toy_notes\.speed \(from the options\): is not a setting"):
        Settings.load(options={"toy_notes.speed": 1})
    with pytest.raises(UsageError, match=r"unknown source 'best'; choose one of .*pubmed, .*toy-notes"):
        BlockingEngine(settings(**{"retrieval.sources": ("best",)}))


def test_the_recipe_runs_its_operator_and_has_its_own_settings(papers: Path, toys: dict[str, ModuleType]) -> None:
    with BlockingEngine(settings()) as engine:
        answer = engine.ask(QUESTION, recipe="toy")
        shorter = engine.ask(QUESTION, recipe="toy", settings={"toy.sentences": 1})
    assert (answer.recipe, answer.evidence[0].document_id) == ("toy", "PMID:1")
    assert "toy_pick" in answer.models
    assert answer.id != shorter.id
    with pytest.raises(ConfigError, match=r"toy\.sentences \(from the options\)"):
        Settings.load(options={"toy.sentences": 0})
    Settings.load(options={"model.operators.toy_pick": "keyless"})
    assert settings().hash == settings(**{"toy.sentences": 3}).hash, "it changes nothing of the others"
    mine = {"recipe.name": "toy"}
    assert settings(**mine).hash != settings(**mine, **{"toy.sentences": 3}).hash
    assert settings(**mine).hash == settings(**mine, **{"self_medrag.rounds": 5}).hash


def test_the_reader_reads_its_files(
    home: Path, tmp_path: Path, toys: dict[str, ModuleType], monkeypatch: pytest.MonkeyPatch
) -> None:
    import medground.corpus.readers.every as readers

    monkeypatch.setattr(readers, "READERS", {**READERS, "toy": toys["toy_reader"].TOY})
    file = tmp_path / "notes.toy"
    file.write_text("PMID:7|Aspirin|Aspirin helps.\nno bars here\n", encoding="utf-8")
    manifest = build(Library(home), "toys", find_inputs([file], "toy"))
    assert (manifest.counts.documents, manifest.counts.skipped) == (1, 1)
