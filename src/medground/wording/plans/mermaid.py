"""A research plan as Mermaid: the order of the sub-questions, and the graph of the keywords."""

from __future__ import annotations

import re

from medground.research_plan import Keyword, ResearchPlan
from medground.text.english import joined
from medground.wording.plans.reduced import reduced, ties_of

_PLAIN = re.compile(r"[^\w ,.:?()/+-]")
"""Anything else could end a label or be read as Mermaid, HTML or Markdown, and becomes its number."""


def mermaid(plan: ResearchPlan) -> str:
    """The text of a flow chart. Labels hold no character that Mermaid reads as its own."""
    lines = ["flowchart LR", f'  question["{_label(plan.question)}"]']
    after = plan.after()
    for one in plan.subquestions:
        facts = f"{_label(one.dimension)}<br/>{', '.join(plan.tools_of(one))}"
        lines.append(f'  {one.id}["{one.id}: {_label(one.text)}<br/>{facts}"]')
    lines += [f"  question --> {one.id}" for one in plan.subquestions if not after[one.id]]
    lines += [f"  {before} --> {later}" for before, later in reduced(ties_of(after))]
    if plan.keywords:
        ids = {keyword.name: f"k{number}" for number, keyword in enumerate(plan.keywords, start=1)}
        lines.append('  subgraph keywords["keywords"]')
        lines += [f'    {ids[keyword.name]}(["{_node(plan, keyword)}"])' for keyword in plan.keywords]
        lines += [f"    {ids[edge.before]} -- {edge.weight:g} --> {ids[edge.after]}" for edge in plan.edges]
        lines.append("  end")
    return "\n".join(lines) + "\n"


def _node(plan: ResearchPlan, keyword: Keyword) -> str:
    users = ", ".join(one.id for one in plan.subquestions if keyword.name in one.keywords)
    facts = [_label(keyword.dimension), ", ".join(keyword.tools), users]
    return "<br/>".join([_label(keyword.name), *filter(None, facts)])


def _label(text: str) -> str:
    plain = joined(text)
    return _PLAIN.sub(lambda match: f"#{ord(match[0])};", plain)
