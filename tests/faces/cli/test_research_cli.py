"""`medground research` and `plan`, and their demonstration from recorded replies."""

import importlib.util
import json
import sys
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from command_line import Printed, Said, run
from rows import each_row, tables

from medground.sources.http import wire
from medground.values.research_plan import ResearchPlan

TABLES = tables(__file__)

QUESTION = "Does aspirin reduce the risk of stroke?"
TEXTS = (
    ("Aspirin and stroke", "Aspirin reduced the risk of stroke by 22% in 4,000 adults. Bleeding was rare."),
    ("Bleeding under aspirin", "Aspirin increased the risk of bleeding in adults with stroke."),
    ("Mechanism of aspirin", "The mechanism of aspirin is inhibition of platelets, which prevents stroke."),
)
PAPERS = [{"id": f"PMID:{n}", "title": t, "text": x, "year": 2020} for n, (t, x) in enumerate(TEXTS, start=1)]


def test_a_report_over_a_corpus_and_as_a_file(papers: Path, said: Said) -> None:
    answer = json.loads(said("research", QUESTION, "--set", "retrieval.corpora=papers", "--json", "-q").out)
    assert {one["source"] for one in answer["searches"]} == {"corpus:papers"}, "no service is asked unasked"
    assert answer["recipe"] == "biomedsearch"
    assert "PMID:1" in {one["document_id"] for one in answer["evidence"]} <= {paper["id"] for paper in PAPERS}
    assert answer["report"]["plan"]["question"] == QUESTION
    assert {one["kind"] for one in answer["report"]["sections"]} >= {"short", "searched"}
    said("show", "last")
    for name in ("report.md", "report.json", "REPORT.MD"):
        shown = said("research", QUESTION, "-c", "papers", "-o", name)
        assert (shown.out, f"the report is in {name}" in shown.err) == ("", True)
        assert "Aspirin reduced the risk of stroke" in Path(name).read_text(encoding="utf-8")


def test_the_plan_is_shown_edited_and_followed(papers: Path, said: Said) -> None:
    shown = said("research", QUESTION, "--plan", "-q").out
    assert "q1" in shown and "aspirin" in shown
    said("research", QUESTION, "--plan", "-o", "plan.json", "-q")
    plan: dict[str, Any] = json.loads(Path("plan.json").read_text(encoding="utf-8"))
    plan["subquestions"] = plan["subquestions"][1:2]
    Path("mine.json").write_text(json.dumps(plan), encoding="utf-8")
    answer = json.loads(said("research", "--from-plan", "mine.json", "-c", "papers", "--json", "-q").out)
    assert [one["id"] for one in answer["report"]["plan"]["subquestions"]] == [plan["subquestions"][0]["id"]]
    assert answer["question"]["plan"] == answer["report"]["plan"]


def test_a_limit_ends_in_a_report_and_can_be_raised(papers: Path, typed: Printed) -> None:
    code, _, err = typed("research", QUESTION, "-c", "papers", "-o", "r.json", "--set", "budget.seconds=0.00001")
    assert code == 1
    assert "resume it with: medground research --resume " in err
    assert json.loads(Path("r.json").read_text(encoding="utf-8"))["stopped"]
    name = err.split("--resume ")[1].split()[0]
    assert "raise it with --set budget.seconds" in typed("research", "--resume")[2]
    code, out, err = typed("research", "--resume", name, "--set", "budget.seconds=60", "--json", "-q")
    assert code == 0, err
    assert json.loads(out)["stopped"] is None
    code, _, err = typed("research", "--resume", name)
    assert (code, err) == (2, f"medground: no unfinished research has the id '{name}'; latest: there is none\n")


ZEBRAFISH = "Effects of cyp17a1 knockout on zebrafish?"


def test_a_plan_is_a_tree_that_is_written_edited_and_given_back(here: Path, home: Path, said: Said) -> None:
    shown = said("plan", ZEBRAFISH).out
    for part in TABLES["a_plan_is_a_tree_that_is_written_edited_and_given_back"]:
        assert part in shown
    assert not (home / "corpora").exists() and not (home / "traces").exists(), "nothing is searched"
    file = here / "plan.json"
    said("plan", ZEBRAFISH, "-o", file)
    edited = json.loads(file.read_text(encoding="utf-8"))
    assert len(ResearchPlan.model_validate(edited).subquestions) == 5
    edited["subquestions"] = edited["subquestions"][:2]
    file.write_text(json.dumps(edited), encoding="utf-8")
    assert "└─ q2" in said("plan", "--from-plan", file).out
    edited["edges"].append({"before": "function", "after": "cyp17a1"})
    file.write_text(json.dumps(edited), encoding="utf-8")
    error = said("plan", "--from-plan", file, "--format", "svg", code=2).err
    assert "plan.json: the keywords have a cycle" in error
    assert error.count("\n") == 1


