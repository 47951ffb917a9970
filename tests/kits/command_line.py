"""The command line in tests: a corpus of a few papers, what is typed, and what is printed."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from medground.testing.command import run

Printed = Callable[..., tuple[int, str, str]]
Said = Callable[..., Any]
"""Gives what a command prints; see `tests/faces/conftest.py`."""


def corpus_of(*papers: Mapping[str, object], name: str = "papers") -> None:
    """Build a corpus of papers, from a file in the working folder."""
    Path(f"{name}.jsonl").write_text("\n".join(map(json.dumps, papers)), encoding="utf-8")
    assert run("corpus", "build", name, f"{name}.jsonl", "--quiet") == 0


def type_in(monkeypatch: pytest.MonkeyPatch, content: str | bytes) -> None:
    """What the next command reads from standard input."""
    typed = content.encode() if isinstance(content, str) else content
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(typed), encoding="utf-8"))


def asked(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    """What `medground ask --json` prints."""
    capsys.readouterr()
    assert run("ask", "-q", "--json", *words) == 0
    return json.loads(capsys.readouterr().out)


def printing(capsys: pytest.CaptureFixture[str]) -> Printed:
    """Runs the program, and gives its exit status, output and messages."""

    def typed(*words: str | Path) -> tuple[int, str, str]:
        capsys.readouterr()
        status = run(*map(str, words))
        return (status, *capsys.readouterr())

    return typed
