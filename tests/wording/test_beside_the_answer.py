"""What is shown beside an answer: changes since, its plan, its timeline, and a report."""

import re
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from researched import PLAN, found, reported, tool
from rows import each_row

from medground.answering.changes import changes
from medground.answering.run import Run
from medground.answering.trace import Trace, read_trace
from medground.values.answer import Answer, SnapshotReference
from medground.values.decision import YesNoDecision
from medground.values.document import Document
from medground.values.report import SubFound
from medground.values.research_plan import Edge, Keyword, ResearchPlan, SubQuestion
from medground.values.steps import Asking, Searching
from medground.wording.blocks import picture
from medground.wording.changes import AskedAgain
from medground.wording.markup import as_html, as_markdown
from medground.wording.plans import mermaid, reduced, svg, tree
from medground.wording.progress import timeline
from medground.wording.text import as_text

PAPER = Document(id="PMID:1", title="A trial.", text="0123456789Aspirin may prevent stroke.")


def said(before: Answer, now: Answer, *documents: Document, **more: Any) -> str:
    found = changes(before, now, {document.id: document for document in documents}, **more)
    printed = str(AskedAgain(before=before, answer=now, changes=found))
    return " ".join(printed[printed.index("Since 2026-01-01") :].split())


def test_nothing_changed(make_answer: Callable[..., Answer]) -> None:
    printed = said(make_answer(), make_answer())
    assert "The decision is the same: Not judged. Quotes: 2 the same." in printed
    empty = make_answer(evidence=(), statements=(), rationale="")
    assert "Neither answer quotes anything." in said(empty, empty)


def test_decision_settings_program_and_corpora(make_answer: Callable[..., Answer]) -> None:
    before = make_answer(snapshots=(SnapshotReference(name="papers", hash="a" * 64),))
    now = make_answer(
        decision=YesNoDecision(status="decided", value="yes", basis="model"),
        snapshots=(SnapshotReference(name="other", hash="b" * 64),),
        settings_hash="f" * 16,
        made_by="medground 9",
    )
    printed = said(before, now)
    assert "The decision differs: Not judged then, Yes now." in printed
    assert "Corpus papers: searched then only." in printed
    assert "Corpus other: searched now only." in printed
    assert "The settings differ" in printed
    assert "Answered by an earlier version then, and by medground 9 now." in printed


@each_row(
    ("paper", "reached", "why"),
    [
        (PAPER, True, "still has it, but other quotes were chosen"),
        (PAPER.model_copy(update={"text": "Nothing."}), True, "no longer has this sentence"),
        (PAPER.model_copy(update={"retraction": "retracted"}), True, "has been retracted"),
        (None, True, "no longer in what was searched"),
        (None, False, "because a source failed"),
    ],
)
def test_why_a_quote_is_gone(
    make_answer: Callable[..., Answer], paper: Document | None, reached: bool, why: str
) -> None:
    now = make_answer(evidence=(), statements=(), rationale="")
    printed = said(make_answer(), now, *([paper] if paper else []), reached=reached)
    assert "Quotes: 2 gone." in printed
    (first, _) = printed.split("Gone: ")[1:]
    assert first.startswith("“Aspirin may prevent stroke.” A trial (PMID:1): its document")
    assert why in first


@each_row(
    ("mark", "words"),
    [("notice", "is now marked as a retraction notice"), ("concern", "has an expression of concern since")],
)
def test_a_document_that_was_marked(make_answer: Callable[..., Answer], mark: Any, words: str) -> None:
    now = PAPER.model_copy(update={"retraction": mark})
    assert f"A trial (PMID:1) {words}." in said(make_answer(), make_answer(), now)


EVIL = 'Is "x" <script>alert(1)</script> & `y`; click q1 "javascript:1" ]] end %% --> \x1b[31m\u202ered?'


def plan_of(text: str) -> ResearchPlan:
    names = [f"{text[:100]} {n}" for n in range(3)]
    return ResearchPlan(
        question=text,
        subquestions=(
            SubQuestion(id="q1", text=text, dimension=text, keywords=(names[0], names[1])),
            SubQuestion(id="q2", text="And then?", keywords=(names[2],), tools=("protein",)),
        ),
        keywords=tuple(Keyword(name=name, dimension=text, tools=("literature", "web")) for name in names),
        edges=(Edge(before=names[0], after=names[1]), Edge(before=names[1], after=names[2], weight=0.2)),
        notes=(text,),
    )


