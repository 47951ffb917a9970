"""`medground init`, `--version`, what the shell completes, and documents from a pipe."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import Said, corpus_of, type_in

from medground.corpus.library import Library
from medground.corpus.received import receive
from medground.errors import UsageError
from medground.faces.cli import options as complete
from medground.home.registry import RECIPES
from medground.home.settings import Settings, settings_file
from medground.testing.command import run

PAPER = {"id": "PMID:1", "title": "Aspirin", "text": "Aspirin significantly reduced the risk of stroke."}


def test_the_settings_file_has_every_setting_at_its_default_and_is_never_overwritten(here: Path, said: Said) -> None:
    before = Settings.load()
    assert "wrote medground.toml" in said("init").out
    assert Settings.load() == before
    written = settings_file()
    active = re.sub(r"(?m)^#(?=[a-z_]+ = )", "", written)
    assert active.count("\n") > 100
    (here / "all.toml").write_text(active, encoding="utf-8")
    read = Settings.load(file=here / "all.toml")
    for recipe in RECIPES:
        assert read.as_read_by(recipe) == before.as_read_by(recipe)
    shared = before.shown()
    assert {name: read.shown()[name] for name in shared} == shared
    for group, values in Settings.load(options={"recipe.name": "self-medrag"}).shown().items():
        for name in values if isinstance(values, dict) else ():
            assert re.search(rf"(?m)^(?:#{name} = |# {name}: )", written), f"{group}.{name}"
    (here / "medground.toml").write_text("# mine\n", encoding="utf-8")
    assert "already exists and was not changed" in said("init", code=2).err
    assert (here / "medground.toml").read_text(encoding="utf-8") == "# mine\n"
    assert "cannot write" in said("init", "-o", "missing/a.toml", code=2).err


def test_the_version_is_printed(said: Said) -> None:
    assert re.fullmatch(r"medground \d+\.\d+\.\d+\S*\n", said("--version").out)


INIT = """
import sys
sys.modules.update(dict.fromkeys(["httpx", "onnxruntime", "pydantic_ai"]))
from medground.faces.cli.app import app
for words in (["init"], ["--install-completion", "bash"]):  # the second ends the process
    app(words, prog_name="medground", standalone_mode=False)
"""


def test_init_needs_no_extra_and_completion_is_installed_below_the_users_folder(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", INIT],
        env={**os.environ, "HOME": str(tmp_path), "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "bash completion installed" in done.stdout
    (script_file,) = (tmp_path / ".bash_completions").iterdir()
    assert "_COMPLETE=complete_bash" in script_file.read_text(encoding="utf-8")
    assert "[retrieval]" in (tmp_path / "medground.toml").read_text(encoding="utf-8")


def test_names_are_completed(here: Path) -> None:
    assert complete.corpora("") == []
    corpus_of(PAPER)
    assert run("ask", "-q", "-c", "papers", "Does aspirin reduce the risk of stroke?") == 0
    assert complete.corpora("pa") == ["papers"]
    assert complete.recipes("self-m") == ["self-medrag"]
    assert "strict" in complete.presets("")
    assert complete.formats("b") == ["bibtex"]
    ((name, question),) = complete.answers("")
    assert question == "Does aspirin reduce the risk of stroke?"
    assert complete.answers(name[:8]) == [(name, question)]
    (here / "medground.toml").write_text("wrong = 1\n", encoding="utf-8")
    assert complete.corpora("") == []
    assert complete.answers("") == []


def test_a_corpus_is_built_from_a_pipe(here: Path, home: Path, monkeypatch: pytest.MonkeyPatch, said: Said) -> None:
    type_in(monkeypatch, gzip.compress(json.dumps(PAPER).encode()))
    assert run("corpus", "build", "papers", "-", "-q") == 0
    more = b"Statins lowered the risk of stroke in adults, as plain text."
    type_in(monkeypatch, more)
    assert run("corpus", "add", "papers", "-", "-q") == 0
    with Library(home).open("papers") as snapshot:
        assert snapshot.manifest.counts.documents == 2
    assert "- is given twice" in said("corpus", "build", "papers", "-", "-", code=2).err
    assert "Statins lowered" in said("ask", "-q", "-c", "papers", "Do statins lower the risk of stroke?").out


def test_what_came_from_a_pipe_stays_when_a_file_with_the_same_paper_goes(
    here: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    type_in(monkeypatch, b'{"id": "PMID:7", "text": "Short."}')
    assert run("corpus", "build", "papers", "-", "-q") == 0
    folder = here / "folder"
    folder.mkdir()
    (folder / "other.jsonl").write_text('{"id": "X:1", "text": "Another paper."}', encoding="utf-8")
    longer = folder / "longer.jsonl"
    longer.write_text('{"id": "PMID:7", "text": "The same paper at more length."}', encoding="utf-8")
    assert run("corpus", "sync", "papers", str(folder), "-q") == 0
    longer.unlink()
    assert run("corpus", "sync", "papers", str(folder), "-q") == 0
    with Library(home).open("papers") as snapshot:
        assert snapshot.documents(["PMID:7"])["PMID:7"].text == "Short."
    assert run("corpus", "build", "papers", str(folder), "-q") == 0
    assert not list((Library(home).folder_of("papers") / "incoming").iterdir())


def test_a_pipe_is_one_file_by_its_content(tmp_path: Path) -> None:
    first = receive(io.BytesIO(b'{"id": "X:1", "text": "a"}'), tmp_path)
    begun = first.stat().st_mtime_ns
    assert receive(io.BytesIO(b'{"id": "X:1", "text": "a"}'), tmp_path) == first
    assert first.stat().st_mtime_ns == begun, "a build that was stopped resumes"
    assert receive(io.BytesIO(b"Plain text."), tmp_path).suffix == ".txt"
    assert receive(io.BytesIO(b"\x00\x01"), tmp_path).suffix == ""
    with pytest.raises(UsageError, match="standard input is empty"):
        receive(io.BytesIO(b""), tmp_path)
    assert not list((tmp_path / "incoming").glob("*.partial"))
