"""One vocabulary on every face: what each calls an operation and its arguments, its options, its help and its words."""

import ast
import inspect
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import typer
from command_line import Said
from rows import tables

from medground.engine.blocking import BlockingEngine
from medground.engine.engine import Engine
from medground.errors import MedgroundError
from medground.faces.api import answers, checking, literature
from medground.faces.cli.app import command_line
from medground.faces.mcp.catalogue import TOOLS
from medground.faces.service import request
from medground.faces.service.values import problem_of

TABLES = tables(__file__)
OPERATIONS: Mapping[str, Any] = TABLES["operations"]
SAME = {word: name for name, words in TABLES["same"].items() for word in words}
COMMANDS: Any = typer.main.get_command(command_line())
PAPERS = [{"id": "PMID:1", "title": "Aspirin", "text": "Aspirin significantly reduced the risk of stroke in adults."}]
QUESTION = "Does aspirin reduce the risk of stroke?"


def commands(within: Any = COMMANDS, words: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Every command with the words that call it; a group that does something by itself is one."""
    if not hasattr(within, "commands") or within.invoke_without_command:
        yield " ".join(words), within
    for name, inner in getattr(within, "commands", {}).items():
        yield from commands(inner, (*words, name))


EVERY = dict(commands())


def written(command: Any) -> set[str]:
    """The arguments and options of a command, as they are typed."""
    return {option.opts[0].lstrip("-") for option in command.params}


def taken(face: str, called: str) -> set[str]:
    """What an operation takes on a face, by its own names there."""
    if face == "T":
        names = {"answer" if one == "name" else one for one in written(EVERY[called])}
        return (names - {"asked"} | {"paper"}) if "asked" in names else names
    if face == "P":
        own = {"answer" if one == "name" else one for one in inspect.signature(getattr(Engine, called)).parameters}
        searches = {"corpora", "sources", "settings"}  # named where the engine is opened
        return own - {"self"} | (set() if called in ("export", "history", "table") else searches)
    if face == "M":
        return {*TOOLS[called].input.model_fields}
    body = next(getattr(room, called) for room in (request, literature, checking, answers) if hasattr(room, called))
    return {*body.model_fields}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_face_calls_what_an_operation_takes_by_the_same_words(operation: str) -> None:
    told = OPERATIONS[operation]
    for face, called in told["called"].items():
        own = {*TABLES["faces"][face]["own"], *told.get("own", {}).get(face, ())}
        found = {SAME.get(name, name) for name in taken(face, called) - own}
        assert found == {name for name, faces in told["takes"].items() if face in faces}, (operation, face)


WRITING = {"build", "add", "sync", "enrich", "push", "remove", "fetch", "create", "revoke", "retractions", "update"}
SERVING = {"web", "mcp", "serve", "pubmed serve"}
MAKING = {
    "run",
    "import",
    "report",
    "form",
    "explore",
    "judge",
    "label",
    "export",
    "merge",
    "sft",
    "dpo",
    "init",
    "new",
    "example",
}


def test_every_command_that_reads_prints_json() -> None:
    reading = {
        name
        for name in EVERY
        if name not in SERVING
        and name.split()[-1] not in WRITING | MAKING
        and not name.startswith("train planner judge")
    }
    assert len(reading) > 35
    assert {name for name in reading if "json" not in written(EVERY[name])} == set()


def test_what_is_written_goes_to_out_everywhere_and_former_names_are_understood(papers: Path, said: Said) -> None:
    places = [option for command in EVERY.values() for option in command.params if {"-o", "--out"} & {*option.opts}]
    assert len(places) > 15
    assert {tuple(option.opts) for option in places} == {("--out", "-o")}
    assert not any(option.hidden or "--output" in option.opts for one in EVERY.values() for option in one.params)
    for spelled in ("--out", "--output", "-o"):
        said("init", spelled, f"{spelled.strip('-')}.toml")
        assert Path(f"{spelled.strip('-')}.toml").is_file()
    Path("draft.md").write_text("Aspirin significantly reduced the risk of stroke (PMID: 1).\n", encoding="utf-8")
    one, other = (said("check", "draft.md", option, "papers", "-q").out for option in ("--corpus", "--refs"))
    assert one == other


def test_search_finds_passages_in_everything_that_is_named(papers: Path, said: Said) -> None:
    assert "PMID:1" in said("search", "aspirin stroke", "-c", "papers").out
    found = said("search", "aspirin[ti]", "--corpus", "papers", "--syntax", "pubmed", "--json").out
    with BlockingEngine(corpora="papers") as engine:
        hits = engine.search("aspirin[ti]", syntax="pubmed").hits
    assert [hit.passage.key for hit in hits] == re.findall(r'"key": "(.*?)"', found) or '"PMID:1"' in found
    assert "no passages found" in said("search", "aspirin", "-c", "papers", "--year-from", "2020").err
    refusal = said("search", "aspirin", "-c", "papers", "--year-from", "2020", "--year-to", "1999", code=2).err
    assert "the first year (2020) is after the last (1999)" in refusal


@pytest.mark.parametrize("width", [50, 100, 220])
def test_help_is_as_wide_as_the_terminal_and_nothing_is_cut(width: int, said: Said, monkeypatch: Any) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    for words in ([], ["corpus"], ["eval"], ["train", "planner"]):
        text = said(*words, "-h").out
        assert text == said(*words, "--help").out
        assert "..." not in text.partition("ptions:")[2]
        lines = text.splitlines()
        assert max(map(len, lines)) <= max(width, 52)
    whole = "".join(said("-h").out.split())
    for name, command in COMMANDS.commands.items():
        first = re.split(r"\.(?:\s|$)", command.help or "", maxsplit=1)[0]
        assert f"{name}{''.join(first.split())}." in whole
    assert width < 200 or max(map(len, said("-h").out.splitlines())) > 100


def test_commands_stand_in_groups(said: Said) -> None:
    titles = re.findall(r"(?m)^(\S.*):$", said("-h").out)
    assert titles[0] == "Options"
    assert len(titles) > 6
    assert "Commands" not in titles
    listed = re.findall(r"(?m)^  ([a-z]+)  ", said("-h").out)
    assert sorted(listed) == sorted(COMMANDS.commands)


def test_the_manual_page_says_what_the_commands_say_and_is_set_without_a_warning(said: Said) -> None:
    root = Path(__file__).resolve().parents[3]
    page = root / "man" / "medground.1"
    script = [sys.executable, str(root / "scripts" / "man_page.py"), "--check"]
    made = subprocess.run(script, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    plain = page.read_text(encoding="utf-8").replace("\\-", "-")
    for name, command in EVERY.items():
        _, _, part = plain.partition(f"\n.SS medground {name} ")
        part = part.partition("\n.SS ")[0]
        options = {spelled for option in command.params for spelled in option.opts if spelled.startswith("-")}
        assert part, name
        assert {one for one in options if not re.search(rf"(?:fB|, |/){one}\b", part)} == set(), name
    if groff := shutil.which("groff"):
        shown = subprocess.run([groff, "-man", "-Tutf8", "-ww", str(page)], capture_output=True, check=True)
        assert shown.stderr == b""
        assert b"MEDGROUND(1)" in shown.stdout


def advised(text: str) -> list[str]:
    """Options of a terminal, and commands for what every face can do by itself, in a message."""
    own = "ask|history|show|research|search|plan|paper|explain|config|table|export|trace"
    return re.findall(rf"(?<!\w)--[a-z][\w-]*|medground (?:{own})\b", text)


def test_each_face_tells_a_mistake_in_its_own_words(papers: Path, said: Said) -> None:
    with BlockingEngine(corpora="papers") as engine:
        calls = {
            "an answer": lambda: engine.answer("nothing"),
            "no research": lambda: engine.resume(),
            "one option": lambda: engine.ask(QUESTION, options=["A"]),
            "a budget": lambda: engine.ask(QUESTION, settings={"budget.seconds": 1e-6}),
            "a setting": lambda: engine.ask(QUESTION, settings={"recipe.runds": 1}),
            "a full text": lambda: engine.full_text("PMID:1"),
            "a paper": lambda: engine.related("PMID:7"),
            "citing": lambda: engine.related("PMID:1", by="citing"),
            "a corpus": lambda: BlockingEngine(corpora="nothing"),
            "a base": lambda: BlockingEngine({"retrieval.knowledge_base": "nothing"}),
            "vectors": lambda: engine.ask(QUESTION, recipe="self-medrag", settings={"self_medrag.retrieval": "dense"}),
        }
        for what, call in calls.items():
            with pytest.raises(MedgroundError) as raised:
                call()
            error = raised.value
            assert "[[" not in str(error), what
            assert advised(str(error)) == [], what
            problem = problem_of(error, ())
            assert "[[" not in problem.detail, what
            assert advised(problem.detail + problem.next) == [], what
    for words, way in (
        (["show", "nothing"], "list them with medground history"),
        (["ask", "-c", "papers", QUESTION, "--option", "A"], "give --option twice"),
        (["ask", "-c", "papers", QUESTION, "--set", "budget.seconds=0.000001"], "raise it with --set budget.seconds=N"),
        (["ask", "-c", "papers", QUESTION, "--set", "recipe.runds=1"], "see medground config show"),
        (["paper", "-c", "papers", "PMID:1", "--full-text"], "add --pubmed live"),
        (["research", "--resume"], "start one with medground research"),
    ):
        shown = said(*words, code=1 if "budget" in way else 2).err
        assert way in shown
        assert "[[" not in shown


def raised() -> Iterator[tuple[Path, str]]:
    """The words of every error that the library raises, by file."""
    source = Path(sys.modules["medground.errors"].__file__ or "").parent
    for path in source.rglob("*.py"):
        if path.is_relative_to(source / "faces"):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Raise) and node.exc is not None:
                parts = (one.value for one in ast.walk(node.exc) if isinstance(one, ast.Constant))
                yield path, "".join(part for part in parts if isinstance(part, str))


def test_no_error_of_the_library_speaks_of_options_outside_the_words_of_a_terminal() -> None:
    found = {}
    for path, text in raised():
        for python in (r"\2", r"\3"):
            if advice := advised(re.sub(r"\[\[(.*?)\|(.*?)\|(.*?)\]\]", python, text)):
                found[path.name] = advice
    assert found == {}
