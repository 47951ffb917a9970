"""The command line in tests: a corpus of a few papers, what is typed, and what is printed."""

import atexit
import functools
import io
import json
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.faces.cli.app import main
from medground.home.settings import Settings

ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLES = ROOT / "src" / "medground" / "data" / "examples"
"""What `medground example` writes."""
Printed = Callable[..., tuple[int, str, str]]
Said = Callable[..., Any]
"""Gives what a command prints; see `tests/faces/cli/conftest.py`."""


def run(*words: str) -> int:
    """The exit status of `medground` with these words; what it prints goes where the process prints."""
    try:
        main([*words])
    except SystemExit as stopped:
        return stopped.code if isinstance(stopped.code, int) else 1
    return 0


@functools.cache
def _built(name: str, lines: str) -> Path:
    """A folder with a corpus, built once for all tests that use these papers."""
    place = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    file = place / f"{name}.jsonl"
    file.write_text(lines, encoding="utf-8")
    build(Library(place), name, find_inputs([file]))
    return place / "corpora" / name


def corpus_of(*papers: Mapping[str, object], name: str = "papers") -> None:
    """The corpus of these papers in the home folder, in place of any that it has."""
    folder = Library(Settings.load().home).folder_of(name)
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(_built(name, "\n".join(map(json.dumps, papers))), folder)


def type_in(monkeypatch: pytest.MonkeyPatch, content: str | bytes) -> None:
    """What the next command reads from standard input."""
    typed = content.encode() if isinstance(content, str) else content
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(typed), encoding="utf-8"))
