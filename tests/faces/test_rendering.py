"""An answer on a terminal: colours, widths and encodings that terminals have."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from plain_answer import plain_answer
from rich.console import Console
from rows import each_row

from medground.faces.cli.app import main
from medground.faces.cli.render import render
from medground.values.answer import Answer, SourceDocument
from medground.values.evidence import Evidence
from medground.values.question import Question
from medground.values.statement import Statement, Verdict

COMMAND = [sys.executable, "-c", "from medground.faces.cli.app import main; main()"]
QUESTION = "Does β-carotene reduce the risk of stroke?"
TEXT = "Aspirin “significantly” reduced the risk of stroke → β-carotene ≥ 5 µg did not reduce the risk, 中文."
ADDRESS = "https://example.org/a/long/address/that/does/not/fit/on/a/narrow/terminal?with=options&more=of-them"


@pytest.fixture
def papers(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A home with a corpus that no 8-bit terminal can show."""
    file = tmp_path / "papers.jsonl"
    paper = {"id": "DOC:1", "title": "Sjögren – “β-carotene” and stroke", "text": TEXT, "url": ADDRESS}
    file.write_text(json.dumps(paper), encoding="utf-8")
    with pytest.raises(SystemExit) as stopped:
        main(["corpus", "build", "papers", str(file), "--quiet"])
    assert not stopped.value.code
    capsys.readouterr()
    return home


def printed(home: Path, *words: str, encoding: str, columns: int = 80) -> str:
    environment = {**os.environ, "MEDGROUND_HOME": str(home), "PYTHONIOENCODING": encoding, "COLUMNS": str(columns)}
    done = subprocess.run([*COMMAND, *words], capture_output=True, env=environment, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode(encoding)


@pytest.mark.slow
@each_row("encoding", ["ascii", "latin-1", "utf-8"])
def test_any_terminal_encoding_shows_an_answer(papers: Path, encoding: str) -> None:
    ask = ("ask", "-q", "-c", "papers", QUESTION)
    shown = printed(papers, *ask, encoding=encoding)
    assert ("“" in shown) == (encoding == "utf-8")
    assert ("Sjögren" in shown) == (encoding != "ascii")
    assert ADDRESS in shown
    report = printed(papers, *ask, "--markdown", "--details", encoding=encoding)
    assert ("β" in report) == (encoding == "utf-8")
    answer = Answer.model_validate_json(printed(papers, *ask, "--json", encoding=encoding))
    assert answer.evidence[0].quote == TEXT
    trace = printed(papers, "trace", "show", answer.trace_id, "--text", encoding=encoding)
    assert "search corpus:papers" in trace
    spans = printed(papers, "trace", "show", answer.trace_id, "--json", encoding=encoding).splitlines()
    assert QUESTION in json.dumps([json.loads(span) for span in spans], ensure_ascii=False)


def test_a_terminal_has_colours_and_no_title() -> None:
    verdict = Verdict(label="contradicted", critic="m")
    answer = plain_answer(
        question=Question.ask("Does [red]it[/red] help?", task="yes-no"),
        rationale="It [bold]helps[/bold]. [E1]",
        statements=(Statement(text="It [bold]helps[/bold].", start=0, end=22, evidence=("E1",), verdict=verdict),),
        evidence=(Evidence(id="E1", document_id="X:1", start=0, end=3, quote="No."),),
        documents=(SourceDocument(id="X:1", title=":smile: [dim]T[/dim]", kind="web"),),
    )
    out = io.StringIO()
    render(answer, Console(file=out, width=80, force_terminal=True, color_system="standard"))
    shown = out.getvalue()
    assert shown.startswith("\x1b[1mNot judged\x1b[0m\n")
    assert "\x1b[31mContradicted by the cited text (m).\x1b[0m" in shown
    assert "It [bold]helps[/bold]. \x1b[36m[E1]\x1b[0m" in shown
    assert ":smile: [dim]T[/dim]" in shown
