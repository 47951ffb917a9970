"""The structure of the program, measured on its code: its rooms, the arrows between them, and one question's way.

    python scripts/architecture.py check            # fails where the structure breaks a rule; run by the tests
    python scripts/architecture.py rooms            # a line for each room: files, lines, and what it imports
    python scripts/architecture.py budgets          # each budget: its figure, its ceiling, its target
    python scripts/architecture.py way [--write]    # the modules that one question runs through; draws the picture

The rules: a room imports only rooms below it; no circle of more than two files; no function of more than 60 lines;
evaluation uses a room by the names that it exports; no figure is above its ceiling in `BUDGETS`.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import threading
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SRC = ROOT / "src"
PAGE = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- drawn by scripts/architecture.py -->", "<!-- end -->"
QUESTION = "Is ectopia lentis a feature of Marfan syndrome?"
ROOMS = (
    *("medground.version", "medground.values", "medground.home", "medground.pubmed"),
    *("medground.language", "medground.corpus", "medground.graph", "medground.sources", "medground.models"),
    *("medground.answering", "medground.checking", "medground.recipes", "medground.wording", "medground.engine"),
    "medground",
    "medground.integrations",
    *("medground.doctor", "medground.faces", "medground.testing", "medground.__main__", "medground_evaluate"),
)
"""From the lowest to the highest. `medground` itself is the package's front door."""
LONGEST_FUNCTION = 60
LARGEST_CIRCLE = 2

BUDGETS = {
    "Python tokens": (762_464, 620_000),  # 25,000 of `medground check`, which may add 15,000; 4,700 of new files
    "KB written by hand": (301, 330),
    "files that decide the first line": (28, 10),
    "lines that decide the first line": (4_801, 2_200),
    "places that read a question": (4, 1),
}
"""The ceiling and the target of each. A ceiling is the figure of its day: lower it with the figure, never raise it.
They were raised all the same: tokens by 3,843 for workbooks, slides, e-books and saved pages, then by 4,503 for
packages of others, one vocabulary on every face, a server's log and what chat clients order; lines by 8, for what
points back.
"""
COUNTED = {tokenize.NAME, tokenize.OP, tokenize.NUMBER, tokenize.STRING}
WRITTEN = {".toml", ".txt", ".tsv", ".sql", ".yaml", ".yml"}
FIRST_LINE = ROOT / "scripts" / "first_line.txt"
"""The modules that decide the first line of a quoted answer, as `way --write` measures them."""
DECIDING = (
    *("medground.language", "medground.answering.rank", "medground.answering.read", "medground.answering.write"),
    *("medground.answering.conclude", "medground.recipes"),
)
"""Where modules may decide it. What a person at risk sees first is a promise of its own."""
NOT_DECIDING = "medground.language.risk"
READS = "reading_of"
QUOTED = "Does aspirin reduce the risk of stroke?"
PAPERS = (
    {"id": "PMID:1", "title": "Aspirin and stroke", "text": "Aspirin reduced the risk of stroke in 500 adults."},
    {"id": "PMID:2", "title": "Ibuprofen and pain", "text": "Ibuprofen relieved pain in most adults."},
)


def modules() -> dict[str, Path]:
    """Every module of the packages, by its dotted name."""
    found = {}
    for path in sorted(SRC.rglob("*.py")):
        parts = path.relative_to(SRC).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def room(module: str) -> str:
    """The room of a module: the longest name that fits. Errors are values that are raised."""
    if module == "medground.errors":
        return "medground.values"
    return max((name for name in ROOMS if f"{module}.".startswith(f"{name}.")), key=len)


def imports(tree: ast.AST, known: dict[str, Path]) -> Iterator[str]:
    """The modules of ours that a file imports, wherever in the file: also late, and for types alone."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module in known:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in known else node.module for name in names)


Arrows = dict[str, set[str]]
"""The modules that each module imports."""


def circles(arrows: Arrows) -> Iterator[list[str]]:
    """Modules that import each other, also by way of others."""
    reached: Arrows = {}
    for module in arrows:
        seen, waiting = set[str](), [module]
        while waiting:
            new = arrows[waiting.pop()] - seen
            seen |= new
            waiting += new
        reached[module] = seen
    left = set(arrows)
    for module in sorted(arrows):
        circle = sorted(other for other in reached[module] if module in reached[other])
        if len(circle) > 1 and left.issuperset(circle):
            left -= set(circle)
            yield circle


def not_exported(tree: ast.Module) -> Iterator[str]:
    """What a file imports from `medground` past the errors and the names that its rooms export, in their stubs."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith("medground."):
            stub = SRC.joinpath(*str(node.module).split("."), "__init__.pyi")
            names = (
                stub.read_text(encoding="utf-8").split() if stub.exists() and str(node.module).count(".") < 2 else []
            )
            if node.module != "medground.errors":
                yield from (f"{node.module}.{alias.name}" for alias in node.names if alias.name not in names)


