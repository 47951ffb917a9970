"""A home with the papers of a test's module, and what commands print."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command_line import Printed, corpus_of, run


@pytest.fixture(autouse=True)
def _own_home(home: Path) -> None:
    """No command reaches the folder of whoever runs the tests."""


@pytest.fixture
def here(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, with an empty home."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def papers(request: pytest.FixtureRequest, home: Path, here: Path) -> Path:
    """A home with the corpus `papers`, which holds the `PAPERS` of the module."""
    corpus_of(*request.module.PAPERS)
    return home


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """What a command prints (`out`, `err`), once its exit status is the one expected."""

    def printed(*words: str | Path, code: int = 0) -> Any:
        capsys.readouterr()
        assert run(*map(str, words)) == code
        return capsys.readouterr()

    return printed


@pytest.fixture
def ask(said: Callable[..., Any]) -> Callable[..., Any]:
    """What `medground ask --json` prints."""
    return lambda *words: json.loads(said("ask", "-q", "--json", *words).out)


@pytest.fixture
def typed(capsys: pytest.CaptureFixture[str]) -> Printed:
    """Runs the program, and gives its exit status, output and messages."""

    def printed(*words: str | Path) -> tuple[int, str, str]:
        capsys.readouterr()
        status = run(*map(str, words))
        return (status, *capsys.readouterr())

    return printed
