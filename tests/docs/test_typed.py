"""A user's project beside the installed package: their type checkers accept every public call and find each slip."""

import ast
import contextlib
import importlib
import inspect
import os
import pydoc
import re
import rlcompleter
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest
from command_line import run

import medground

ROOT = Path(__file__).resolve().parents[2]
PROJECT = Path(__file__).parent / "user_project"
PYRIGHT = ROOT / "tests" / "kits" / "pyright" / "node_modules" / "pyright" / "index.js"
UNNAMED = ("__init__", "__call__")
"""Methods that a user calls without their names."""
NOT_USED = {"EngineCall"}
"""Exported for signatures that a program of others may have to write."""
ROOMS = ("answering", "corpus", "engine", "home", "models", "recipes", "values", "wording")


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment in which Medground is installed, as a wheel installs it."""
    place = tmp_path_factory.mktemp("theirs")
    venv.create(place, symlinks=True)
    packages = Path(sysconfig.get_path("purelib", "venv", {"base": str(place)}))
    (packages / "others.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    for name in ("medground", "medground_evaluate"):
        shutil.copytree(ROOT / "src" / name, packages / name, ignore=unread)
    return place / "bin" / "python"


def unread(folder: str, names: list[str]) -> list[str]:
    """What no type checker reads."""
    return [name for name in names if Path(folder, name).is_file() and not name.endswith((".py", ".pyi", "py.typed"))]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project, with a package of the user's own in it."""
    place = tmp_path_factory.mktemp("project")
    shutil.copytree(PROJECT, place, dirs_exist_ok=True)
    with contextlib.chdir(place):
        assert run("plugin", "new", "toy") == 0
    return place


def slips() -> set[tuple[str, int]]:
    lines = (PROJECT / "slips.py").read_text(encoding="utf-8").splitlines()
    return {("slips.py", number) for number, line in enumerate(lines, start=1) if line.endswith("# slip")}


def errors(project: Path, command: list[str | Path], line: str) -> set[tuple[str, int]]:
    """Where a checker finds errors in the project."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    return {(Path(file).name, int(number)) for file, number in re.findall(line, done.stdout, re.MULTILINE)}


@pytest.mark.slow
def test_mypy_accepts_a_users_project_and_finds_each_slip(python: Path, project: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mypy", "--python-executable", python, "--cache-dir", tmp_path, "."]
    assert errors(project, command, r"^(\S+?):(\d+): error") == slips()


@pytest.mark.slow
@pytest.mark.skipif(
    not (shutil.which("node") and PYRIGHT.exists()), reason="needs node, and npm ci in tests/kits/pyright"
)
def test_pyright_accepts_a_users_project_and_finds_each_slip(python: Path, project: Path) -> None:
    found = errors(project, ["node", PYRIGHT, "--pythonpath", python, "."], r"^ +(\S+?):(\d+):\d+ - error")
    assert found >= slips()
    assert {file for file, _ in found} == {"slips.py"}


def test_the_users_project_has_every_public_call() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in PROJECT.glob("*.py"))
    named = {node.attr for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Attribute)}
    kinds = [kind for name in medground.__all__ if isinstance(kind := getattr(medground, name), type)]
    assert {name for kind in kinds for name in calls_of(kind)} - NOT_USED <= named
    assert set(medground.__all__) - NOT_USED <= {*re.findall(r"\w+", text)}


def test_dir_help_and_tab_show_what_is_exported() -> None:
    for package in (medground, medground.engine, importlib.import_module("medground.values")):
        assert dir(package) == sorted(package.__all__)
    shown = pydoc.plain(pydoc.render_doc(medground))
    named = {*medground.__all__} - {"__version__"}  # it is told in its own words
    assert [name for name in named if not re.search(rf"\b{name}\b", shown)] == []
    assert (
        rlcompleter.Completer({"medground": medground}).complete("medground.Blocking", 0) == "medground.BlockingEngine("
    )
    code = "import sys, medground; print(dir(medground)); print(*(name for name in sys.modules if 'medground' in name))"
    shown, loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert "'ask'" in shown
    assert set(loaded.split()) == {"medground", "medground.values", "medground.values.exports"}


def calls_of(kind: type) -> Iterator[str]:
    """The public methods and properties that a class has from us."""
    for name, found in inspect.getmembers_static(kind):
        function = found.fget if isinstance(found, property) else getattr(found, "__func__", found)
        if isinstance(function, FunctionType) and function.__module__.startswith("medground") and name[0] != "_":
            yield name


@cache
def read(module: str) -> tuple[ast.Module, dict[str, str]]:
    """A module of ours, and where each type comes from that it may name."""
    tree = ast.parse(inspect.getsource(importlib.import_module(module)))
    known = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("medground"):
            known |= {alias.name: f"{node.module}" for alias in node.names}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            known[node.name] = module
        elif isinstance(node, ast.Assign) and not re.search(r"= (?:TypeVar|ParamSpec)\(", ast.unparse(node)):
            known |= {target.id: module for target in node.targets if isinstance(target, ast.Name)}
    return tree, known


def types_in(module: str, annotations: list[ast.expr | None]) -> Iterator[tuple[str, str]]:
    """Types of ours in annotations of a module, with their modules."""
    known = read(module)[1]
    for node in (inner for one in annotations if one is not None for inner in ast.walk(one)):
        text = node.id if isinstance(node, ast.Name) else node.value if isinstance(node, ast.Constant) else None
        if text in known:
            yield text, known[text]


def signature(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.expr | None]:
    given = node.args
    arguments = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    return [*(argument.annotation for argument in arguments if argument is not None), node.returns]


def named_by(what: Any, *, fields: bool = False) -> Iterator[tuple[str, str]]:
    """The types that the signatures of a function or class name; or else those of the fields of a class."""
    kinds = [kind for kind in what.__mro__ if kind.__module__.startswith("medground")] if isinstance(what, type) else []
    for owner in kinds or [what]:
        nodes = ast.walk(read(owner.__module__)[0])
        node: Any = next(one for one in nodes if getattr(one, "name", "") == owner.__name__)
        for part in node.body if kinds else [node]:
            if isinstance(part, ast.AnnAssign) and fields and not ast.unparse(part.target).startswith("_"):
                yield from types_in(owner.__module__, [part.annotation])
            name = getattr(part, "name", "_")
            hidden = name.startswith("_") and name not in UNNAMED
            covered = isinstance(what, type) and getattr(what, name, None) is not getattr(owner, name, None)
            if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef) and not (fields or hidden or covered):
                yield from types_in(owner.__module__, signature(part))


def test_types_that_public_signatures_name_are_exported_and_those_of_fields_by_a_room() -> None:
    public = {name: getattr(medground, name) for name in medground.__all__}
    rooms = (importlib.import_module(f"medground.{name}") for name in ROOMS)
    everywhere = {*public, *dir(medground.errors), *(name for room in rooms for name in dir(room))}
    for name, what in public.items():
        if isinstance(what, type | FunctionType):
            assert {one for one in named_by(what) if one[0] not in public} == set(), name
            assert {one for one in named_by(what, fields=True) if one[0] not in everywhere} == set(), name
