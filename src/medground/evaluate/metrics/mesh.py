"""MeSH precision and recall: the headings of the final query against those of the question's article.

Source: PubMed Reasoner, Table 4 and appendix B (query term quality).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from medground.pubmed.parser import repair_syntax
from medground.pubmed.syntax import Chain, Leaf, Negated, Node, Span

_MESH_TAGS = ("MeSH Terms", "MeSH Major Topic")


@dataclass(frozen=True)
class HeadingScores:
    """Means over questions, 0 to 1; None if no question could be scored, or no query at all has a heading.

    Attributes:
        precision: counts 0 for a question whose query has no heading.
        questions: number of questions with gold headings.
        without_query: number of those whose query has no heading.
        without_gold: number of questions without gold headings, which are left out.
    """

    precision: float | None
    recall: float | None
    questions: int
    without_query: int
    without_gold: int


def heading_scores(pairs: Iterable[tuple[Collection[str], Collection[str]]]) -> HeadingScores:
    """Precision and recall of the pairs `(headings of the query, gold headings)`, averaged over questions.

    Headings are compared without case, qualifiers (`Asthma/therapy`) and the asterisk of a major topic. The paper does
    not say how it averages, or which precision a query without headings has.
    """
    precision: list[float] = []
    recall: list[float] = []
    without_query = without_gold = 0
    for predicted, gold in pairs:
        chosen, right = set(map(_plain, predicted)), set(map(_plain, gold))
        if not right:
            without_gold += 1
            continue
        both = len(chosen & right)
        without_query += not chosen
        precision.append(both / len(chosen) if chosen else 0.0)
        recall.append(both / len(right))
    count = len(recall)
    return HeadingScores(
        precision=sum(precision) / count if count > without_query else None,
        recall=sum(recall) / count if count > without_query else None,
        questions=count,
        without_query=without_query,
        without_gold=without_gold,
    )


def headings_of(query: str) -> tuple[str, ...]:
    """The MeSH headings that a PubMed query asks for, in order, each once; headings after a NOT are left out."""
    node, _ = repair_syntax(query)
    return tuple(dict.fromkeys(_wanted(node))) if node is not None else ()


def _wanted(node: Node) -> Iterator[str]:
    match node:
        case Leaf():
            if node.use is not None and node.use.tag.name in _MESH_TAGS:
                yield node.text
        case Chain():
            yield from _wanted(node.first)
            for operator, part in node.rest:
                if operator != "NOT":
                    yield from _wanted(part)
        case Negated() | Span():
            return


def _plain(heading: str) -> str:
    return heading.partition("/")[0].replace("*", "").strip().casefold()
