"""Plans for readers: nothing that a plan says can break out of a drawing, and the layout keeps the order."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from rows import each_row

from medground.values.research_plan import Edge, Keyword, ResearchPlan, SubQuestion
from medground.wording.plans import layered, mermaid, reduced, svg, tree

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
        *("svg", "title", "defs", "marker", "path", "rect", "text", "circle")
    }
    assert not [name for one in root.iter() for name in one.attrib if name.startswith("on") or "href" in name]
    assert "And then?" in "".join(root.itertext())


@given(st.data())
def test_layers_and_reduction_keep_the_order(data: st.DataObject) -> None:
    nodes = [f"n{n}" for n in range(data.draw(st.integers(1, 9)))]
    pairs = [(a, b) for n, a in enumerate(nodes) for b in nodes[n + 1 :]]
    ties = data.draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    layout = layered(nodes, ties)
    column = {item: n for n, items in enumerate(layout.columns) for item in items}
    assert sorted(item for item in column if isinstance(item, str)) == sorted(nodes)
    assert all(column[before] < column[later] for before, later in ties)
    for way in layout.ways.values():
        assert [column[item] for item in way] == list(range(column[way[0]], column[way[-1]] + 1))
    kept = reduced(ties)
    assert set(kept) <= set(ties)
    assert all(_leads(before, later, kept) for before, later in ties)


def _leads(start: str, end: str, ties: list[tuple[str, str]]) -> bool:
    return any(later == end or _leads(later, end, ties) for before, later in ties if before == start)
