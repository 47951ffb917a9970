"""The layout of a report, and the pictures that it may show."""

from __future__ import annotations

from collections.abc import Callable

from researched import PLAN, found, reported, tool

from medground.answering.run import Run
from medground.values.report import SubFound
from medground.wording.blocks import picture
from medground.wording.markup import as_html, as_markdown
from medground.wording.text import as_text

MakeRun = Callable[..., Run]
SVG = '<svg xmlns="http://www.w3.org/2000/svg">{}</svg>'


def test_findings_connections_and_counts_and_an_unanswered_report_without_references(make_run: MakeRun) -> None:
    answer, _ = reported(make_run, found())
    text = " ".join(as_text(answer).split())
    shown = (
        "Findings q1: Does cyp17a1 knockout change the hormones of zebrafish? The cyp17a1 knockout lowered",
        "low. [E2] Sex of zebrafish depends on many genes. [E4]",
        "had a male sex ratio of 3 to 1. [E3] (web page) q3: What is the function of the protein Cyp17a1?",
        "Synthesis No language model wrote a synthesis. The quotes that cover most of the question are [E1] [E2]",
        "Sentences without a remark are quoted from their sources. How the findings connect",
        "- q1 and q2 both mention 11-ketotestosterone. [E1] [E2] Found by comparing words; whether they are connected",
        "Limitations",
    )
    places = [text.find(said) for said in shown]
    assert -1 not in places
    assert places == sorted(places)

    # a table of counts
    assert "Sub-question  Tool               Found  Merged  Filtered  Cut  Kept  Cited" in as_text(answer)
    assert "| q2 | web | 2 | 0 | 1 | 0 | 1 | 1 |" in as_markdown(answer)
    assert "<th>Found</th>" in as_html(answer) and "<td>protein databases</td>" in as_html(answer)

    answer, _ = reported(make_run, [SubFound(one, (tool(one.id, "literature", []),)) for one in PLAN.subquestions])
    text = as_text(answer)
    assert (
        "\n\nNothing was found for any of the 4 sub-questions" in text
        and "References" not in text
        and "Findings" not in text
    )


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
