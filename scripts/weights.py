"""Learned files: made by one command in one order, and checked to be what the code of today would make.

    python scripts/weights.py --check
    python scripts/weights.py --make [NAME ...] [--home HOME] [--work FOLDER]
    python scripts/weights.py --keep NAME ... --reason TEXT

`weights.toml` says what is learned, from what, and in which order; `weights.json` records of each file its hash, and
the hashes of all that made it: the data, files that it rests on, and the code that makes its features. That is the
script, what it imports of `scripts` and `benchmarks`, the modules of `medground.answering`, `medground.checking` and of
`medground.models.operators` that these name, and every module of `medground.language` and `medground.pubmed` that is
reached from there, with the word lists and tables that they read. Comments, docstrings and line breaks do not count.
How the search and the engine work is not recorded, though readers and gates learn from what they find.

`--check` (seconds; without `../shared/data` the hashes of data are left out) fails where a file is not the recorded
one, or something that made it has changed. `--make` makes what fails, or what is named, and what rests on a file that
came out otherwise; HOME has MiniLM and the corpora of `asked`, FOLDER keeps what a cut run has found. `--keep` records
that a stale file is not made again and why: it stays stale, but fails only when something changes again.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tokenize
import tomllib
from collections.abc import Iterator, Mapping, Sequence, Set
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT.parent / "shared" / "data"
RECIPES = Path(__file__).with_name("weights.toml")
RECORDS = Path(__file__).with_name("weights.json")
SCRIPTS = ("scripts/", "benchmarks/")
FOLLOWED = (*SCRIPTS, "src/medground/language/", "src/medground/pubmed/")
"""Files of these count wherever they are imported."""
NAMED = ("src/medground/answering/", "src/medground/checking/", "src/medground/models/operators/")
"""Files of these count only where a script names them."""
TABLES = (".txt", ".toml", ".tsv", ".json", ".jsonl", ".npz", ".tsv.gz", ".txt.gz", "")
"""How the names of files end that code names in a string."""
_NAME = re.compile(r"[\w. -]{3,60}")
DEPENDENCIES = ("numpy", "scipy", "scikit-learn", "lightgbm", "tantivy")
SHOWN = 12
"""Lines of what a script printed that are recorded, and digits of a hash."""

Record = Mapping[str, Any]


# What made a file


def digest(path: Path, named: Set[str] = frozenset()) -> str:
    """The hash of a file; of Python code, of what is neither comment, docstring nor white space.

    Of a TOML file that has nothing but tables, those count that the code names.
    """
    content = path.read_bytes()
    if path.suffix == ".py":
        content = _code(content.decode("utf-8")).encode()
    elif path.suffix == ".toml":
        tables = tomllib.loads(content.decode("utf-8"))
        whole = not all(isinstance(table, dict) for table in tables.values())
        content = json.dumps({name: tables[name] for name in tables if whole or name in named}, sort_keys=True).encode()
    return hashlib.sha256(content).hexdigest()[:SHOWN]


def _code(text: str) -> str:
    """Python code without comments, docstrings and white space."""
    lines = text.splitlines(keepends=True)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            assert node.end_lineno
            lines[node.lineno - 1 : node.end_lineno] = [""] * (node.end_lineno - node.lineno + 1)
    return re.sub(r"\s", "", "".join(lines))


def made_by(recipe: Record) -> dict[str, str]:
    """The hash of each file of the project that makes a learned file; a file that is made later counts for nothing."""
    files = [one["file"] for one in recipes().values()]
    later = files[files.index(recipe["file"]) :]
    found, waiting = set[str](), [recipe["script"], *recipe.get("inputs", ())]
    while waiting:
        name = waiting.pop()
        if name not in found and name not in later:
            found.add(name)
            waiting += _imported(name) | _read(name) if name.endswith(".py") else ()
    named = frozenset().union(*(_strings(name) for name in found if name.endswith(".py")))
    return {name: digest(ROOT / name, named) for name in sorted(found)}


@cache
def _imported(name: str) -> frozenset[str]:
    """The files that a file imports, of those that count."""
    counted = (*FOLLOWED, *NAMED) if name.startswith(SCRIPTS) else FOLLOWED
    modules = set[str]()
    for node in ast.walk(ast.parse((ROOT / name).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            modules |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    paths = (f"{folder}{module.replace('.', '/')}.py" for module in modules for folder in ("src/", *SCRIPTS))
    return frozenset(path for path in paths if path.startswith(counted) and (ROOT / path).is_file())


@cache
def _strings(name: str) -> frozenset[str]:
    """The strings of a file of code that may name something."""
    tree = ast.parse((ROOT / name).read_text(encoding="utf-8"))
    values = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return frozenset(value for value in values if isinstance(value, str) and _NAME.fullmatch(value))


@cache
def _read(name: str) -> frozenset[str]:
    """The tables and word lists that a file names in a string, beside it or among the data that ship."""
    path = ROOT / name
    rooms = [path.parent, *path.parent.parents[: len(path.relative_to(ROOT).parts) - 2]]
    folders = [*(room for room in rooms if room != ROOT / "src"), ROOT / "src" / "medground" / "data"]
    files = (folder / f"{string}{ending}" for folder in folders for string in _strings(name) for ending in TABLES)
    return frozenset(
        str(file.relative_to(ROOT))
        for file in files
        if file.is_file() and file.suffix != ".py" and file not in (RECIPES, RECORDS)
    )


@cache
def recipes() -> Mapping[str, Record]:
    """What `weights.toml` says of each learned file, in the order in which they are made."""
    return tomllib.loads(RECIPES.read_text(encoding="utf-8"))


def read_by(recipe: Record) -> dict[str, str]:
    """The hash of each file of the shared data that is learned from; empty where the data are not here."""
    return {name: digest(DATA / name) for name in recipe["data"]} if DATA.is_dir() else {}


# Checking


def changes(recipe: Record, record: Record) -> list[str]:
    """What of all that made a file is not as it was."""
    now, before = made_by(recipe), record["made by"]
    found = [name for name in sorted(now.keys() | before.keys()) if now.get(name) != before.get(name)]
    return [*found, *(name for name, value in read_by(recipe).items() if record["data"].get(name) != value)]


def state(recipe: Record, record: Record | None) -> tuple[bool, str]:
    """Whether a learned file passes, and what is said of it."""
    if record is None:
        return False, "not recorded: make it"
    if digest(ROOT / recipe["file"]) != record["sha256"]:
        return False, f"{recipe['file']} is not the file that was recorded: make it"
    if not (changed := changes(recipe, record)):
        return True, f"as the code makes it, {record['made']}"
    told = f"stale since {record['made']}: {_listed(changed)} changed"
    told = told if record["made by"] else "stale: made before it was recorded"
    kept = record.get("kept")
    if not kept:
        return False, f"{told}: make it"
    if since := changes(recipe, kept):
        return False, f"{told}; {_listed(since)} since it was kept: make it, or keep it again"
    return True, f"{told}; kept, because {kept['reason']}"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def check() -> int:
    """Print the state of each learned file; 1 if one does not pass."""
    records = recorded()
    states = {name: state(recipe, records.get(name)) for name, recipe in recipes().items()}
    for name, (passes, told) in states.items():
        print(f"{'ok ' if passes else 'BAD'} {name}: {told}")
    return 0 if all(passes for passes, _ in states.values()) else 1


# Making


def make(names: Sequence[str], home: Path, work: Path) -> None:
    """Make the named files, or those that do not pass, each after what it rests on, and record each."""
    made = set[str]()
    work.mkdir(parents=True, exist_ok=True)
    for name, recipe in recipes().items():
        rests = made.intersection(made_by(recipe))
        wanted = name in names or rests or (not names and not state(recipe, recorded().get(name))[0])
        if not wanted or not recipe["options"]:
            continue
        folders = {"data": str(DATA), "home": str(home), "work": str(work)}
        command = [sys.executable, str(ROOT / recipe["script"]), *(one.format(**folders) for one in recipe["options"])]
        print(" ".join(command), flush=True)
        environment = os.environ | {"MEDGROUND_HOME": str(home), "PYTHONPATH": str(ROOT / "src")}
        before = digest(ROOT / recipe["file"])
        ran = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True)
        if digest(ROOT / recipe["file"]) != before:
            made.add(recipe["file"])
        note(name, recipe, ran.stdout.strip().splitlines()[-SHOWN:])


def note(name: str, recipe: Record, printed: Sequence[str]) -> None:
    """Record a file that was just made."""
    record = {
        "file": recipe["file"],
        "sha256": digest(ROOT / recipe["file"]),
        "made": datetime.now(UTC).date().isoformat(),
        "with": dict(_versions()),
        "printed": [line.replace(f"{ROOT}/", "")[:200] for line in printed],
        "data": read_by(recipe),
        "made by": made_by(recipe),
    }
    _write(recorded() | {name: record})


def keep(names: Sequence[str], reason: str) -> None:
    """Record that stale files are not made again, and why."""
    records = recorded()
    for name in names:
        recipe = recipes()[name]
        kept = {"reason": reason, "data": read_by(recipe), "made by": made_by(recipe)}
        here = {
            "file": recipe["file"],
            "sha256": digest(ROOT / recipe["file"]),
            "data": {},
            "made by": {},
            "made": None,
        }
        records[name] = {**records.get(name, here), "kept": kept}
    _write(records)


def _versions() -> Iterator[tuple[str, str]]:
    for name in DEPENDENCIES:
        try:
            yield name, version(name)
        except PackageNotFoundError:
            continue


def recorded() -> dict[str, Record]:
    """What `weights.json` has, by the names of `weights.toml`."""
    return dict(json.loads(RECORDS.read_text(encoding="utf-8"))) if RECORDS.exists() else {}


def _write(records: Mapping[str, Record]) -> None:
    RECORDS.write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")


def main() -> int:
    """Check, make or keep."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--check", action="store_true")
    what.add_argument("--make", nargs="*", metavar="NAME")
    what.add_argument("--keep", nargs="+", metavar="NAME")
    parser.add_argument("--reason")
    parser.add_argument("--home", type=Path, default=Path("~/.medground").expanduser())
    parser.add_argument("--work", type=Path, default=Path("weights-work"))
    given = parser.parse_args()
    if unknown := {*(given.make or ()), *(given.keep or ())} - recipes().keys():
        parser.error(f"not in {RECIPES.name}: {', '.join(sorted(unknown))}; it has {', '.join(recipes())}")
    if given.check:
        return check()
    if given.keep:
        if not given.reason:
            parser.error("say with --reason why it is not made again")
        keep(given.keep, given.reason)
    elif not DATA.is_dir():
        parser.error(f"there is nothing to learn from: {DATA} is missing")
    else:
        make(given.make, given.home, given.work)
    return check()


if __name__ == "__main__":
    sys.exit(main())
