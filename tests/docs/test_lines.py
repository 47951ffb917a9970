"""Every block of the README and of docs/ that shows commands or Python runs alone, as it is printed.

A page may have a block with the title Set-up. Each other block is typed into a fresh folder and home in which only the
set-up was done, by bash; `warm.py` is what stands there as `medground` and `python`, and `stand_ins.py` says what
replaces models that are not on this machine. Indented lines and code in the text have placeholders such as FILE: of
these the command, its options and their values are checked, without running it.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest
import typer
from typer.exceptions import TyperException

from medground.corpus.library import Library
from medground.faces.cli.app import command_line
from medground.graph.starter import build_starter
from medground.graph.vocabularies.hpo import Hpo

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCED = re.compile(r"^```(console|sh|python)(?: title=\"(Set-up)\")?\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMANDS = typer.main.get_command(command_line())
SERVER = re.compile(r"medground (?:pubmed )?(?:serve|web)\b.*--port (?P<port>\d+)")
FRAMEWORKS = {
    "langchain": "langchain_core",
    "llamaindex": "llama_index",
    "haystack": "haystack",
    **{name: name for name in ("dspy", "smolagents", "matplotlib", "pandas", "tqdm")},
}
"""What a block needs that imports this, itself or from an integration of this name."""
CHECKED = """set -o pipefail
trap 'kill $(jobs -p) 2>/dev/null' EXIT
done_() {  # 3: the question is unanswerable, which is an answer
  status=$?; [ $status = 0 ] || [ $status = 3 ] || { echo "$1: exit status $status" >&2; exit 1; }
}
serves() { for _ in $(seq 600); do (: </dev/tcp/127.0.0.1/$1) 2>/dev/null && return; sleep 0.1; done; return 1; }
"""
PIP = """#!{python}
import re, sys, tomllib
extras = tomllib.load(open({project!r}, "rb"))["project"]["optional-dependencies"]
assert sys.argv[1] == "install" and sys.argv[2:], sys.argv
for word in sys.argv[2:]:
    ours = re.fullmatch(r"(?:[.]|medground)\\[(.*)\\]", word)
    assert ours or "medground" not in word, word
    assert not (unknown := set(ours[1].split(",") if ours else ()) - set(extras)), unknown
"""


class Block(NamedTuple):
    """A block of a page, and what the page says to do first."""

    name: str
    kind: str
    content: str
    setup: str


def blocks(page: Path) -> Iterator[Block]:
    """The blocks of a page that run."""
    found = FENCED.findall(page.read_text(encoding="utf-8"))
    setups = [content for _, title, content in found if title]
    assert len(setups) <= 1, page
    for number, (kind, title, content) in enumerate(found, start=1):
        if not title:
            yield Block(f"{page.relative_to(ROOT)}-{number}", kind, content, "".join(setups))


BLOCKS = [block for page in PAGES[1:] for block in blocks(page)]


def lines_of(kind: str, content: str) -> list[str]:
    """The commands of a block."""
    if kind == "python":
        Path("block.py").write_text(content, encoding="utf-8")
        return ["python block.py"]
    return [line[2:] for line in content.splitlines() if line.startswith("$ ")] if kind == "console" else [content]


def typed(lines: list[str]) -> None:
    """Run lines in bash, in this folder. A server stays until the last line is done, on a port that is free."""
    written, ports = [CHECKED], {}
    for line in lines:
        if found := SERVER.search(line):
            ports[found["port"]] = port = str(free_port())
            written += [f"{line.partition(' #')[0]} &", f"serves {port}", f"done_ {shlex.quote(line)}"]
        else:
            written += [line, f"done_ {shlex.quote(line)}"]
    script = "\n".join(written)
    for printed, port in ports.items():
        script = script.replace(printed, port)
        if Path("block.py").exists():
            Path("block.py").write_text(Path("block.py").read_text(encoding="utf-8").replace(printed, port))
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


TERMS = {
    "HP:0000118": "Phenotypic abnormality",
    "HP:0001083": "Ectopia lentis",
    "HP:0001166": "Arachnodactyly",
    "HP:0002650": "Scoliosis",
}
ROWS = "OMIM:154700\tMarfan syndrome\t\t{}\tPMID:8\tPCS\t\t45/58\t\t\tP\tX\n"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an empty folder to work in and a home that has only a starter corpus, of one disease."""
    folder, place = tmp_path_factory.mktemp("release"), tmp_path_factory.mktemp("installed")
    root, *features = TERMS
    terms = [f"[Term]\nid: {one}\nname: {TERMS[one]}\n" + f"is_a: {root}\n" * (one != root) for one in TERMS]
    obo = "\n".join(["format-version: 1.2\ndata-version: hp/releases/2030-02-03\n", *terms])
    (folder / "hp.obo").write_text(obo, encoding="utf-8")
    columns = (
        "database_id disease_name qualifier hpo_id reference evidence onset frequency sex modifier aspect biocuration"
    )
    rows = ["#version: 2030-02-03\n", "\t".join(columns.split()) + "\n", *map(ROWS.format, features)]
    (folder / "phenotype.hpoa").write_text("".join(rows), encoding="utf-8")
    genes = "ncbi_gene_id\tgene_symbol\thpo_id\thpo_name\tfrequency\tdisease_id\n"
    (folder / "genes_to_phenotype.txt").write_text(genes, encoding="utf-8")
    build_starter(Library(place / "home"), release=Hpo.open(folder))
    (place / "here").mkdir()
    return place


