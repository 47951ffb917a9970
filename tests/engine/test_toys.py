"""A stranger adds a source, an operator, a recipe, a reader, a data set and a critic by a package of their own.

The toys are the package that `medground plugin new` writes and CONTRIBUTING.md shows, built and installed by pip.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import pytest
from command_line import run

from medground.corpus.readers import base
from medground.engine.blocking import BlockingEngine
from medground.errors import ConfigError, UsageError, UserMistake
from medground.home import registry
from medground.home.settings import Settings
from medground.sources.base import Source
from medground.testing import SourceContract
from medground.values.document import Passage
from medground.values.lookup import Lookup, PlainWords

ROOT = Path(__file__).resolve().parent.parent.parent
CODE = "medground_toy.dataset:DATASET"
Toys = Callable[[str], ModuleType]
NOTE = "Aspirin is an old drug."
NOT_SEARCHING = "model-only"
"""It answers from what a model remembers."""
QUESTION = "Does aspirin reduce the risk of stroke?"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package as it is written."""
    with contextlib.chdir(tmp_path_factory.mktemp("written")):
        assert run("plugin", "new", "toy") == 0
        return Path("medground-toy").absolute()


@pytest.fixture(scope="module")
def installed(written: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pip installs it."""
    place = tmp_path_factory.mktemp("installed")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(place), str(written)]
    has_backend = importlib.util.find_spec("hatchling") is not None
    alone = ["--no-index", "--no-build-isolation"] if has_backend else []
    done = subprocess.run([*command, *alone], capture_output=True, text=True, check=False)
    if done.returncode and not has_backend:
        pytest.skip("hatchling is not installed, and no package index has it")
    assert done.returncode == 0, done.stderr
    return place


@pytest.fixture
def folder(installed: Path, tmp_path: Path) -> Path:
    """The installed package, for a test that may change it."""
    return Path(shutil.copytree(installed, tmp_path / "toys"))


@pytest.fixture
def toys(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Toys]:
    """Loads the modules of the package, which is installed for this process."""
    monkeypatch.syspath_prepend(str(folder))
    forget()
    yield importlib.import_module
    forget()


def forget() -> None:
    """As in a process that was just started."""
    registry.installed.cache_clear()
    base.joined.cache_clear()
    registry.given.clear()
    registry.trusted.clear()
    for name in [name for name in sys.modules if name.startswith("medground_toy")]:
        del sys.modules[name]


def test_the_guide_shows_what_is_written(written: Path) -> None:
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    shown = dict(re.findall(r"```(?:python|toml)\n# (\w+\.\w+)\n(.*?)```", guide, re.DOTALL))
    files = [written / "pyproject.toml", *(one for one in written.glob("src/*/*.py") if one.stat().st_size)]
    assert shown == {one.name: one.read_text(encoding="utf-8") for one in files}
    assert len(shown) == 7


@pytest.mark.slow
def test_the_tests_that_are_written_pass(written: Path, installed: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(installed), str(ROOT / "src")])}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(written)]
    done = subprocess.run(command, cwd=written, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert re.search(r"\d\d passed", done.stdout)


def test_a_package_has_the_parts_that_are_named_and_takes_no_name_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("plugin", "new", "my-files", "--part", "reader") == 0
    places = {str(one.relative_to(tmp_path / "medground-my-files")) for one in tmp_path.rglob("*") if one.is_file()}
    module, tests = "src/medground_my_files", {"tests/conftest.py", "tests/test_reader.py"}
    assert places == {"pyproject.toml", f"{module}/__init__.py", f"{module}/reader.py"} | tests
    points = (tmp_path / "medground-my-files" / "pyproject.toml").read_text(encoding="utf-8").partition("entry")[2]
    assert points == '-points."medground.readers"]\nmy-files = "medground_my_files.reader:READER"\n'
    for name, wrong in (
        ("my-files", "medground-my-files is there already and was not changed"),
        ("ground", "Medground has something named 'ground' itself"),
        ("txt", "Medground has something named 'txt' itself"),
        ("../x", r"'\.\./x' cannot be the name of a package"),
    ):
        capsys.readouterr()
        assert run("plugin", "new", name) == 2
        assert re.match(f"medground: {wrong}; choose|medground: {wrong}; use", capsys.readouterr().err)


def settings(**options: Any) -> Settings:
    return Settings.load(options={"retrieval.corpora": ("papers",)} | options)


class TestToySource(SourceContract):
    """The guide's source passes the contract of every source."""

    lookups = (Lookup(asked=PlainWords(text="aspirin"), text="aspirin"),)
    nothing = Lookup(asked=PlainWords(text="xylophone"), text="xylophone")

    @pytest.fixture
    def make(self, toys: Toys) -> Callable[[], Source]:
        return lambda: toys("medground_toy.source").SOURCE.open(Settings.load())


@pytest.mark.slow
def test_the_command_line_uses_an_installed_package(
    papers: Path, folder: Path, toys: Toys, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = [sys.executable, "-m", "medground", "ask", "-q", "--json", "-c", "papers", "--source", "toy-notes"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT / "src")])}
    words = ["--recipe", "toy", "--set", "toy_notes.shout=true", QUESTION]
    answer = json.loads(subprocess.run([*command, *words], env=environment, capture_output=True, check=True).stdout)
    assert answer["recipe"] == "toy"
    assert {quote["document_id"] for quote in answer["evidence"]} == {"PMID:1"}
    assert {search["source"] for search in answer["searches"]} == {"corpus:papers", "toy-notes"}
    assert "toy_pick" in answer["models"]
    quiz = tmp_path / "quiz.jsonl"
    quiz.write_text(json.dumps({"id": "1", "ask": QUESTION, "say": "yes"}), encoding="utf-8")
    notes = tmp_path / "notes.toy"
    notes.write_text("PMID:7|Aspirin|Aspirin helps.\nno bars here\n", encoding="utf-8")

    def printed(*words: str | Path) -> str:
        assert run(*map(str, words)) == 0
        return capsys.readouterr().out

    claim = ("verify", "-c", "papers", "--set", "verify.critic=toy-words", "Aspirin causes stroke in adults.")
    assert "(toy-words): no passage has these words" in printed(*claim)
    told = printed("doctor")
    for name in ("source toy-notes", "recipe toy", "reader toy", "dataset toy-quiz", "critic toy-words"):
        assert re.search(rf"ok +added {name} +medground_toy\.\w+:\w+ of medground-toy 1\.0", told), told
    assert "toy-quiz: 1 questions" in printed("data", "check", quiz)
    asked = ("eval", "run", "toy-quiz", "--data", quiz, "--recipe", "toy", "-c", "papers", "-q")
    assert re.search(r"items +1\n", printed(*asked, "--out", tmp_path / "run.jsonl"))
    assert "toys: 1 document" in printed("corpus", "build", "toys", notes, "-q")


