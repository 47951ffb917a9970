"""A source plan and the tagged form in which planners write it."""

from __future__ import annotations

from medground.plan.source_plan import SourcePlan, SourceQuery, tagged


def test_tags_follow_the_order_of_the_sources_and_are_empty_where_nothing_is_asked() -> None:
    plan = SourcePlan(
        queries={
            "graph": (SourceQuery(term="Marfan syndrome", text="features"), SourceQuery(term="FBN1", text="diseases")),
            "book": (SourceQuery(text="lens dislocation"),),
        }
    )
    assert tagged(plan, ("book", "wiki", "graph")) == (
        "<book> lens dislocation </book>\n<wiki> </wiki>\n<graph> Marfan syndrome , features ; FBN1 , diseases </graph>"
    )
    assert plan.size == 3
    assert [name for name, _ in plan] == ["graph", "graph", "book"]
