"""What the command line writes: no character that a terminal would obey, any encoding, colours, and a clean end."""

import ast
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from command_line import Said, run
from plain_answer import plain_answer
from rich.console import Console
from rows import each_row

import medground.faces as faces
from medground.faces.cli.answers import render
from medground.faces.cli.terminal import Output, begin, console, count, guarded, page, say, say_json
from medground.language.clean import HIDDEN
from medground.values.answer import Answer, SourceDocument
from medground.values.evidence import Evidence
from medground.values.question import Question
from medground.values.statement import Statement, Verdict

EVIL = "\x1b]0;title\x07\x1b[2J\x9b31m \u202egnp\u202c \u2066x\u2069 a\u200db\nmedground: forged [bold red]"
PRINTERS = {"print", "input", "echo", "secho", "confirm", "prompt", "Console", "Progress", "Live"}


def test_only_terminal_prints() -> None:
    folder = Path(str(faces.__file__)).parent
    found = []
    for file in sorted(folder.rglob("*.py")):
        if file.name in ("terminal.py", "output.py") and file.parent.name == "cli":
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                name = node.func.id if isinstance(node.func, ast.Name) else ""
                owner = ""
                if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
                    name, owner = node.func.attr, node.func.value.id
                if name in PRINTERS and owner in ("", "typer", "click", "rich"):
                    found += [] if name == "confirm" and not owner else [f"{file.name}:{node.lineno} {name}"]
            elif isinstance(node, ast.Attribute) and node.attr in ("stdout", "stderr"):
                found.append(f"{file.name}:{node.lineno} {node.attr}")
    assert not found


def test_values_are_cleaned_and_stay_on_their_line(capsys: pytest.CaptureFixture[str]) -> None:
    with guarded(to_the_end=False):
        say(f"a {EVIL}")
        say(f"b {EVIL}", err=True)
        count(EVIL, ended=True)
        page("two\nlines")
        sys.stderr.write("\x1b[31mwarning\x9b\n")
    out, err = capsys.readouterr()
    assert not HIDDEN.search(out + err.replace("\r", ""))
    assert len(out.splitlines()) == 3
    assert "\nmedground: forged" not in out + err
    assert "[bold red]" in out


def test_json_keeps_its_data(capsys: pytest.CaptureFixture[str]) -> None:
    say_json(json.dumps({"text": EVIL + "\x7f\U000e0041"}, ensure_ascii=False))
    out = capsys.readouterr().out
    assert not HIDDEN.search(out)
    assert json.loads(out) == {"text": EVIL + "\x7f\U000e0041"}


