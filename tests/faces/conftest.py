"""A home with the papers of a test's module, and what commands print."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command_line import corpus_of

from medground.testing.command import run


@pytest.fixture
def papers(request: pytest.FixtureRequest, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with the corpus `papers`, which holds the `PAPERS` of the module."""
    monkeypatch.chdir(tmp_path)
    corpus_of(*request.module.PAPERS)
    return home


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """What a command prints (`out`, `err`), once its exit status is the one expected."""

    def printed(*words: str, code: int = 0) -> Any:
        capsys.readouterr()
        assert run(*words) == code
        return capsys.readouterr()

    return printed