@pytest.fixture(scope="module")
def programs() -> Iterator[Path]:
    """A folder with `medground`, `python`, `pip` and `pytest`."""
    if shutil.which("bash") is None or not hasattr(os, "fork"):
        pytest.skip("needs bash and fork")
    with tempfile.TemporaryDirectory() as place:  # a socket's path must be short
        folder = Path(place)
        pip = PIP.format(python=sys.executable, project=str(ROOT / "pyproject.toml"))
        for name, content in (("pip", pip), ("pytest", "#!/bin/sh\n")):
            (folder / name).write_text(content, encoding="utf-8")
            (folder / name).chmod(0o755)
        command = [sys.executable, str(Path(__file__).parent / "warm.py"), place]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as warm:
            assert warm.stdout is not None and warm.stdout.readline() == "ready\n"
            yield folder
            warm.terminate()


Typist = Callable[[Block], None]


@pytest.fixture
def run_alone(
    installed: Path, programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, states: dict[str, Path]
) -> Typist:
    """Runs a block after the set-up of its page, in a fresh folder and home."""
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", f"{ROOT / 'src'}")
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("OPENAI_API_KEY", "OLLAMA_API_KEY"):
        monkeypatch.setenv(name, "none")
    monkeypatch.setenv("OLLAMA_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")

    def enter(place: Path, copied: Path) -> None:
        shutil.copytree(copied, place, dirs_exist_ok=True)
        monkeypatch.setenv("MEDGROUND_HOME", str(place / "home"))
        monkeypatch.chdir(place / "here")

    def run(block: Block) -> None:
        first = lines_of("console", block.setup)
        if block.setup not in states:
            state = tmp_path / "set-up"
            enter(state, installed)
            typed([line for line in first if not SERVER.search(line)])
            states[block.setup] = state
        enter(tmp_path / "block", states[block.setup])
        typed([line for line in first if SERVER.search(line)] + lines_of(block.kind, block.content))

    return run


@pytest.fixture(scope="module")
def states() -> dict[str, Path]:
    """Folders after set-ups that were done, by what was typed."""
    return {}


@pytest.mark.slow
def test_the_first_line_of_the_readme_is_the_main_job_and_the_second_runs_the_tests(
    run_alone: Typist, loopback: None
) -> None:
    job, tests = blocks(PAGES[0])
    assert " medground ask " in job.content
    assert tests.content.strip() == 'pip install -e ".[starter,test]" && pytest'
    run_alone(job)
    run_alone(tests)
    assert len(PAGES[0].read_text(encoding="utf-8").splitlines()) <= 80


@pytest.mark.slow
@pytest.mark.parametrize("block", BLOCKS, ids=[block.name for block in BLOCKS])
def test_a_block_runs_alone(block: Block, run_alone: Typist, loopback: None) -> None:
    for name in re.findall(r"^(?:import|from) (?:medground\.integrations\.)?(\w+)", block.content, re.MULTILINE):
        if name in FRAMEWORKS and find_spec(FRAMEWORKS[name]) is None:
            pytest.skip(f"needs {FRAMEWORKS[name]}")
    run_alone(block)


def problem(line: str) -> str | None:
    """What is wrong with the command, its options or their values; arguments may be missing."""
    words = [word.removesuffix("...") for word in shlex.split(line, comments=True)[1:] if word != "..."]
    command, name, context = COMMANDS, "medground", None
    while words:
        try:
            context = command.make_context(name, words, parent=context)
            if not hasattr(command, "resolve_command"):
                return None
            if not (words := [*context._protected_args, *context.args]):
                return None  # a group that is a command too, such as `serve`
            name, command, words = command.resolve_command(context, words)
        except typer.Exit:  # of the help
            return None
        except TyperException as error:
            return None if type(error).__name__ == "MissingParameter" else error.format_message()
    return None


def test_the_guide_is_short() -> None:
    """Pages beside the reference, the diary of measurements and those for people who change the program."""
    apart = {"measurements", "reference", "architecture.md", "decisions.md"}
    guide = [page for page in PAGES[1:] if not apart & {*page.relative_to(ROOT / "docs").parts}]
    assert sum(len(page.read_text(encoding="utf-8").split()) for page in guide) <= 45_000


def described() -> list[str]:
    """Indented command lines, and commands inside the text."""
    found = []
    for page in PAGES:
        text = FENCED.sub("", page.read_text(encoding="utf-8"))
        found += re.findall(r"^    (medground .+)$", text, re.MULTILINE)
        found += re.findall(r"(?<!`)`(medground [a-z-][^`\n]*)`", text)
    return sorted(set(found))


def test_a_line_with_placeholders_names_real_commands_and_options() -> None:
    assert {line: wrong for line in described() if (wrong := problem(line))} == {}
    wrong = ("medground aks", "medground eval runs", "medground ask --corpu x Q", "medground ask --year-to x")
    assert all(map(problem, wrong))
