"""A research plan as a tree of text: each sub-question with its dimension, keywords, tools and what it comes after."""

from __future__ import annotations

from textwrap import wrap

from medground.research_plan import Keyword, ResearchPlan, SubQuestion
from medground.text.english import joined


def tree(plan: ResearchPlan, width: int = 100) -> list[str]:
    """The lines of the tree, each at most `width` characters where its words allow it."""
    lines = wrap(joined(plan.question), width) or [""]
    after = plan.after()
    for number, one in enumerate(plan.subquestions):
        last = number == len(plan.subquestions) - 1
        head, rest = ("└─ ", "   ") if last else ("├─ ", "│  ")
        shown = _shown(plan, one, after[one.id], width - len(rest) - 4)
        lines += [f"{head if n == 0 else rest}{f'{one.id:<3} ' if n == 0 else '    '}{t}" for n, t in enumerate(shown)]
    for note in plan.notes:
        lines += wrap(f"note: {joined(note)}", width, subsequent_indent="      ")
    return [line.rstrip() for line in lines]


def _shown(plan: ResearchPlan, one: SubQuestion, after: tuple[str, ...], width: int) -> list[str]:
    facts = [joined(one.dimension), ", ".join(plan.tools_of(one)), f"after {', '.join(after)}" if after else "first"]
    lines = [*wrap(joined(one.text), width), *wrap(" · ".join(filter(None, facts)), width)]
    named = ", ".join(_keyword(keyword) for keyword in plan.keywords_of(one))
    return [*lines, *wrap(f"keywords: {named}", width, subsequent_indent="          ")] if named else lines


def _keyword(keyword: Keyword) -> str:
    fine = joined(keyword.dimension)
    name = joined(keyword.name)
    return f"{name} ({fine})" if fine and fine.casefold() != name.casefold() else name