def test_drawings_neither_obey_nor_uncover(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    with guarded(to_the_end=False):
        sys.stderr = Output(screen, is_error=True)
        status = console(err=True).status("", spinner="line")
        begin(status)
        sys.stderr.write("\x1b]8;;https://evil.example\x1b\\\x07name\n")
        status.stop()
    assert "name" in screen.getvalue()
    assert "\x1b]8" not in screen.getvalue()
    assert "\x07" not in screen.getvalue()


@each_row(
    "words",
    [
        [EVIL],
        ["show", EVIL],
        ["show", EVIL, "--debug"],
        ["ask", "-c", EVIL, "q"],
        ["corpus", "build", "x", f"none{EVIL}"],
        ["config", "show", "--set", f"model.default=openai:{EVIL}"],
    ],
)
def test_hostile_arguments(words: list[str], home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(*words)
    out, err = capsys.readouterr()
    assert not HIDDEN.search(out + err)
    assert "\nmedground: forged" not in out or "--debug" in words


def test_hostile_papers(here: Path, said: Said) -> None:
    paper = {"id": "D:1", "title": f"Aspirin {EVIL}", "text": f"Aspirin reduced stroke {EVIL}.", "authors": [EVIL]}
    folder = here / "papers"
    folder.mkdir()
    (folder / "a.jsonl").write_text(json.dumps(paper), encoding="utf-8")
    (folder / "evil\x1b]0;t\x07\u202e\n.jsonl").write_text("{not json", encoding="utf-8")
    (folder / os.fsdecode(b"raw\xff.txt")).write_text("Aspirin and stroke.", encoding="utf-8")
    words = "aspirin reduced stroke"
    for command in (
        ["corpus", "build", "p", folder],
        ["corpus", "info", "p"],
        ["corpus", "files", "p"],
        ["corpus", "search", "p", words],
        ["ask", "-c", "p", words],
        ["verify", "-c", "p", words],
    ):
        shown = said(*command)
        assert not HIDDEN.search(shown.out + shown.err), command
        assert "\nmedground: forged" not in shown.out + shown.err


CANNOT = b"medground: cannot write the output: No space left on device\n"


@each_row(
    ("line", "status", "said"),
    [("version >/dev/full", 1, CANNOT), ("show none 2>/dev/full", 2, b""), ("version <&- >&- 2>&-", 0, b"")],
)
def test_streams_that_are_full_or_closed(line: str, status: int, said: bytes, home: Path) -> None:
    if "/dev/full" in line and not Path("/dev/full").exists():
        return
    command = ["sh", "-c", f'exec "$0" -m medground {line}', sys.executable]
    done = subprocess.run(command, capture_output=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (status, said)


def test_a_reader_that_goes_away_ends_it_quietly(home: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "medground", "version"]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, timeout=120, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


QUESTION = "Does β-carotene reduce the risk of stroke?"
TEXT = "Aspirin “significantly” reduced the risk of stroke → β-carotene ≥ 5 µg did not reduce the risk, 中文."
ADDRESS = "https://example.org/a/long/address/that/does/not/fit/on/a/narrow/terminal?with=options&more=of-them"
PAPERS = ({"id": "DOC:1", "title": "Sjögren – “β-carotene” and stroke", "text": TEXT, "url": ADDRESS},)


@each_row("encoding", ["ascii", "utf-8"])
def test_any_terminal_encoding_shows_an_answer(papers: Path, monkeypatch: pytest.MonkeyPatch, encoding: str) -> None:
    def printed(*words: str) -> str:
        below = io.BytesIO()
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", io.TextIOWrapper(below, encoding=encoding))
            assert run(*words) == 0
            sys.stdout.flush()
            return below.getvalue().decode(encoding)

    ask = ("ask", "-q", "-c", "papers", QUESTION)
    shown = printed(*ask)
    assert ("“" in shown) == (encoding == "utf-8")
    assert ("Sjögren" in shown) == (encoding != "ascii")
    assert ADDRESS in shown
    assert ("β" in printed(*ask, "--markdown", "--details")) == (encoding == "utf-8")
    answer = Answer.model_validate_json(printed(*ask, "--json"))
    assert answer.evidence[0].quote == TEXT
    spans = printed("trace", "show", answer.trace_id, "--json").splitlines()
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
    assert shown.startswith("\x1b[1mWhat the sources say\x1b[0m\n")
    assert "\x1b[31m✗ Contradicted by the cited text (m).\x1b[0m" in shown
    assert "It [bold]helps[/bold]. \x1b[36m[E1]\x1b[0m" in shown
    assert ":smile: [dim]T[/dim]" in shown


def test_sentences_stay_in_sight_until_the_check_is_back() -> None:
    from medground.faces.cli.progress import StepLine
    from medground.values.steps import Judging, Written

    line, shown = StepLine(), list[str]()
    line._live = SimpleNamespace(update=lambda text: shown.append(str(text)))  # type: ignore[assignment]
    for step in (Written(text="It helps."), Written(text="It harms."), Judging(done=1, of=2)):
        line(step)
    first, second = (f"written, not checked yet: {text}" for text in ("It helps.", "It harms."))
    assert shown == [first, f"{first}\n{second}", f"{first}\n{second}\njudging statement 2 of 2"]
