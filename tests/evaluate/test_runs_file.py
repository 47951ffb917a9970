"""The file of a run: finished lines survive any interruption, and the run resumes or says why it cannot."""

import errno
import json
import os
import resource
from pathlib import Path
from typing import Any

import pytest
import runs
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from rows import each_row

from medground.errors import StorageFailed, UsageError
from medground_evaluate.items import RunHeader, RunLine, Tally
from medground_evaluate.run_file import RunFile, differences, read_run

SETTINGS = {"recipe": {"name": "rag", "batch": 5}, "model": {"default": "keyless", "concurrency": 8}}


def header(**changed: Any) -> RunHeader:
    known = {
        "settings": SETTINGS,
        "snapshots": {"papers": "dd"},
        "versions": {"medground": "0.1.0", "numpy": "2"},
        "started": "2026-01-01T00:00:00+00:00",
        "items": 3,
    }
    return runs.header(**known | changed)


def line(i: str, **changed: Any) -> RunLine:
    known = {"gold": "yes", "question": "Does é \U0001f9ea help?", "task": "yes-no", "status": "unreadable"}
    return runs.line(i, **known | changed)


def test_written_lines_are_read_and_not_repeated(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "run.jsonl"
    with RunFile(path, header()) as run:
        assert path.stat().st_mode & 0o077 == 0, "questions and answers are their owner's alone"
        run.append(line("a", status="answered", answer="yes"))
        run.append(line("b", error="no model"))
    with RunFile(path, header(started="2027-01-01")) as run:
        refused(UsageError, "being written by another run", lambda: RunFile(path, header()))
        assert run.done == {"a", "b"}
        assert (run.tally.right, run.tally.lines, run.tally.unfinished) == (1, 2, 1)
        run.append(line("c"))
    read, lines = read_run(path)
    assert read == header()
    assert [found.id for found in lines] == ["a", "b", "c"]


@given(cut=st.integers(min_value=1, max_value=2_000), junk=st.binary(max_size=40))
def test_a_file_truncated_anywhere_resumes(tmp_path_factory: pytest.TempPathFactory, cut: int, junk: bytes) -> None:
    path = begun(tmp_path_factory.mktemp("cut") / "run.jsonl", *"abc")
    whole = path.read_bytes()
    left = whole[: max(0, len(whole) - cut)]
    path.write_bytes(left + junk.replace(b"\n", b"?") if left else b"")
    kept = left.count(b"\n") - 1
    with RunFile(path, header()) as run:
        assert run.done == set("abc"[: max(0, kept)])
        for i in "abc":
            if i not in run.done:
                run.append(line(i))
    assert path.read_bytes() == whole


@each_row(
    ("changed", "shown"),
    [
        ({"dataset_hash": "ee"}, "dataset_hash was h, is ee"),
        ({"model": "openai:gpt-5"}, "model was keyless, is openai:gpt-5"),
        ({"limit": 10}, "limit was none, is 10"),
        ({"snapshots": {"papers": "ff"}}, "snapshots.papers was dd, is ff"),
        ({"prompts_hash": "ff"}, "prompts_hash was p, is ff"),
        ({"versions": {"medground": "0.2.0"}}, "medground was 0.1.0, is 0.2.0"),
        ({"settings": SETTINGS | {"recipe": {"name": "rag", "batch": 7}}}, "recipe.batch was 5, is 7"),
    ],
)
def test_another_run_is_refused_and_the_difference_shown(tmp_path: Path, changed: dict[str, Any], shown: str) -> None:
    path = begun(tmp_path / "run.jsonl", "a")
    before = path.read_bytes()
    with pytest.raises(UsageError) as refused:
        RunFile(path, header(**changed))
    assert shown in str(refused.value)
    quick = SETTINGS | {"model": {"default": "keyless", "concurrency": 99}}
    assert differences(header(), header(settings=quick, started="", items=9)) == {}
    assert "\n" not in str(refused.value)
    assert path.read_bytes() == before


def test_an_accepted_difference_is_recorded_and_a_mixture_of_recipes_never(tmp_path: Path) -> None:
    path = begun(tmp_path / "run.jsonl", "a")
    with RunFile(path, header(prompts_hash="ff"), ["prompts_hash"]) as run:
        run.append(line("b"))
    with RunFile(path, header(prompts_hash="ff")) as run:
        assert run.done == {"a", "b"}
    read, lines = read_run(path)
    assert read.accepted == ("prompts_hash was p, is ff",)
    assert [found.id for found in lines] == ["a", "b"]
    with pytest.raises(UsageError, match="recipe was rag, is ground"):
        RunFile(path, header(recipe="ground", prompts_hash="ff"), ["recipe"])


def begun(path: Path, *ids: str) -> Path:
    """A run's file with lines of these questions."""
    with RunFile(path, header()) as run:
        for i in ids:
            run.append(line(i))
    return path


def test_a_file_of_another_kind_is_left_alone_and_invalid_and_repeated_lines_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "notes.jsonl"
    for content in ('{"pmid": 1}\n', "<html>\n</html>\n{}\n"):
        path.write_text(content, encoding="utf-8")
        for read in (lambda: RunFile(path, header()), lambda: read_run(path)):
            refused(UsageError, "not a Medground run", read)
        assert path.read_text(encoding="utf-8") == content
    path = begun(tmp_path / "run.jsonl", "a", "b")
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([lines[0], "{broken", lines[2]]) + "\n", encoding="utf-8")
    refused(UsageError, r"run\.jsonl:2: this line is invalid", lambda: RunFile(path, header()))
    path.write_text("\n".join([*lines, lines[1]]) + "\n", encoding="utf-8")
    refused(UsageError, "'a' already has a line", lambda: RunFile(path, header()))