@pytest.mark.parametrize("recipe", ["toy", *(name for name in registry.RECIPES if name != NOT_SEARCHING)])
def test_every_recipe_searches_a_source_that_takes_plain_words(
    home: Path, toys: Toys, capsys: pytest.CaptureFixture[str], recipe: str
) -> None:
    assert run("ask", "-q", "--json", "--source", "toy-notes", "--recipe", recipe, "Is aspirin an old drug?") == 0
    answer = json.loads(capsys.readouterr().out)
    assert {(quote["document_id"], quote["quote"]) for quote in answer["evidence"]} == {("NOTE:1", NOTE)}
    assert {search["source"] for search in answer["searches"]} == {"toy-notes"}


async def test_servers_offer_what_is_installed_and_load_no_code_that_a_request_names(papers: Path, toys: Toys) -> None:
    httpx2, mcp = pytest.importorskip("httpx2"), pytest.importorskip("mcp")
    from medground.faces.api.server import make_app
    from medground.faces.mcp.server import make_server
    from medground.faces.service.service import Service

    used = settings(**{"serve.sources": ("toy-notes",)})
    async with Service.open(used) as service:
        transport = httpx2.ASGITransport(make_app(service, authenticated=False), raise_app_exceptions=False)
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
            asked = {"question": QUESTION, "recipe": "toy", "sources": ["toy-notes"], "corpora": ["papers"]}
            assert (await client.post("/v1/ask", json=asked)).json()["recipe"] == "toy"
            for refused in ({"recipe": CODE}, {"sources": [CODE]}, {"model": CODE}):
                assert (await client.post("/v1/ask", json=asked | refused)).status_code == 422
        async with mcp.Client(make_server(service), mode="auto") as agent:
            for recipe in ("toy", CODE):
                found = await agent.call_tool("ask", {"question": QUESTION, "recipe": recipe})
                assert found.is_error == (recipe == CODE)
    for name in ("recipe.name", "retrieval.reranker", "verify.critic", "model.default"):
        with pytest.raises(UserMistake):
            BlockingEngine(used.with_options({name: CODE}))  # as from a request or a kept answer
    assert "medground_toy.dataset" not in sys.modules


