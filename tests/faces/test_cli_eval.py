"""`medground eval run` and `medground data` as a user sees them: interrupted in every way, resumed, refused."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rows import each_row

from medground.errors import UsageError
from medground.testing.command import run
from medground_evaluate.run_file import RunFile, read_run

COMMAND = [sys.executable, "-c", "from medground.faces.cli.app import main; main()"]
CONTEXT = "Aspirin number {n} significantly reduced the risk of stroke in adults. Bleeding rose in few of them."


@pytest.fixture
def data(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A set of 400 questions, each with its own document."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(json.dumps(_record(n)) + "\n" for n in range(400)), encoding="utf-8")
    return path


def _record(n: int) -> dict[str, object]:
    return {
        "id": f"q{n}",
        "question": f"Does aspirin number {n} reduce the risk of stroke?",
        "answer": "yes" if n % 3 else "no",
        "context": [{"id": f"PMID:{n + 1}", "title": "Aspirin", "text": CONTEXT.format(n=n)}],
    }


def words(data: Path, out: Path, *more: str) -> list[str]:
    return ["eval", "run", "jsonl", "--data", str(data), "--with-context", "--out", str(out), *more]


def started(arguments: list[str]) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    return subprocess.Popen(
        [*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )


def wait_for_lines(path: Path, count: int, process: subprocess.Popen[str]) -> None:
    until = time.monotonic() + 600
    while not path.exists() or path.read_bytes().count(b"\n") <= count:
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < until, f"{path} did not get {count} lines"
        time.sleep(0.002)


def test_a_run_ends_with_a_summary(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "run.jsonl"
    assert run(*words(data, out, "--limit", "6", "--seed", "1", "--concurrency", "2")) == 0
    captured = capsys.readouterr()
    for part in ("items     ", "of 6; 95 % Wilson", "always 'yes'", "statuses", "tokens", "seconds", "price", str(out)):
        assert part in captured.out
    assert "6/6" in captured.err
    header, lines = read_run(out)
    assert (header.limit, header.seed, header.with_context, header.items) == (6, 1, True, 6)
    assert all(line.trace and line.cited for line in lines)
    assert run(*words(data, out, "--limit", "6", "--seed", "1", "-q")) == 0
    assert captured.out == capsys.readouterr().out


def test_the_same_command_finds_its_own_file(data: Path, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["eval", "run", "jsonl", "--data", str(data), "--with-context", "--limit", "2", "-q"]
    assert run(*command) == 0
    assert run(*command) == 0
    assert run(*command, "--set", "recipe.batch=2") == 0
    assert len(list((home / "runs").glob("jsonl_test_ground_keyless_*.jsonl"))) == 2
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.slow
@each_row("how", [signal.SIGKILL, signal.SIGINT])
def test_no_finished_question_is_lost_however_a_run_ends(data: Path, tmp_path: Path, how: signal.Signals) -> None:
    out = tmp_path / "run.jsonl"
    with started(words(data, out, "--limit", "200")) as process:
        try:
            wait_for_lines(out, 3, process)
            process.send_signal(signal.SIGSTOP)  # so the run cannot finish before this process notices
            with pytest.raises(UsageError, match="being written by another run"):
                RunFile(out, read_run(out)[0])
            process.send_signal(how)
            process.send_signal(signal.SIGCONT)
            _, said = process.communicate(timeout=300)
        finally:
            process.kill()
    assert process.returncode != 0
    if how is signal.SIGINT:
        assert process.returncode == 130
        assert said.splitlines()[-1].endswith("run the same command to resume")
    before = [line.id for line in read_run(out)[1]]
    assert before
    with out.open("ab") as file:
        file.write(b'{"id":"q9')
    assert run(*words(data, out, "--limit", "200", "-q")) == 0
    after = [line.id for line in read_run(out)[1]]
    assert after[: len(before)] == before
    assert after == [f"q{n}" for n in range(200)]


@pytest.mark.slow
def test_a_second_ctrl_c_ends_it_at_once_and_without_a_traceback(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"
    process = started(words(data, out, "--concurrency", "16"))
    wait_for_lines(out, 3, process)
    for _ in range(2):
        process.send_signal(signal.SIGINT)
        time.sleep(0.1)
    _, said = process.communicate(timeout=300)
    assert process.returncode == 130
    assert "Traceback" not in said
    assert said.splitlines()[-1].endswith("run the same command to resume")
    assert len(list(read_run(out)[1])) >= 3


def test_another_run_is_refused_with_its_difference(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run.jsonl"
    assert run(*words(data, out, "--limit", "2", "-q")) == 0
    capsys.readouterr()
    assert run(*words(data, out, "--limit", "2", "--recipe", "rag", "--set", "recipe.batch=2")) == 2
    refused = capsys.readouterr().err
    assert "recipe was ground, is rag" in refused
    assert "recipe.batch was 5, is 2" in refused
    assert refused.count("\n") == 1
    data.write_text(data.read_text(encoding="utf-8").replace("stroke", "a stroke"), encoding="utf-8")
    assert run(*words(data, out, "--limit", "2")) == 2
    assert "--accept dataset_hash" in capsys.readouterr().err
    assert run(*words(data, out, "--limit", "3", "--accept", "dataset_hash")) == 2
    assert "limit was 2, is 3" in capsys.readouterr().err
    assert run(*words(data, out, "--limit", "2", "--accept", "dataset_hash", "-q")) == 0
    assert read_run(out)[0].accepted[0].startswith("dataset_hash was ")


@each_row(
    ("arguments", "message"),
    [
        (["eval", "run", "nothing", "--data", "mine.jsonl"], "unknown data set 'nothing'; available: bioasq"),
        (["eval", "run", "jsonl", "--data", "absent.jsonl"], "absent.jsonl does not exist"),
        (["eval", "run", "pubmedqa", "--data", "mine.jsonl", "--with-context"], "not a record of pubmedqa"),
        (["eval", "run", "jsonl", "--data", "mine.jsonl", "--with-context", "-c", "x"], "leave out --corpus"),
        (["eval", "run", "jsonl", "--data", "mine.jsonl", "--recipe", "best"], "unknown recipe 'best'"),
        (["eval", "run", "jsonl", "--data", "mine.jsonl", "--with-context", "--split", "dev"], "no question of split"),
        (["eval", "run", "jsonl", "--data", "mine.jsonl", "--limit", "0"], "--limit"),
        (["eval", "run", "jsonl", "--data", "mine.jsonl"], "no corpus is named for these questions"),
        (["demonstrations", "build", "x", "--from", "mine.jsonl"], "no corpus is named for these questions"),
        (["train", "planner", "explore", "--from", "mine.jsonl", "--out", "x"], "no corpus is named"),
        (["eval", "run", "jsonl"], "Missing option '--data'"),
        (["data", "check", "absent.jsonl"], "absent.jsonl does not exist"),
        (["data", "check", "mine.jsonl", "--set", "pubmedqa"], "mine.jsonl:1: not a record of pubmedqa"),
    ],
)
def test_a_mistake_is_one_line(
    data: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert run(*arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err
    assert captured.err.count("\n") == 1
    assert not list(data.parent.glob("**/runs/*.jsonl"))


def test_sets_are_listed_and_a_file_is_recognised(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("data", "list") == 0
    listed = capsys.readouterr().out
    for part in ("pubmedqa  PubMedQA", "licence: MIT", "evidence up to", "not tested on the set", "mimic-iv-ed"):
        assert part in listed
    assert run("data", "check", str(data)) == 0
    checked = capsys.readouterr().out
    assert checked.startswith("jsonl: 400 questions (test 400); yes-no-maybe 400\n    400 with their own documents")
    data.write_text(data.read_text(encoding="utf-8")[:-9], encoding="utf-8")
    assert run("data", "check", str(data)) == 2
    assert "mine.jsonl:400: the last line is truncated" in capsys.readouterr().err


def test_pubmedqa_through_the_command(
    home: Path, tmp_path: Path, shared: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run.jsonl"
    command = ["eval", "run", "pubmedqa", "--data", str(shared / "pubmedqa"), "--with-context", "--out", str(out)]
    assert run(*command, "--limit", "8", "-q", "--recipe", "rag") == 0
    header, lines = read_run(out)
    assert header.dataset_hash.startswith("a724b346")
    assert all(line.found == line.gold_documents for line in lines)
    assert "8" in capsys.readouterr().out