def test_a_tree_shows_everything() -> None:
    plan = plan_of("What causes gout?")
    lines = tree(plan, 60)
    assert lines[0] == "What causes gout?"
    assert "├─ q1  What causes gout?" in lines
    assert "└─ q2  And then?" in lines
    assert "       literature, protein, web · after q1" in lines
    assert lines[-1] == "note: What causes gout?"
    assert all(len(line) <= 60 for line in lines)


def test_text_cannot_leave_its_place() -> None:
    plan = plan_of(EVIL)
    chart = mermaid(plan)
    for drawn in (svg(plan), chart, "\n".join(tree(plan))):
        assert "\x1b" not in drawn and "\u202e" not in drawn
    assert "<script" not in svg(plan) + chart
    labels = re.findall(r'"([^"\n]*)"', chart)
    assert len(labels) == chart.count('"') / 2
    assert not any(re.search(r"[`\[\]{}%|<>](?!br/>)", label.replace("<br/>", " ")) for label in labels)


@each_row("text", ["x", EVIL, "中" * 400, "a" * 480])
def test_a_drawing_is_whole_and_safe(text: str) -> None:
    root = etree.fromstring(svg(plan_of(text)).encode(), etree.XMLParser(resolve_entities=False))
    assert {etree.QName(one).localname for one in root.iter()} == {
        *("svg", "title", "defs", "marker", "path", "rect", "text")
    }
    assert not [name for one in root.iter() for name in one.attrib if name.startswith("on") or "href" in name]
    assert "And then?" in "".join(root.itertext())


@given(st.data())
def test_the_reduction_keeps_the_order(data: st.DataObject) -> None:
    nodes = [f"n{n}" for n in range(data.draw(st.integers(1, 9)))]
    pairs = [(a, b) for n, a in enumerate(nodes) for b in nodes[n + 1 :]]
    ties = data.draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    kept = reduced(ties)
    assert set(kept) <= set(ties)
    assert all(_leads(before, later, kept) for before, later in ties)


def _leads(start: str, end: str, ties: list[tuple[str, str]]) -> bool:
    return any(later == end or _leads(later, end, ties) for before, later in ties if before == start)


def span(name: str, start: int, end: int, parent: str | None = None, **facts: Any) -> dict[str, Any]:
    told = {"name": name, "id": name, "parent": parent, "status": "UNSET", "error": None, "attributes": facts}
    return told | {"start": start * 10**9, "end": end * 10**9}


def call(name: str, start: int, end: int, **facts: Any) -> dict[str, Any]:
    used = {"gen_ai.usage.input_tokens": 100, "gen_ai.usage.output_tokens": 20, "medground.model": "openai:gpt-5"}
    return span(name, start, end, "recipe", **used | facts)


def test_spans_are_nested_in_the_order_they_began() -> None:
    inner = span("b", 3, 4, "recipe"), span("a", 1, 2, "recipe"), span("in a", 1, 2, "a")
    assert len(timeline("t", [*inner, span("recipe", 0, 5), span("recipe", 0, 5, "a")]).spans) == 5  # an id twice
    made = timeline("t", [*inner, span("recipe", 0, 5)])
    assert [(one.name, one.depth, one.start, one.seconds) for one in made.spans] == [
        ("recipe", 0, 0.0, 5.0),
        ("a", 1, 1.0, 1.0),
        ("in a", 2, 1.0, 1.0),
        ("b", 1, 3.0, 1.0),
    ]
    assert made.seconds == 5.0


def test_money_is_unknown_if_one_price_is() -> None:
    known = call("one", 0, 1, **{"medground.price": "0.002"})
    made = timeline("t", [span("recipe", 0, 5), known])
    assert (made.input_tokens, made.output_tokens, made.money) == (100, 20, Decimal("0.002"))
    assert timeline("t", [span("recipe", 0, 5), known, call("two", 1, 2)]).money is None
    assert timeline("t", [span("recipe", 0, 5), call("bad", 1, 2, **{"medground.price": "NaN"})]).money is None
    made = timeline("t", [span("operator x", 0, 1, **{"medground.model": "keyless"})])
    assert (made.spans[0].model, made.money) == ("", Decimal(0))


