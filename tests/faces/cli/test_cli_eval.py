"""`medground eval run` and `medground data` as a user sees them: interrupted in every way, resumed, refused."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command_line import Said, run
from rows import each_row, tables

from medground.errors import UsageError
from medground_evaluate.run_file import RunFile, read_run

TABLES = tables(__file__)

COMMAND = [sys.executable, "-c", "from medground.faces.cli.app import main; main()"]
CONTEXT = "Aspirin number {n} significantly reduced the risk of stroke in adults. Bleeding rose in few of them."


@pytest.fixture
def data(here: Path) -> Path:
    """A set of 40 questions, each with its own document."""
    path = here / "mine.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for n in range(40):
            question, answer = f"Does aspirin number {n} reduce the risk of stroke?", "yes" if n % 3 else "no"
            context = [{"id": f"PMID:{n + 1}", "title": "Aspirin", "text": CONTEXT.format(n=n)}]
            file.write(json.dumps({"id": f"q{n}", "question": question, "answer": answer, "context": context}) + "\n")
    return path


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


def test_a_run_ends_with_a_summary_and_finds_its_own_file(data: Path, home: Path, tmp_path: Path, said: Said) -> None:
    out = tmp_path / "run.jsonl"
    captured = said(*words(data, out, "--limit", "6", "--seed", "1", "--concurrency", "2"))
    for part in ("items     ", "of 6; 95 % Wilson", "always '", "statuses", "tokens", "seconds", "price", str(out)):
        assert part in captured.out
    assert "6/6" in captured.err
    header, lines = read_run(out)
    assert (header.limit, header.seed, header.with_context, header.items) == (6, 1, True, 6)
    assert all(line.trace and line.cited for line in lines)
    assert said(*words(data, out, "--limit", "6", "--seed", "1", "-q")).out == captured.out
    command = ["eval", "run", "jsonl", "--data", str(data), "--with-context", "--limit", "2", "-q"]
    for more in ((), (), ("--set", "recipe.batch=2")):
        said(*command, *more)
    assert len(list((home / "runs").glob("jsonl_test_ground_keyless_*.jsonl"))) == 2


@pytest.mark.slow
@each_row("how", [[signal.SIGKILL], [signal.SIGINT, signal.SIGINT]])
def test_no_finished_question_is_lost_however_a_run_ends(data: Path, tmp_path: Path, how: list[signal.Signals]) -> None:
    out = tmp_path / "run.jsonl"
    with started(words(data, out, "--limit", "30")) as process:
        try:
            wait_for_lines(out, 3, process)
            process.send_signal(signal.SIGSTOP)  # so the run cannot finish before this process notices
            with pytest.raises(UsageError, match="being written by another run"):
                RunFile(out, read_run(out)[0])
            for sent in how:
                process.send_signal(sent)
                process.send_signal(signal.SIGCONT)
                time.sleep(0.1)
            _, said = process.communicate(timeout=300)
        finally:
            process.kill()
    if signal.SIGINT in how:
        assert process.returncode == 130
        assert "Traceback" not in said
        assert said.splitlines()[-1].endswith("run the same command to resume")
    before = [line.id for line in read_run(out)[1]]
    assert len(before) >= 3
    with out.open("ab") as file:
        file.write(b'{"id":"q9')
    assert run(*words(data, out, "--limit", "30", "-q")) == 0
    after = [line.id for line in read_run(out)[1]]
    assert after[: len(before)] == before
    assert after == [f"q{n}" for n in range(30)]


@each_row(("arguments", "message"), TABLES["a_mistake_is_one_line"])
def test_a_mistake_is_one_line(data: Path, said: Said, arguments: list[str], message: str) -> None:
    captured = said(*arguments, code=2)
    assert captured.out == ""
    assert message in captured.err
    assert captured.err.count("\n") == 1
    assert not list(data.parent.glob("**/runs/*.jsonl"))


def test_sets_are_listed_and_a_file_is_recognised(data: Path, said: Said) -> None:
    listed = said("data", "list").out
    for part in ("pubmedqa  PubMedQA", "licence: MIT", "evidence up to", "not tested on the set", "mimic-iv-ed"):
        assert part in listed
    checked = said("data", "check", data).out
    assert checked.startswith("jsonl: 40 questions (test 40); yes-no-maybe 40\n    40 with their own documents")
    data.write_text(data.read_text(encoding="utf-8")[:-9], encoding="utf-8")
    assert "mine.jsonl:40: the last line is truncated" in said("data", "check", data, code=2).err