def test_module_and_name_stand_for_an_entry_point_where_the_user_names_them(
    papers: Path, toys: Toys, capsys: pytest.CaptureFixture[str]
) -> None:
    words = (
        "ask",
        "-q",
        "-c",
        "papers",
        "--source",
        "medground_toy.source:SOURCE",
        "--recipe",
        "medground_toy.recipe:RECIPE",
        QUESTION,
    )
    assert run(*words, "--set", "verify.critic=medground_toy.critic:CRITIC") == 0
    assert "Recipe: toy," in capsys.readouterr().out
    forget()
    toys("medground_toy.source")
    assert run("ask", "--again", "last") == 2
    assert "write module:NAME in settings" in capsys.readouterr().err
    for name, value, wrong in (
        ("recipe.name", "nosuch:TOY", "recipe 'nosuch:TOY' cannot be loaded: No module named 'nosuch'; install it"),
        (
            "recipe.name",
            "medground_toy.recipe:NO",
            "'medground_toy.recipe:NO' cannot be loaded: .* has no attribute 'NO'",
        ),
        ("recipe.name", "medground_toy.source:SOURCE", "SOURCE is not a Recipe, but SourceDeclaration"),
        ("retrieval.sources", ("medground_toy.source:NOTE",), "medground_toy.source:NOTE is not a SourceDeclaration"),
        ("retrieval.reranker", "medground_toy.source:NOTE", "is not a Reranker"),
        ("model.default", "medground_toy.source:NOTE", "is not a Model"),
        ("retrieval.sources", ("best",), r"unknown source 'best'; choose one of .*pubmed, .*toy-notes"),
    ):
        with pytest.raises(UserMistake, match=wrong):
            BlockingEngine(settings(**{name: value}))


def test_sections_of_the_toys_are_settings_and_count_where_they_are_read(papers: Path, toys: Toys) -> None:
    for key, value in (("toy_notes.speed", 1), ("toy.sentences", 0)):
        with pytest.raises(ConfigError, match=rf"{key} \(from the options\)"):
            Settings.load(options={key: value})
    Settings.load(options={"model.operators.toy_pick": "keyless"})
    assert settings().hash == settings(**{"toy.sentences": 3}).hash, "it changes nothing of the others"
    mine = {"recipe.name": "toy"}
    assert settings(**mine).hash != settings(**mine, **{"toy.sentences": 3}).hash
    assert settings(**mine).hash == settings(**mine, **{"self_medrag.rounds": 5}).hash
    with BlockingEngine(settings(**{"retrieval.sources": ("toy-notes",)})) as engine:
        assert "toy-notes" in [source.name for source in engine._engine.sources]
        answers = [engine.ask(QUESTION, recipe="toy", settings={"toy.sentences": number}) for number in (1, 2)]
    assert answers[0].id != answers[1].id


def test_a_program_passes_objects(papers: Path, toys: Toys, scripted_model: type) -> None:
    class Shortest:
        name = "shortest"
        asked: ClassVar[list[str]] = []

        def score(self, question: str, passages: Sequence[Passage]) -> list[float]:
            self.asked.append(question)
            return [1 / len(passage.text) for passage in passages]

    pick = toys("medground_toy.operator").PickOutput
    model = scripted_model({"toy_pick": lambda value: pick(chosen=(value.evidence[0].id,))}, name="mine")
    source = toys("medground_toy.source").Notes(shout=False)
    with BlockingEngine(
        settings(), sources=[source], recipe=toys("medground_toy.recipe").RECIPE, reranker=Shortest()
    ) as engine:
        assert engine._engine.sources[-1] is source
        assert engine.ask(QUESTION).recipe == "toy"
        assert engine.ask(QUESTION, recipe="ground").evidence
    with BlockingEngine(settings(), sources=[source]) as engine:
        for recipe in (toys("medground_toy.recipe").RECIPE, "medground_toy.recipe:RECIPE"):
            assert engine.ask(QUESTION, recipe=recipe).recipe == "toy"
    assert Shortest.asked
    picked = settings(**{"model.operators.toy_pick": "mine"})
    with BlockingEngine(picked, model=model, critic=toys("medground_toy.critic").CRITIC) as engine:
        answer = engine.ask(QUESTION, recipe="toy", model="keyless")
    assert answer.models["toy_pick"] == "mine"
    for wrong in ({"sources": [print]}, {"recipe": Shortest()}, {"critic": Shortest}, {"nothing": 1}):
        with pytest.raises(UsageError, match=r"is not a \w+; docs|an engine takes no 'nothing'"):
            BlockingEngine(settings(), **wrong)


def test_a_broken_package_says_so_and_hinders_nothing_else(
    papers: Path, folder: Path, toys: Toys, caplog: pytest.LogCaptureFixture
) -> None:
    (folder / "medground_toy" / "recipe.py").write_text("import nothing_of_this_name", encoding="utf-8")
    with pytest.raises(ConfigError, match="recipe 'toy' of the package medground-toy cannot be loaded: No module"):
        BlockingEngine(settings(**{"recipe.name": "toy"}))
    with BlockingEngine(settings(**{"model.operators.check": "keyless"})) as engine:
        assert engine.ask(QUESTION).recipe == "ground"
    # Another test may have made a key of the name of the program, which no log shows then.
    assert re.search(r"recipe 'toy' of the package \S+-toy cannot be loaded", caplog.text)
