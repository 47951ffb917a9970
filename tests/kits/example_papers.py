"""The papers and questions of `examples/papers`, and the command line that reads them."""

from __future__ import annotations

from pathlib import Path

import pytest

from medground.faces.cli.app import main

EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples"
PAPERS = EXAMPLES / "papers" / "papers.jsonl"
QUESTIONS = EXAMPLES / "papers" / "questions.jsonl"


def run(*words: str | Path) -> None:
    """Run a command of the command line, which has to succeed."""
    with pytest.raises(SystemExit) as ended:
        main([str(word) for word in words])
    assert ended.value.code == 0, words
