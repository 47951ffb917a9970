"""`medground check` on the command line: kinds that fail, a baseline, files, the hook of pre-commit and the action."""

import json
import os
import subprocess
import sys
from io import BytesIO
from pathlib import Path

import pytest
import yaml
from command_line import Said
from docx import Document

ROOT = Path(__file__).parents[3]
PAPERS = [{"id": "PMID:1", "title": "Aspirin", "text": "Aspirin reduced the risk of stroke in adults with migraine."}]
TEXT = "A heading\n\nIt said that “aspirin doubled the risk of stroke” (PMID: 1). Nothing is cited here at all.\n"
WRONG = "fabricated_quote,altered_quote"


@pytest.fixture
def draft(papers: Path, here: Path) -> Path:
    """A text with a wrong quotation, and one without a fault."""
    (here / "clean.md").write_text("It said that “aspirin reduced the risk of stroke” (PMID: 1).\n", encoding="utf-8")
    (here / "draft.md").write_text(TEXT, encoding="utf-8")
    return here


def test_a_fault_exits_with_1_and_only_the_chosen_kinds_fail(draft: Path, said: Said) -> None:
    shown = said("check", "--refs=papers", "draft.md", code=1).out
    assert "draft.md:3:1: " in shown
    assert " quotation" in shown
    assert "2 sentences: " in shown.splitlines()[-1]
    said("check", "--refs=papers", "draft.md", "--fail-on", "number,retracted")
    said("check", "--refs=papers", "draft.md", "--fail-on", "none")
    said("check", "--refs=papers", "draft.md", "--fail-on", WRONG, code=1)
    said("check", "--refs=papers", "draft.md", "--fail-on", "not-checked", code=1)
    assert "not a kind of finding" in said("check", "--refs=papers", "draft.md", "--fail-on", "typos", code=2).err


def test_what_a_baseline_accepts_does_not_fail_and_what_is_new_does(draft: Path, said: Said) -> None:
    said("check", "--refs=papers", "draft.md", "--baseline", "known.json", "--write-baseline")
    (draft / "draft.md").write_text("New first line, without an end\n\n" + TEXT.replace(" said ", "\nsaid "), "utf-8")
    assert "(accepted)" in said("check", "--refs=papers", "draft.md", "--baseline", "known.json").out
    with (draft / "draft.md").open("a", encoding="utf-8") as file:
        file.write("\nAnd that “aspirin prevents baldness in dogs” (PMID: 1).\n")
    new = said("check", "--refs=papers", "draft.md", "--baseline", "known.json", code=1).out
    assert "; 1 accepted by the baseline" in " ".join(new.split())
    (draft / "known.json").write_text('{"a": 1}')
    assert "is not a baseline" in said("check", "--refs=papers", "draft.md", "--baseline", "known.json", code=2).err
    assert "--baseline FILE" in said("check", "--refs=papers", "draft.md", "--write-baseline", code=2).err
    assert "--write-baseline" in said("check", "--refs=papers", "draft.md", "--baseline", "gone.json", code=2).err


def test_files_for_readers_and_hosts_are_written_for_several_texts(draft: Path, said: Said) -> None:
    files = ("--html", "a.html", "--docx", "a.docx", "--sarif", "a.sarif")
    said("check", "--refs=papers", "draft.md", "clean.md", *files, code=1)
    page = (draft / "a.html").read_text(encoding="utf-8")
    assert page.index(">draft.md<") < page.index(">clean.md<")
    assert len(list(Document(str(draft / "a.docx")).comments)) == 3
    results = json.loads((draft / "a.sarif").read_text(encoding="utf-8"))["runs"][0]["results"]
    assert {one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for one in results} >= {"draft.md"}
    assert "there is no folder" in said("check", "--refs=papers", "draft.md", "--html", "gone/a.html", code=2).err


def test_a_word_document_gets_its_comments_in_a_copy(draft: Path, said: Said) -> None:
    word = Document()
    for line in TEXT.split("\n\n"):
        word.add_paragraph(line.strip())
    word.save(str(draft / "own.docx"))
    said("check", "--refs=papers", "own.docx", "--docx", "copy.docx", code=1)
    copy = Document(BytesIO((draft / "copy.docx").read_bytes()))
    assert [one.text for one in copy.paragraphs] == [one.text for one in word.paragraphs]
    assert len(list(copy.comments)) == 2
    assert len(list(Document(str(draft / "own.docx")).comments)) == 0
    assert "would be overwritten" in said("check", "--refs=papers", "own.docx", "--docx", "own.docx", code=2).err


def test_what_cannot_be_checked_exits_with_2_and_one_line(draft: Path, said: Said) -> None:
    (draft / "binary.md").write_bytes(b"\x00\x01\x02")
    (draft / "empty.md").write_text("")
    (draft / "long.md").write_text("word. " * 400_000)
    for words in (["binary.md"], ["empty.md"], ["long.md"], ["gone.md"], ["draft.md", "--refs=nowhere"]):
        told = said("check", "--refs=papers", *words, "--quiet", code=2)
        assert told.out == ""
        assert len(told.err.splitlines()) == 1


def test_the_hook_of_pre_commit_runs_on_files(draft: Path, said: Said) -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert {"id", "name", "entry", "language"} <= hook.keys()
    program, *words = hook["entry"].split()
    assert program == "medground"
    said(*words, "--refs", "papers", "draft.md", "clean.md", code=1)
    said(*words, "--refs", "papers", "--fail-on=retracted", "draft.md", "clean.md")


@pytest.mark.slow
def test_the_action_builds_the_papers_and_checks_the_texts(draft: Path, tmp_path: Path) -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    assert action["runs"]["using"] == "composite"
    step = action["runs"]["steps"][-1]
    assert not any("${{" in one.get("run", "") for one in action["runs"]["steps"])  # no input is read as a command
    (draft / "papers.jsonl").write_text("\n".join(map(json.dumps, PAPERS)), encoding="utf-8")
    (draft / "a b.md").write_text(TEXT, encoding="utf-8")
    (draft / "bin").mkdir()
    (draft / "bin" / "medground").write_text(f'#!/bin/sh\nexec {sys.executable} -m medground "$@"\n')
    (draft / "bin" / "medground").chmod(0o755)
    given = {"files": "draft.md\na b.md\n", "papers": "papers.jsonl", "arguments": f"--fail-on={WRONG}\n--json"}
    given["sarif"] = action["inputs"]["sarif"]["default"]
    environment = {name: given[place.split("inputs.")[1].split()[0]] for name, place in step["env"].items()}
    path = f"{draft / 'bin'}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", step["run"]],
        env={**os.environ, **environment, "PATH": path},
        cwd=draft,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert {one["file"] for one in json.loads(done.stdout[done.stdout.index("[") :])} == {"draft.md", "a b.md"}
    assert (draft / "medground.sarif").is_file()
