"""Benchmarks start, and nothing is learned from what they measure with."""

import ast
import csv
import importlib
import json
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS, BENCHMARKS = ROOT / "scripts", ROOT / "benchmarks"
FOLDERS = (BENCHMARKS, SCRIPTS, ROOT / "src", ROOT / "tests" / "kits", ROOT / "tests" / "pubmed")
OPTIONAL = {"bm25s", "playwright"}
"""What a benchmark needs that the tests do not install."""
HELD = {path.name for path in BENCHMARKS.iterdir() if path.suffix in (".jsonl", ".tsv", ".json")}


def strings(path: Path) -> Iterator[str]:
    """The strings of a file of Python, without docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
            yield node.value


def imported(path: Path) -> Iterator[tuple[str, str]]:
    """The modules that a file imports, wherever in it, with each name that it takes from them."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from ((node.module, alias.name) for alias in node.names)


def found(module: str) -> Path | None:
    """The file of a module of this repository."""
    name = module.replace(".", "/")
    paths = (folder / file for folder in FOLDERS for file in (f"{name}.py", f"{name}/__init__.py"))
    return next((path for path in paths if path.is_file()), None)


@cache
def has(path: Path, name: str) -> bool:
    """Whether a module has a name: it binds it, imports it, or it is a module in its folder."""
    text = "".join(one.read_text(encoding="utf-8") for one in (path, path.with_suffix(".pyi")) if one.is_file())
    return (
        re.search(rf"\b{re.escape(name)}\b", text) is not None
        or (path.parent / f"{name}.py").is_file()
        or (path.parent / name).is_dir()
    )


def learners() -> set[Path]:
    """Every script, and the benchmarks that it borrows functions from."""
    found, waiting = set[Path](), [*SCRIPTS.rglob("*.py")]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            borrowed = (BENCHMARKS / f"{module}.py" for module, _ in imported(path))
            waiting += [one for one in borrowed if one.is_file()]
    return found


def test_no_script_reads_a_file_that_benchmarks_measure_with() -> None:
    read = {(path.name, held) for path in learners() for text in strings(path) for held in HELD if held in text}
    assert HELD and not read


def test_no_question_is_learned_from_and_measured_with() -> None:
    learned, measured = ({one.casefold() for one in questions(folder)} for folder in (SCRIPTS, BENCHMARKS))
    assert len(learned) > 500 and len(measured) > 300 and not learned & measured


def test_what_benchmarks_and_scripts_import_is_there() -> None:
    missing = {
        f"{path.name}: {module} {name}"
        for path in (*BENCHMARKS.glob("*.py"), *SCRIPTS.rglob("*.py"))
        for module, name in imported(path)
        if (module.startswith("medground") and not found(module)) or ((file := found(module)) and not has(file, name))
    }
    assert missing == set()


@pytest.mark.slow
def test_every_benchmark_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(BENCHMARKS), *sys.path])
    wrong = {}
    for path in sorted(BENCHMARKS.glob("*.py")):
        try:
            importlib.import_module(path.stem)
        except ImportError as error:
            if error.name not in OPTIONAL:
                wrong[path.name] = str(error)
    assert wrong == {}


def questions(folder: Path) -> Iterator[str]:
    for path in (*folder.glob("*.jsonl"), *folder.glob("*questions.tsv")):
        lines = path.read_text(encoding="utf-8").splitlines()
        table = path.suffix == ".tsv"
        rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE) if table else map(json.loads, lines)
        yield from (row[column] for row in rows for column in ("question", "former") if column in row)
