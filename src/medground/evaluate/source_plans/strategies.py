"""The plans that are compared with the keyless planner: all sources, the question itself, one source, a random half."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from medground.document import SourceKind
from medground.evaluate.base import Item
from medground.operators.keyless.planning import Sought, plan
from medground.operators.keyless.source_queries import by_words, graph_terms

KEYLESS = "keyless planner"
ALL = "all sources"
ORIGINAL = "original question"
ONLY = "only "
WITHOUT = " without "
RANDOM = "random half "
SEEDS = 5

Sources = Sequence[tuple[str, SourceKind]]
"""Name and kind of each source."""


def strategies(item: Item, sources: Sources) -> dict[str, list[Sought]]:
    """The plan of each strategy for a question, by its name."""
    names = [name for name, _ in sources]
    return {
        KEYLESS: keyless(item, sources),
        ALL: everywhere(item, sources),
        ORIGINAL: list(original(item, sources)),
        **{f"{ONLY}{name}": of_sources(everywhere(item, sources), [name]) for name in names},
        **{f"{RANDOM}{seed}": random_half(item, sources, seed) for seed in range(SEEDS)},
        **{f"{KEYLESS}{WITHOUT}{name}": keyless(item, _others(sources, name)) for name in names if len(names) > 1},
        **{f"{ALL}{WITHOUT}{name}": everywhere(item, _others(sources, name)) for name in names if len(names) > 1},
    }


def keyless(item: Item, sources: Sources) -> list[Sought]:
    """The plan of the keyless planner."""
    return plan(item.question.text, sources, options=[option.text for option in item.question.options])


def everywhere(item: Item, sources: Sources) -> list[Sought]:
    """One lookup in each source: the question without its filler; of a graph, its most specific term."""
    text = by_words(item.question.text)
    terms = graph_terms(item.question.text)[:1]
    return [Sought(name, text, term) for name, kind in sources for term in (terms if kind == "graph" else ("",))]


def original(item: Item, sources: Sources) -> Iterator[Sought]:
    """The question as it is; of a graph, fewer than four terms (Omni-RAG, appendix D.3, Original Question)."""
    for name, kind in sources:
        if kind != "graph":
            yield Sought(name, item.question.text)
        else:
            yield from (Sought(name, item.question.text, term) for term in graph_terms(item.question.text)[:3])


def random_half(item: Item, sources: Sources, seed: int) -> list[Sought]:
    """One lookup in each of half of the sources, drawn at random for each question; the same seed draws the same."""
    names = [name for name, _ in sources]
    drawn = random.Random(f"{seed} {item.id}").sample(names, max(1, len(names) // 2))
    return of_sources(everywhere(item, sources), drawn)


def of_sources(plan: Sequence[Sought], names: Sequence[str]) -> list[Sought]:
    """The part of a plan that goes to these sources."""
    return [one for one in plan if one.source in names]


def _others(sources: Sources, name: str) -> list[tuple[str, SourceKind]]:
    return [(other, kind) for other, kind in sources if other != name]
