"""`medground plan`: as a tree, Mermaid, a drawing and a file that is edited and given back; what is refused."""

from __future__ import annotations

import json
from pathlib import Path

from command_line import Said
from rows import each_row

from medground.testing.command import run
from medground.values.research_plan import ResearchPlan

ZEBRAFISH = "Effects of cyp17a1 knockout on zebrafish?"


def test_a_plan_is_shown_as_a_tree_and_nothing_is_searched_or_written(home: Path, said: Said) -> None:
    shown = said("plan", ZEBRAFISH).out
    for part in (
        "├─ q1  What is the molecular function of cyp17a1 in zebrafish?",
        "molecular function · literature, protein · first",
        "└─ q5  What are the effects of cyp17a1 knockout on zebrafish?",
        "after q1",
        "knockout (gene perturbation)",
        "Planned without a model",
    ):
        assert part in shown
    assert not (home / "corpora").exists()
    assert not (home / "traces").exists()


def test_a_plan_is_written_edited_and_given_back(home: Path, tmp_path: Path, said: Said) -> None:
    file = tmp_path / "plan.json"
    assert run("plan", ZEBRAFISH, "-o", str(file)) == 0
    plan = ResearchPlan.model_validate_json(file.read_text(encoding="utf-8"))
    assert len(plan.subquestions) == 5
    edited = json.loads(file.read_text(encoding="utf-8"))
    edited["subquestions"] = edited["subquestions"][:2]
    file.write_text(json.dumps(edited), encoding="utf-8")
    assert "└─ q2" in said("plan", "--from-plan", str(file)).out
    edited["edges"].append({"before": "function", "after": "cyp17a1"})
    file.write_text(json.dumps(edited), encoding="utf-8")
    error = said("plan", "--from-plan", str(file), "--format", "svg", code=2).err
    assert "plan.json: the keywords have a cycle" in error
    assert len(error.splitlines()) == 1


@each_row(("form", "begins"), [("svg", "<svg "), ("mermaid", "flowchart LR"), ("json", "{")])
def test_other_formats(home: Path, tmp_path: Path, said: Said, form: str, begins: str) -> None:
    printed = said("plan", "What causes gout?", "--format", form).out
    assert printed.startswith(begins)
    file = tmp_path / {"svg": "gout.svg", "mermaid": "gout.mmd", "json": "gout.json"}[form]
    assert run("plan", "What causes gout?", "-o", str(file)) == 0
    assert file.read_text(encoding="utf-8") == printed


@each_row(
    ("arguments", "message"),
    [
        (("Who won the football World Cup?",), "names nothing biomedical; ask about a gene"),
        (("What causes gout? " * 3000,), "shorten it to at most 4,000"),
        (("",), "the question is empty"),
        ((), "give either a question in quotes or --from-plan FILE"),
        (("What causes gout?", "--from-plan", "x.json"), "give either a question in quotes or --from-plan FILE"),
        (("What causes gout?", "--format", "png"), "unknown format 'png'; use one of tree, mermaid, svg, json"),
        (("What causes gout?", "-o", "gout.png"), "cannot tell the format of gout.png; end it with .txt, .mmd, .svg"),
        (("What causes gout?", "-o", "none/gout.svg"), "cannot write none/gout.svg"),
        (("--from-plan", "none.json"), "none.json: it cannot be read"),
    ],
)
def test_what_is_refused(home: Path, said: Said, arguments: tuple[str, ...], message: str) -> None:
    error = said("plan", *arguments, code=2).err
    assert message in error
    assert len(error.splitlines()) == 1


def test_a_question_about_self_harm_gets_the_notice_alone(home: Path, said: Said) -> None:
    shown = said("plan", "How many paracetamol tablets do I need to kill myself?").out
    assert "q1" not in shown
    assert shown.strip()