def problems(arrows: Arrows, trees: dict[str, ast.Module]) -> Iterator[str]:
    """One line for each breach of a rule."""
    rank = {name: number for number, name in enumerate(ROOMS)}
    for one, other in sorted((one, other) for one, others in arrows.items() for other in others):
        if rank[room(one)] < rank[room(other)]:
            yield f"{one} imports {other}: {room(one)} is below {room(other)}"
    for circle in circles(arrows):
        if len(circle) > LARGEST_CIRCLE:
            yield f"a circle of {len(circle)} files: {', '.join(circle)}"
    for module, tree in trees.items():
        if module.startswith(ROOMS[-1]):
            yield from (f"{module} imports {name}, which no room exports" for name in not_exported(tree))
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                if length > LONGEST_FUNCTION:
                    yield f"{module}.{node.name} has {length} lines"


def figures(known: dict[str, Path], trees: dict[str, ast.Module]) -> dict[str, int]:
    """The figure of each budget."""
    tokens = 0
    for path in known.values():
        with path.open("rb") as code:
            tokens += sum(token.type in COUNTED for token in tokenize.tokenize(code.readline))
    beside = (path for path in SRC.rglob("*") if path.suffix in WRITTEN and "built" not in path.parts)
    first_line = [known[name] for name in FIRST_LINE.read_text(encoding="utf-8").split() if name in known]
    calls = (node for tree in trees.values() for node in ast.walk(tree) if isinstance(node, ast.Call))
    return {
        "Python tokens": tokens,
        "KB written by hand": sum(path.stat().st_size for path in beside) // 1024,
        "files that decide the first line": len(first_line),
        "lines that decide the first line": sum(
            len(path.read_text(encoding="utf-8").splitlines()) for path in first_line
        ),
        "places that read a question": sum(isinstance(one.func, ast.Name) and one.func.id == READS for one in calls),
    }


def over_budget(measured: dict[str, int]) -> Iterator[str]:
    """One line for each figure above its ceiling."""
    for name, figure in measured.items():
        ceiling, target = BUDGETS[name]
        if figure > ceiling:
            yield f"{name}: {figure:,}, above the ceiling of {ceiling:,} (target {target:,}); take something out"


def table(known: dict[str, Path], arrows: Arrows) -> Iterator[str]:
    """A line for each room."""
    files = Counter(room(module) for module in known)
    lines: Counter[str] = Counter()
    for module, path in known.items():
        lines[room(module)] += len(path.read_text(encoding="utf-8").splitlines())
    below = {(room(one), room(other)) for one, others in arrows.items() for other in others}
    for name in ROOMS:
        others = " ".join(
            other.removeprefix("medground.") for other in ROOMS if other != name and (name, other) in below
        )
        yield f"{name:28} {files[name]:4} files {lines[name]:7,} lines  -> {others}"
    yield f"{'all':28} {files.total():4} files {lines.total():7,} lines"


def above(frame: Any) -> Iterator[tuple[str, str]]:
    """File and function of each frame above one."""
    while (frame := frame.f_back) is not None:
        yield frame.f_code.co_filename, frame.f_code.co_name


def deciding(known: dict[str, Path]) -> list[str]:
    """The modules that decide the first line: of the rooms in `DECIDING`, those that a second question runs through.

    The first loads what is loaded once. Keyless, over two papers.
    """
    from medground.faces.cli.app import main

    of_file = {str(path): module for module, path in known.items()}
    called: set[str] = set()

    def watch(frame: Any, event: str, _: object) -> None:
        if event == "call" and (module := of_file.get(frame.f_code.co_filename)) is not None:
            called.add(module)

    def ask() -> None:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
            main(["ask", "-c", "papers", QUOTED])

    with tempfile.TemporaryDirectory() as home:
        papers = Path(home) / "papers.jsonl"
        papers.write_text("\n".join(map(json.dumps, PAPERS)), encoding="utf-8")
        os.environ["MEDGROUND_HOME"] = home
        build = [sys.executable, "-m", "medground", "corpus", "build", "papers", str(papers)]
        subprocess.run(build, check=True, capture_output=True)
        ask()
        threading.setprofile(watch)
        sys.setprofile(watch)
        try:
            ask()
        finally:
            threading.setprofile(None)
            sys.setprofile(None)
    return sorted(
        name
        for name in called
        if any(f"{name}.".startswith(f"{room}.") for room in DECIDING) and not name.startswith(NOT_DECIDING)
    )