def test_the_tally_counts_every_item_and_exact_matches() -> None:
    tally = Tally(items=10)
    tally.add(line("a", status="answered", answer="yes"))
    tally.add(line("b", status="answered", answer="no"))
    tally.add(line("c", status="unreadable", error="rubbish", usage={"price": None}))
    tally.add(line("d", gold="no", status="budget"))
    assert tally.accuracy == 1 / 4
    assert tally.final.value == 1 / 10
    assert tally.majority == (("yes",), 3)
    assert tally.usage.price is None
    assert json.loads(line("a").model_dump_json())["status"] == "unreadable"
    assert line("e", status="lean", answer="yes").status == "answered"  # as an older run counted its estimates

    tally = Tally(items=4)
    for answer in ("A C", "C A", "A", "A B C"):
        tally.add(runs.line("x", "A C", answer, task="multiple-choice"))
    assert tally.right == 2


def test_lines_that_a_power_failure_left_as_zeros_are_asked_again_and_the_others_stay(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = begun(tmp_path / "run.jsonl", *"abcd")
    head, a, b, c, d = path.read_bytes().splitlines(keepends=True)
    half = c[:9] + bytes(len(c) - 9)
    path.write_bytes(head + a + bytes(len(b)) + half + d + bytes(50))
    with RunFile(path, header()) as run:
        assert run.done == {"a"}  # half a line has joined itself to the line after it
        run.append(line("c"))
    assert "are asked again" in caplog.text
    assert [found.id for found in read_run(path)[1]] == ["a", "c"]
    path.write_bytes(head + a + bytes(len(b)) + d)
    with RunFile(path, header()) as run:
        assert run.done == {"a", "d"}
    assert b"\0" not in path.read_bytes()


def test_nothing_follows_half_a_line_that_a_full_disk_left(tmp_path: Path) -> None:
    """Several items are asked at once: another may be finished after the one for which there was no space."""
    path = tmp_path / "run.jsonl"
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with RunFile(path, header()) as run:
        run.append(line("a"))
        resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 40, hard))
        try:
            refused(StorageFailed, "free some space", lambda: run.append(line("b")))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        run.append(line("c"))
    assert [found.id for found in read_run(path)[1]] == ["a", "c"]


def test_a_run_whose_lines_the_disk_did_not_take_does_not_end_as_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(handle: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with pytest.raises(StorageFailed, match="Input/output error"), RunFile(tmp_path / "run.jsonl", header()) as run:
        run.append(line("a"))
        monkeypatch.setattr(os, "fsync", refused)
    monkeypatch.undo()
    with RunFile(tmp_path / "run.jsonl", header()) as run:
        assert run.done == {"a"}