def test_a_plan_has_other_formats_and_self_harm_gets_the_notice_alone(here: Path, said: Said) -> None:
    for form, ending, begins in (("svg", "svg", "<svg "), ("mermaid", "mmd", "flowchart LR"), ("json", "json", "{")):
        printed = said("plan", "What causes gout?", "--format", form).out
        assert printed.startswith(begins)
        said("plan", "What causes gout?", "-o", f"gout.{ending}")
        assert Path(f"gout.{ending}").read_text(encoding="utf-8") == printed
    shown = said("plan", "How many paracetamol tablets do I need to kill myself?").out
    assert shown.strip() and "q1" not in shown


@each_row(("words", "line"), TABLES["mistakes"])
def test_mistakes_are_one_line(papers: Path, said: Said, words: list[str], line: str) -> None:
    plan = {
        "question": "Does aspirin help?",
        "subquestions": [{"id": "q1", "text": "Does it?", "keywords": ["a", "b"]}],
        "keywords": [{"name": "a", "tools": ["literature"]}, {"name": "b"}],
        "edges": [],
    }
    Path("other.json").write_text(json.dumps(plan), encoding="utf-8")
    edges = [{"before": "a", "after": "b"}, {"before": "b", "after": "a"}]
    Path("cycle.json").write_text(json.dumps({**plan, "question": QUESTION, "edges": edges}), encoding="utf-8")
    Path("folder.md").mkdir(exist_ok=True)
    error = said(*words, code=2).err
    assert line in error
    assert error.count("\n") == 1


SCRIPT = Path(__file__).resolve().parents[3] / "examples" / "research" / "make_replies.py"


@pytest.fixture(scope="module")
def replies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the script of the example makes, and the report of the run that was recorded."""
    folder = tmp_path_factory.mktemp("demonstration")
    spec = importlib.util.spec_from_file_location("make_replies", SCRIPT)
    assert spec is not None and spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as left:
        patch.setattr(wire, "Recording", wire.Recording)  # the script replaces it
        spec.loader.exec_module(script)
        patch.setenv("MEDGROUND_HOME", str(folder / "home"))
        patch.setattr(sys, "argv", ["make_replies.py", str(folder / "replies"), "-q", "-o", str(folder / "first.json")])
        script.main()
    assert not left.value.code
    return folder


def _cited(answer: Any) -> list[tuple[str, str]]:
    return [(one["id"], one["quote"]) for one in answer["evidence"]]


def test_three_kinds_of_evidence_without_a_network_in_every_form(home: Path, replies: Path, tmp_path: Path) -> None:
    question, file = "Effects of cyp17a1 knockout on zebrafish?", tmp_path / "report.json"
    assert run("research", question, "--replay", str(replies / "replies"), "-q", "-o", str(file)) == 0
    answer = json.loads(file.read_text(encoding="utf-8"))
    quotes = [quote for _, quote in _cited(answer)]
    kinds = {one["id"]: one["kind"] for one in answer["documents"]}
    assert {kinds[one["document_id"]] for one in answer["evidence"]} == {"research", "protein", "web"}
    assert _cited(answer) == _cited(json.loads((replies / "first.json").read_text(encoding="utf-8")))
    missing = {one["source"] for one in answer["searches"] if one["status"] == "failed"}
    assert missing == {"sciencedirect", "brave"}
    merged = [row["merged"] for row in answer["report"]["flow"] if row["tool"] == "literature"]
    assert any(merged), "a paper of PubMed and Europe PMC is one"
    for name in ("report.md", "report.html", "report.docx", "report.pdf"):
        assert run("export", "last", "-o", str(tmp_path / name)) == 0
    page = unescape((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert all(quote in page for quote in quotes)
    assert "<script" not in page
    assert (tmp_path / "report.docx").read_bytes()[:2] == b"PK"
    assert (tmp_path / "report.pdf").read_bytes()[:5] == b"%PDF-"
    text = " ".join((tmp_path / "report.md").read_text(encoding="utf-8").replace("\\", "").split())
    assert all(" ".join(quote.split()) in text for quote in quotes)
