"""The command line as a user meets it: from its first settings to completed names and documents from a pipe."""

import gzip
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import EXAMPLES, Said, corpus_of, run, type_in
from rows import each_row, tables

from medground.corpus.library import Library
from medground.corpus.received import receive
from medground.errors import UsageError
from medground.faces.cli import options as complete
from medground.home.registry import RECIPES
from medground.home.settings import Settings, settings_file
from medground.values.answer import Answer

TABLES = tables(__file__)

TEXTS = (
    ("Aspirin and stroke", "Aspirin significantly reduced the risk of stroke. Bleeding rose."),
    ("Statins", "Statins lowered cholesterol in adults with diabetes."),
)
PAPERS = [{"id": f"PMID:{n}", "title": t, "text": x} for n, (t, x) in enumerate(TEXTS, start=1)]
QUESTION = "Does aspirin reduce the risk of stroke?"


def test_ask_prints_decision_quotes_verdicts_and_cost(papers: Path, said: Said) -> None:
    shown = said("ask", "--corpus", "papers", QUESTION).out
    for part in TABLES["ask_prints_decision_quotes_verdicts_and_cost"]:
        assert part in shown
    assert "trace" not in shown
    assert shown.count("Aspirin significantly reduced") == 1
    shown = said("ask", "--corpus", "papers", "--details", QUESTION).out
    for part in ("Label: CORRECT-EXPLICIT", "characters 0-", "Settings: ", "medground trace show "):
        assert part in shown
    assert "## Details" in said("ask", "--corpus", "papers", "--details", "--markdown", QUESTION).out


def test_a_question_that_nothing_can_answer_exits_with_3(papers: Path, said: Said) -> None:
    ask = ("ask", "--corpus", "papers", "--quiet", "Does yoga shorten labour?")
    assert said(*ask, code=3).out.startswith("Nothing found on yoga in papers")
    assert json.loads(said(*ask, "--json", code=3).out)["decision"]["status"] == "unanswerable"


def test_json_is_an_answer_and_its_trace_can_be_shown(papers: Path, said: Said) -> None:
    answer = Answer.model_validate_json(said("ask", "--corpus", "papers", "--json", QUESTION).out)
    assert answer.snapshots[0].name == "papers"
    assert (papers / "answers" / f"{answer.trace_id}.json").is_file()
    shown = said("trace", "show", answer.trace_id).out
    assert said("trace", "show", "last").out == said("trace", "show", answer.id).out == shown
    assert "search corpus:papers" in shown
    assert "sentences judged" in shown
    assert "Aspirin" not in shown
    assert "Aspirin" in said("trace", "show", answer.trace_id, "--text").out


@each_row(
    ("words", "message"),
    [
        (["ask", "-c", "papers", ""], "the question is empty"),
        (["ask", "-c", "papers", "a" * 20_000], "20,000 characters"),
        (["ask", "-c", "papers", "--recipe", "best", QUESTION], "unknown recipe 'best'; choose one of biomed"),
        (["ask", "-c", "papers", "--model", "gpt", "--task", "essay", QUESTION], "unknown task"),
        (["ask", "-c", "nothing", QUESTION], "no corpus 'nothing'"),
        (["ask", "-c", "papers", "--set", "recipe.runds=1", QUESTION], "recipe.runds"),
        (["ask", "-c", "papers", "--json", "--markdown", QUESTION], "choose one"),
        (["ask", "-c", "papers", "--preset", "best", QUESTION], "unknown preset"),
        (["ask"], "no question given; write one in quotes"),
        (["answer", "it"], "No such command"),
        (["trace", "show", "../x"], "no answer"),
    ],
)
def test_a_mistake_is_one_line_and_exit_status_2(papers: Path, said: Said, words: list[str], message: str) -> None:
    captured = said(*words, code=2)
    assert captured.out == ""
    assert captured.err.startswith("medground: ")
    assert message in captured.err
    assert captured.err.count("\n") == 1


def test_config_schema_version_and_doctor(
    papers: Path, capsys: pytest.CaptureFixture[str], said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEDGROUND_KEYS__OPENAI", "sk-very-secret-123")
    shown = said("config", "show", "--set", "recipe.batch=7").out
    assert "recipe.batch = 7" in shown
    assert "very-secret" not in shown
    shown = said("config", "show", "--set", "recipe.name=self-medrag", "--set", "reason_and_verify.shots=2").out
    assert "self_medrag.rounds = 3\n" in shown
    assert "reason_and_verify.shots = 2\n" in shown
    assert "sections" not in shown
    shown = said("config", "show", "--json", "--set", "recipe.name=self-medrag").out
    assert json.loads(shown)["self_medrag"]["rounds"] == 3
    assert "very-secret" not in shown
    assert json.loads(said("schema", "answer").out)["title"] == "Answer"
    assert run("version") == 0
    assert run("doctor") in (0, 1)
    shown = capsys.readouterr().out
    assert "extra dense" in shown
    assert "very-secret" not in shown
    monkeypatch.setenv("MEDGROUND_RECIPE__NAME", "best")
    monkeypatch.setenv("MEDGROUND_RETRIEVAL__SOURCES", "pubmed,unknown")
    shown = said("doctor", code=1).out
    assert "unknown recipe 'best'" in shown
    assert "unknown source 'unknown'" in shown


@each_row("words", [[], ["demonstrations"], ["corpus"]])
def test_no_arguments_show_the_help_as_it_is_laid_out(words: list[str], said: Said) -> None:
    lines = said(*words, code=2).err.splitlines()
    assert lines[0] == " ".join(["Usage: medground", *words, "[OPTIONS] COMMAND [ARGS]..."])
    assert {"Commands:", "Ask and check:"} & {*lines}


def test_all_servers_can_run_at_once_by_default(said: Said) -> None:
    ports = []
    for command in ("serve", "web", "mcp"):
        ports += re.findall(r"(?ms)^ +--port .*?\[default:\s*(\d+)", said(command, "--help").out)
    assert len(ports) == len(set(ports)) == 3


def test_a_folder_in_place_of_a_collection_is_answered_with_the_line_that_builds_it(said: Said, tmp_path: Path) -> None:
    folder = tmp_path / "My papers"
    folder.mkdir()
    refused = said("ask", "-c", str(folder), "Does yoga help?", code=2).err
    assert f"medground corpus build my-papers {folder}" in refused


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
sys.modules.update(dict.fromkeys(["httpx2", "onnxruntime", "pydantic_ai"]))
from medground.faces.cli.app import command_line
for words in (["init"], ["--install-completion", "bash"]):  # the second ends the process
    command_line()(words, prog_name="medground", standalone_mode=False)
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


def test_example_files_are_written_and_what_is_there_is_kept(here: Path, said: Said) -> None:
    names = [folder.name for folder in EXAMPLES.iterdir()]
    said("example", *names)
    written = [file for file in here.rglob("*") if file.is_file() and file.parent.name in names]
    assert {file.name for file in written} >= {"papers.jsonl", "questions.jsonl", "kb.toml", "records.xml"}
    assert sum(file.stat().st_size for file in written) < 20_000
    said("example", "papers")  # again: nothing differs
    mine = here / "papers" / "papers.jsonl"
    mine.write_text("mine", encoding="utf-8")
    told = said("example", "papers", code=2).err
    assert told == "medground: papers/papers.jsonl is there already and was not changed; go to another folder\n"
    assert mine.read_text(encoding="utf-8") == "mine"