def test_a_real_trace_shows_no_text(tmp_path: Path) -> None:
    trace = Trace("t", tmp_path / "t.jsonl")
    with trace.span("recipe ground") as outer:
        outer.text(question="SECRET QUESTION")
        with trace.step(Searching(source="corpus:papers", query="SECRET QUERY")) as inner:
            inner.set(hits=["a", "b"])
        with pytest.raises(ValueError, match="broken"), trace.step(Asking(operator="write", model="openai:gpt-5")):
            raise ValueError("broken")
    trace.close()
    made = timeline("t", read_trace(tmp_path, "t"))
    assert [one.name for one in made.spans] == ["recipe ground", "search corpus:papers", "operator write"]
    assert [one.status for one in made.spans] == ["done", "done", "failed"]
    assert made.spans[2].error == "ValueError: broken"
    assert "SECRET" not in made.model_dump_json()


def test_a_damaged_trace_still_has_its_spans() -> None:
    for parent in "self", "gone":
        made = timeline("t", [span("self", 0, 1, parent), span("other", 1, 2)])
        assert [(one.name, one.depth) for one in made.spans] == [("self", 0), ("other", 0)]
    assert timeline("t", []).spans == ()


MakeRun = Callable[..., Run]
SVG = '<svg xmlns="http://www.w3.org/2000/svg">{}</svg>'


def test_findings_and_limits_of_a_report_and_with_details_its_counts(make_run: MakeRun) -> None:
    answer, _ = reported(make_run, found())
    text = " ".join(as_text(answer).split())
    shown = (
        "Findings Does cyp17a1 knockout change the hormones of zebrafish? The cyp17a1 knockout lowered",
        "(web page) What is the function of the protein Cyp17a1?",
        "Sentences without a remark are quoted from their sources. Limitations Nothing was found that answers: “Does",
        "Not searched: Brave is not configured: name a key with MEDGROUND_KEYS__BRAVE.",
        "References 1.",
    )
    places = [text.find(said) for said in shown]
    assert -1 not in places
    assert places == sorted(places)
    assert "Sub-questions" not in text and "Read, not cited" not in text and "Sub-question Tool" not in text

    # a table of counts
    detailed = as_text(answer, details=True)
    assert "Sub-question  Tool               Found  Merged  Filtered  Cut  Kept  Cited" in detailed
    assert "- q1: Does cyp17a1 knockout change the hormones" in detailed and "Read, not cited" in detailed
    assert "| q2 | web | 2 | 0 | 1 | 0 | 1 | 1 |" in as_markdown(answer, details=True)
    page = as_html(answer, details=True)
    assert "<th>Found</th>" in page and "<td>protein databases</td>" in page

    answer, _ = reported(make_run, [SubFound(one, (tool(one.id, "literature", []),)) for one in PLAN.subquestions])
    text = as_text(answer)
    assert "\n\nNothing was found for any of the 4 sub-questions" in text
    assert "References" not in text and "Findings" not in text


ACTIVE = (
    *("<script>alert(1)</script>", '<image href="http://e.org/x.png"/>', '<use href="http://e.org/x.svg#a"/>'),
    *('<rect onload="x()"/>', '<rect style="fill: url(http://e.org/x)"/>', "<style>@import 'x.css';</style>"),
    *("<foreignObject><p/></foreignObject>", '<a href="https://e.org"><rect/></a>', "<rect>"),
    '<?xml-stylesheet href="x.css"?>',
)


def test_a_drawing_is_shown_unless_it_runs_or_loads_something() -> None:
    shown = [inside for inside in ACTIVE if picture(SVG.format(inside).encode(), "image/svg+xml") is not None]
    assert shown == []
    drawing = SVG.format('<defs><marker id="m"/></defs><path marker-end="url(#m)"/><use href="#m"/>').encode()
    assert picture(drawing, "image/svg+xml") is not None
    assert picture(b"\x89PNG\r\n\x1a\n...", "image/png") is not None
    assert picture(b"GIF89a", "image/png") is None and picture(drawing, "text/html") is None
    assert picture(b'<!DOCTYPE svg [<!ENTITY a "b">]><svg/>', "image/svg+xml") is None
