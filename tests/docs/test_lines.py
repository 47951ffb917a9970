"""Every line of the README and of docs/ that shows a command runs as it is printed.

Lines of `console` and `sh` blocks run in a shell, and `python` blocks in a process, in their order: over a few papers,
or over the real data where a page names `$DATA`. `stand_ins.py` says what replaces models and services that are not on
this machine. Indented lines and code in the text have placeholders such as FILE: of these the command, its options and
their values are checked, without running it.
"""

from __future__ import annotations

import ast
import gzip
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import islice
from pathlib import Path

import pytest
import typer
from typer.exceptions import TyperException

from medground.corpus.library import Library
from medground.faces.cli.app import command_line
from medground.graph.starter import build_starter
from medground.graph.vocabularies.hpo import Hpo

ROOT = Path(__file__).resolve().parent.parent.parent
SHARED = ROOT.parent / "shared"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(console|sh|python)\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMANDS = typer.main.get_command(command_line())
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


def lines_of(kind: str, content: str) -> list[str]:
    """The commands of a block."""
    if kind == "console":
        return [line[2:] for line in content.splitlines() if line.startswith("$ ")]
    return content.splitlines() if kind == "sh" else []


def commands(page: Path) -> list[str]:
    found = BLOCK.findall(page.read_text(encoding="utf-8"))
    return [line for kind, content in found for line in lines_of(kind, content)]


FURTHER = {"docs/how-to/many-questions.md": ("pandas", "matplotlib", "tqdm")}
"""What a page tells its reader to install, and no extra brings."""


def needs_data(page: Path) -> bool:
    """Whether the lines of a page ask the real data."""
    return any("$DATA" in line for line in commands(page))


def names(*, real: bool) -> list[str]:
    """The pages whose lines run, those over the real data or the others; each is a test, so that they run at once."""
    found = [page for page in PAGES[1:] if blocks(page, "console", "sh", "python") and needs_data(page) == real]
    return [page.relative_to(ROOT).as_posix() for page in found]


TERMS = {
    "HP:0000118": "Phenotypic abnormality",
    "HP:0001083": "Ectopia lentis",
    "HP:0001166": "Arachnodactyly",
    "HP:0002650": "Scoliosis",
}
ROWS = "OMIM:154700\tMarfan syndrome\t\t{}\tPMID:8\tPCS\t\t45/58\t\t\tP\tX\n"


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home folder for all pages, with a starter corpus of one disease. Each page builds what else it asks."""
    folder, home = tmp_path_factory.mktemp("release"), tmp_path_factory.mktemp("house")
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
    build_starter(Library(home), release=Hpo.open(folder))
    return home


@pytest.fixture
def checkout(tmp_path: Path, house: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder like a checkout, with `medground`, `pip` and `pytest` on the path."""
    if shutil.which("bash") is None:
        pytest.skip("needs bash")
    folder, programs = tmp_path / "checkout", tmp_path / "bin"
    folder.mkdir()
    programs.mkdir()
    for name in ("experiments", "examples"):
        (folder / name).symlink_to(ROOT / name)
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
    monkeypatch.setenv("MEDGROUND_HOME", str(house))
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


SERVER = re.compile(r"medground (?:pubmed )?(?:serve|web)\b.*--port (?P<port>\d+)")
AT = re.compile(r"http://127\.0\.0\.1:(?P<port>\d+)")


@contextmanager
def serving(line: str) -> Iterator[str]:
    """A server that a line starts, on a free port, until the block ends; gives its address."""
    line = re.sub(r"--port \d+", "--port 0", line)
    server = subprocess.Popen(["bash", "-c", f"exec {line}"], stderr=subprocess.PIPE, text=True)
    with server:  # closes the pipe
        assert server.stderr is not None
        try:
            said = next((said for said in server.stderr if " at http://" in said), "")
            address = re.search(r"at (http://[\w.]+:\d+)", said)
            assert address is not None, f"{line} serves nothing"
            yield address[1]
        finally:
            server.kill()


class Runner:
    """Runs lines and Python in their order, in one process."""

    def __init__(self) -> None:
        command = [sys.executable, str(Path(__file__).parent / "page_runner.py")]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self) -> Runner:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate(timeout=60)

    def __call__(self, text: str, kind: str = "line", **environment: str) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps({"kind": kind, "text": text, "environment": environment}) + "\n")
        self._process.stdin.flush()
        reply = json.loads(self._process.stdout.readline() or '{"status": "it ended", "said": ""}')
        assert reply["status"] in OK, f"{text}\n{reply['status']}: {reply['said'][-1500:]}"


