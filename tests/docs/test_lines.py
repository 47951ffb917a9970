"""Every line of the README and of docs/ that shows a command runs as it is printed.

Lines of `console` and `sh` blocks run in a shell, in their order, over the real data; `stand_ins.py` says what replaces
models and services that are not on this machine. Indented lines and code in the text have placeholders such as FILE: of
these the command, its options and their values are checked, without running it.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import typer
from typer.exceptions import TyperException

from medground.faces.cli.app import app

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(console|sh|python)\n(.*?)^```", re.MULTILINE | re.DOTALL)
OK = (0, 3)
"""3: the question is unanswerable, which is an answer."""
MEDGROUND = """#!{python}
import sys
sys.path.insert(0, {here!r})
import stand_ins
stand_ins.install()
from medground.faces.cli.app import main
main()
"""
PIP = """#!{python}
import re, sys, tomllib
extras = tomllib.load(open({project!r}, "rb"))["project"]["optional-dependencies"]
wanted = re.findall(r"\\[(.*?)\\]", " ".join(sys.argv))
assert sys.argv[1:3] == ["install", "-e"] and wanted, sys.argv
assert not (unknown := set(",".join(wanted).split(",")) - set(extras)), unknown
"""


def blocks(page: Path, *kinds: str) -> list[str]:
    return [content for kind, content in BLOCK.findall(page.read_text(encoding="utf-8")) if kind in kinds]


def commands(page: Path) -> list[str]:
    found = []
    for kind, content in BLOCK.findall(page.read_text(encoding="utf-8")):
        if kind == "console":
            found += [line[2:] for line in content.splitlines() if line.startswith("$ ")]
        elif kind == "sh":
            found += content.splitlines()
    return found


@pytest.fixture
def checkout(tmp_path: Path, home: Path, shared: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder like a checkout, beside the real data, with `medground`, `pip` and `pytest` on the path."""
    if shutil.which("bash") is None:
        pytest.skip("needs bash")
    folder, programs = tmp_path / "checkout", tmp_path / "bin"
    folder.mkdir()
    programs.mkdir()
    (tmp_path / "shared").symlink_to(shared.parent)
    (folder / "experiments").symlink_to(ROOT / "experiments")
    for who, label in (("a", "CORRECT-EXPLICIT"), ("b", "CORRECT-IMPLICIT")):
        lines = [annotation(who, n, "CORRECT-EXPLICIT" if n else label) for n in range(3)]
        (folder / f"annotator_{who}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    written = {
        "medground": MEDGROUND.format(python=sys.executable, here=str(Path(__file__).parent)),
        "pip": PIP.format(python=sys.executable, project=str(ROOT / "pyproject.toml")),
        "pytest": "#!/bin/sh\n",
    }
    for name, content in written.items():
        (programs / name).write_text(content, encoding="utf-8")
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", f"{ROOT / 'src'}")
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("OPENAI_API_KEY", "OLLAMA_API_KEY"):
        monkeypatch.setenv(name, "none")
    monkeypatch.setenv("OLLAMA_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")
    monkeypatch.chdir(folder)
    return folder


def annotation(who: str, number: int, label: str) -> str:
    return json.dumps({"item": "q1", "annotator": who, "context": 5, "statement": number, "label": label})


@contextmanager
def serving(line: str) -> Iterator[str]:
    """A server that a line starts, until the block ends; gives its address."""
    server = subprocess.Popen(["bash", "-c", f"exec {line}"], stderr=subprocess.PIPE, text=True)
    with server:  # closes the pipe
        assert server.stderr is not None
        try:
            said = next((said for said in server.stderr if " at http://" in said), "")
            address = re.search(r"at (http://\S+?)/entrez", said)
            assert address is not None, f"{line} serves nothing"
            yield address[1]
        finally:
            server.kill()


def run(line: str) -> None:
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", line], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode in OK, f"{line}\n{done.stdout[-800:]}\n{done.stderr[-800:]}"


def run_python(code: str) -> None:
    here = str(Path(__file__).parent)
    code = f"import sys; sys.path.insert(0, {here!r}); import stand_ins; stand_ins.install()\n{code}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, f"{code}\n{done.stderr[-1500:]}"


@pytest.mark.shared
def test_every_line_of_the_readme_runs(checkout: Path, monkeypatch: pytest.MonkeyPatch, loopback: None) -> None:
    for line in commands(ROOT / "README.md"):
        if "--pubmed live" in line:
            with serving("medground pubmed serve --corpus medline --port 0") as address:
                monkeypatch.setenv("PUBMED_STAND_IN", address)
                run(line)
        elif "pubmed serve" in line:
            served = line
        elif "http://127.0.0.1:8321" in line:
            with serving(served):
                run(line)
        else:
            run(line)
    for code in blocks(ROOT / "README.md", "python"):
        run_python(code)


@pytest.mark.shared
def test_every_line_of_the_page_on_using_runs(checkout: Path) -> None:
    run("medground corpus build papers ../shared/data/scifact/corpus.jsonl.gz -q")
    page = ROOT / "docs" / "using.md"
    for line in commands(page):
        run(line)
    for code in blocks(page, "python"):
        run_python(code)


def test_other_pages_have_no_blocks_that_are_not_run() -> None:
    run_above = {ROOT / "README.md", ROOT / "docs" / "using.md"}
    assert {page for page in PAGES if blocks(page, "console", "sh", "python")} == run_above


def problem(line: str) -> str | None:
    """What is wrong with the command, its options or their values; arguments may be missing."""
    words = [word.removesuffix("...") for word in shlex.split(line, comments=True)[1:] if word != "..."]
    command, name, context = typer.main.get_command(app), "medground", None
    while words:
        try:
            context = command.make_context(name, words, parent=context)
            if not hasattr(command, "resolve_command"):
                return None
            name, command, words = command.resolve_command(context, [*context._protected_args, *context.args])
        except TyperException as error:
            return None if type(error).__name__ == "MissingParameter" else error.format_message()
    return None


def described() -> list[str]:
    """Indented command lines, and commands inside the text."""
    found = []
    for page in PAGES:
        text = BLOCK.sub("", page.read_text(encoding="utf-8"))
        found += re.findall(r"^    (medground .+)$", text, re.MULTILINE)
        found += re.findall(r"(?<!`)`(medground [a-z-][^`\n]*)`", text)
    return sorted(set(found))


@pytest.mark.parametrize("line", described())
def test_a_line_with_placeholders_names_real_commands_and_options(line: str) -> None:
    assert problem(line) is None


@pytest.mark.parametrize(
    "line", ["medground aks", "medground eval runs", "medground ask --corpu x Q", "medground ask --year-to x"]
)
def test_a_wrong_line_is_found(line: str) -> None:
    assert problem(line)