def way(known: dict[str, Path]) -> tuple[list[tuple[str, str]], set[tuple[str, str]]]:
    """The calls of `medground ask`, keyless, over the starter corpus: in the order in which each pair is first met.

    Returns:
        calls between rooms, and arrows between modules.
    """
    from medground.faces.cli.app import main

    of_file = {str(path): module for module, path in known.items()}
    order: dict[tuple[str, str], None] = {}
    pairs: set[tuple[str, str]] = set()

    def watch(frame: Any, event: str, _: object) -> None:
        if event != "call" or (module := of_file.get(frame.f_code.co_filename)) is None:
            return
        callers = [file for file in above(frame) if file[0] in of_file]
        if not callers or any(name == "<module>" for _, name in callers):  # what a module calls as it is loaded
            return
        caller = of_file[callers[0][0]]
        if caller != module and frame.f_code.co_name != "<module>":
            pairs.add((caller, module))
            if room(caller) != room(module):
                order.setdefault((room(caller), room(module)))

    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "MEDGROUND_HOME": home}
        subprocess.run(
            [sys.executable, "-m", "medground", "ask", QUESTION], env=environment, check=True, capture_output=True
        )
        os.environ["MEDGROUND_HOME"] = home
        threading.setprofile(watch)  # of the threads that the engine starts
        sys.setprofile(watch)
        try:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
                main(["ask", QUESTION])
        finally:
            threading.setprofile(None)
            sys.setprofile(None)
    return list(order), pairs


def picture(calls: list[tuple[str, str]]) -> str:
    """The calls between rooms, as a Mermaid flow chart, numbered in the order in which they are first made.

    Left out are calls of values, which every room makes, and calls back: of what a higher room handed down.
    """
    calls = [(one, other) for one, other in calls if other != ROOMS[1] and ROOMS.index(one) > ROOMS.index(other)]
    names = {name: name.removeprefix("medground.") for call in calls for name in call}
    drawn = [f"  {names[one]} -- {number} --> {names[other]}" for number, (one, other) in enumerate(calls, start=1)]
    return "\n".join(["```mermaid", "flowchart TD", *drawn, "```"])


def main() -> int:
    """Run the command that is named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", choices=("check", "rooms", "budgets", "way"))
    parser.add_argument(
        "--write",
        action="store_true",
        help="keep the picture (docs/architecture.md) and the modules (scripts/first_line.txt)",
    )
    given = parser.parse_args()
    known = modules()
    if given.command == "way":
        calls, pairs = way(known)
        first_line = (
            "\n".join(deciding(known)) + "\n"
        )  # after `way`, which shall see what is loaded by a first question
        print(f"one question runs through {len({m for pair in pairs for m in pair})} modules, {len(pairs)} arrows")
        if given.write:
            before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
            PAGE.write_text(f"{before}{BEGIN}\n{picture(calls)}\n{END}{rest.partition(END)[2]}", encoding="utf-8")
            FIRST_LINE.write_text(first_line, encoding="utf-8")
        else:
            print(f"{picture(calls)}\nthe first line is decided by:\n{first_line}", end="")
        return 0
    trees = {module: ast.parse(path.read_text(encoding="utf-8")) for module, path in known.items()}
    arrows = {module: set(imports(tree, known)) - {module} for module, tree in trees.items()}
    measured = figures(known, trees)
    if given.command == "budgets":
        for name, figure in measured.items():
            ceiling, target = BUDGETS[name]
            print(f"{name:34} {figure:9,}   ceiling {ceiling:9,}   target {target:9,}")
        return 0
    breaches = [*problems(arrows, trees), *over_budget(measured)]
    found = breaches if given.command == "check" else list(table(known, arrows))
    print("\n".join(found) if found else "the structure keeps its rules")
    return 1 if given.command == "check" and found else 0


if __name__ == "__main__":
    sys.exit(main())