def run_page(page: Path) -> None:
    """Run the lines and the Python of a page in their order.

    A server of a line is started when a later line names its port, and stays until the page ends; the line then asks
    the port that was free, since other pages' servers may run at the same time. What asks PubMed asks the page's own
    server of it.
    """
    servers = {found["port"]: line for line in commands(page) if (found := SERVER.search(line))}
    of_pubmed = next((line for line in servers.values() if "pubmed serve" in line), "")
    addresses: dict[str, str] = {}
    with ExitStack() as running:
        run = running.enter_context(Runner())

        def moved(at: re.Match[str]) -> str:
            if (port := at["port"]) in servers and port not in addresses:
                addresses[port] = running.enter_context(serving(servers[port]))
            return addresses.get(port, at[0])

        for kind, content in BLOCK.findall(page.read_text(encoding="utf-8")):
            for printed in [content] if kind == "python" else lines_of(kind, content):
                line = AT.sub(moved, printed)
                if kind == "python":
                    run(line, "python")
                elif "--pubmed live" in line:
                    with serving(of_pubmed) as address:
                        run(line, PUBMED_STAND_IN=address)
                elif not SERVER.search(line):
                    run(line)


@pytest.mark.slow
def test_the_first_line_of_the_readme_is_the_main_job_and_the_second_runs_the_tests(checkout: Path) -> None:
    job, tests = blocks(ROOT / "README.md", "sh")
    assert " medground ask " in job
    assert tests.strip() == 'pip install -e ".[starter,test]" && pytest'
    with Runner() as run:
        run(job.strip())
        run(tests.strip())
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 80


@pytest.fixture(scope="module")
def some_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The real data, with fewer abstracts and articles where their number proves nothing."""
    data, place = SHARED / "data", tmp_path_factory.mktemp("data")
    if not data.is_dir():
        pytest.skip("needs the real data in ../shared/data")
    for entry in data.iterdir():
        if entry.name not in ("scifact", "jats"):
            (place / entry.name).symlink_to(entry)
    for name in ("scifact", "jats"):
        (place / name).mkdir()
    corpus = "scifact/corpus.jsonl.gz"
    with gzip.open(data / corpus, "rt", encoding="utf-8") as whole, gzip.open(place / corpus, "wt") as part:
        part.writelines(islice(whole, 200))
    for article in sorted((data / "jats" / "evidence_inference").iterdir())[:12]:
        shutil.copy(article, place / "jats")
    return place


@pytest.mark.slow
@pytest.mark.parametrize("name", names(real=False))
def test_every_line_of_a_page_runs(name: str, checkout: Path, loopback: None) -> None:
    for package in FURTHER.get(name, ()):
        pytest.importorskip(package, reason=f"the page draws with {package}, which .ci/frameworks.lock brings")
    run_page(ROOT / name)


@pytest.mark.slow
@pytest.mark.shared
@pytest.mark.parametrize("name", names(real=True))
def test_every_line_of_a_page_over_real_data_runs(
    name: str, checkout: Path, some_data: Path, monkeypatch: pytest.MonkeyPatch, loopback: None
) -> None:
    monkeypatch.setenv("DATA", str(some_data))
    run_page(ROOT / name)


def indented_python(page: Path) -> list[str]:
    """The indented paragraphs of a page that are Python."""
    found = []
    for block in re.findall(r"(?:^    .*\n)+", page.read_text(encoding="utf-8"), re.MULTILINE):
        with suppress(SyntaxError):
            ast.parse(code := textwrap.dedent(block))
            found.append(code)
    return found


@pytest.mark.slow
def test_the_clients_of_the_chat_page_run(checkout: Path, loopback: None) -> None:
    page = ROOT / "docs" / "chat.md"
    line = next(line for line in page.read_text(encoding="utf-8").splitlines() if SERVER.search(line)).strip()
    code = "\n".join(indented_python(page))
    assert "OpenAI(" in code
    with Runner() as run:
        run("medground corpus build papers examples/papers/papers.jsonl -q")
        with serving(line) as address:
            run(AT.sub(address, code), "python")


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


def described() -> list[str]:
    """Indented command lines, and commands inside the text."""
    found = []
    for page in PAGES:
        text = BLOCK.sub("", page.read_text(encoding="utf-8"))
        found += re.findall(r"^    (medground .+)$", text, re.MULTILINE)
        found += re.findall(r"(?<!`)`(medground [a-z-][^`\n]*)`", text)
    return sorted(set(found))


def test_a_line_with_placeholders_names_real_commands_and_options() -> None:
    assert {line: wrong for line in described() if (wrong := problem(line))} == {}
    wrong = ("medground aks", "medground eval runs", "medground ask --corpu x Q", "medground ask --year-to x")
    assert all(map(problem, wrong))
