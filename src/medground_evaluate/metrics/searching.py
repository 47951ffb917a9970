"""Searching and reading: depth, MeSH headings, queries, rankings."""

import statistics
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module

import numpy as np
from numpy.typing import NDArray

from medground.errors import ConfigError
from medground.pubmed import Chain, Leaf, Negated, Node, Span, repair_syntax
from medground.values import DocumentId, grouped
from medground_evaluate.items import RunLine
from medground_evaluate.statistics import Mean, Share, item_score, mean


@dataclass(frozen=True)
class Reading:
    """What was read for one question."""

    articles: int
    sufficient: bool


@dataclass(frozen=True)
class Depths:
    """Depths of a run.

    Attributes:
        distribution: number of questions by depth in articles, of those that reached sufficiency; in order of depth.
        never: number of questions without sufficient evidence after reading everything; they have no depth.
    """

    distribution: Mapping[int, int]
    never: int

    @property
    def _depths(self) -> list[int]:
        return list(Counter(self.distribution).elements())

    @property
    def mean(self) -> float | None:
        """Mean depth of questions that reached sufficiency; None if none did."""
        return statistics.fmean(self._depths) if self._depths else None

    @property
    def median(self) -> float | None:
        """Their median depth."""
        return float(statistics.median(self._depths)) if self._depths else None

    def within(self, articles: int) -> Share:
        """Share of all questions whose evidence was sufficient within `articles`; the denominator includes `never`."""
        return Share(sum(depth <= articles for depth in self._depths), len(self._depths) + self.never)


def evidence_depths(readings: Sequence[Reading]) -> Depths:
    """The distribution of depths."""
    counts = Counter(reading.articles for reading in readings if reading.sufficient)
    return Depths(dict(sorted(counts.items())), len(readings) - counts.total())


_MESH_TAGS = ("MeSH Terms", "MeSH Major Topic")


@dataclass(frozen=True)
class HeadingScores:
    """Means over questions, 0 to 1; None if no question could be scored, or no query at all has a heading.

    Attributes:
        precision: counts 0 for a question whose query has no heading.
    """

    precision: float | None
    recall: float | None
    questions: int
    without_query: int


def heading_scores(pairs: Iterable[tuple[Collection[str], Collection[str]]]) -> HeadingScores:
    """Precision and recall of the pairs `(headings of the query, gold headings)`, averaged over questions.

    Headings are compared without case, qualifiers (`Asthma/therapy`) and the asterisk of a major topic. The paper does
    not say how it averages, or which precision a query without headings has.
    """
    scores = [item_score(set(map(_plain, gold)), set(map(_plain, predicted))) for predicted, gold in pairs if gold]
    count, without_query = len(scores), sum(not score.given for score in scores)
    known = scores if count > without_query else []
    return HeadingScores(
        precision=mean(one.precision or 0.0 for one in known).value,
        recall=mean(one.recall for one in known).value,
        questions=count,
        without_query=without_query,
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


Embed = Callable[[Sequence[str]], NDArray[np.float32]]
"""The `embed` of an `Embedder`."""
Plan = Mapping[str, Sequence[str]]
"""The queries of one question by source."""


@dataclass(frozen=True)
class QueryStatistics:
    """Statistics of one source over all questions.

    Attributes:
        queries: mean number per question, over all questions; 0 for a question that did not query the source.
        words: mean number of words per query; None without queries.
        diversity: mean of Eq. 5 over questions; None without an encoder, or if no question has two queries.
    """

    queries: float
    words: Mean
    diversity: Mean


def query_diversity(vectors: NDArray[np.float32]) -> float | None:
    """D (Eq. 5): the mean cosine distance over all pairs of query vectors, 0 to 2; None for fewer than two.

    Args:
        vectors: array of shape (queries, dimensions); the vectors may have any length above 0.
    """
    count = len(vectors)
    if count < 2:
        return None
    wide = vectors.astype(np.float64)
    units = wide / np.linalg.norm(wide, axis=1, keepdims=True)
    total = units.sum(axis=0)
    # The squared length of the sum counts each pair twice, and each query once with itself.
    similarity = float((total @ total - count) / (count * (count - 1)))
    return max(0.0, 1.0 - similarity)


def query_statistics(plans: Sequence[Plan], embed: Embed | None = None) -> dict[str, QueryStatistics]:
    """Statistics by source, in order of first appearance. Empty queries are not counted."""
    given = ((source, queries) for plan in plans for source, queries in plan.items())
    by_source = grouped((source, [query for query in queries if query.strip()]) for source, queries in given)
    found = {}
    for source, lists in by_source.items():
        spread = [query_diversity(embed(some)) for some in lists if len(some) > 1] if embed else []
        found[source] = QueryStatistics(
            queries=sum(map(len, lists)) / len(plans),
            words=mean(float(len(query.split())) for queries in lists for query in queries),
            diversity=mean([*spread, *[None] * (len(plans) - len(spread))]),
        )
    return found


DEPTHS = (1, 5, 10, 20)


def retrieval_means(lines: Iterable[RunLine]) -> dict[str, float]:
    """The mean of each measure (`R@5`, `P@5`, `nDCG@5`, `RR`) over the questions with gold documents; empty without.

    Each line's searches are scored by the documents that they found, best first; where nothing was found, with 0.
    """
    known = [line for line in lines if line.gold_documents]
    found, gold = {line.id: line.found for line in known}, {line.id: line.gold_documents for line in known}
    each = ranking_scores(found, gold)
    names = next(iter(each.values()), {})
    return {name: statistics.fmean(values[name] for values in each.values()) for name in names}


def ranking_scores(
    found: Mapping[str, Sequence[DocumentId]], gold: Mapping[str, Sequence[DocumentId]], depths: Sequence[int] = DEPTHS
) -> dict[str, dict[str, float]]:
    """Values of recall, precision and nDCG at each depth, and RR, for each question of `gold`, in its order.

    Args:
        found: document ids by question, best first; an id that is listed twice counts at its first rank.
        gold: relevant document ids by question, at least one each.
    """
    if not gold:
        return {}
    try:
        library = import_module("ir_measures")
    except ImportError as error:
        raise ConfigError(
            f"retrieval measures need the extra 'evaluate' ({error.name} is missing);"
            ' run: pip install "medground[evaluate]"'
        ) from None
    measures = [*(kind @ k for k in depths for kind in (library.R, library.P, library.nDCG)), library.RR]
    # Ranks become strictly decreasing scores, because trec_eval sorts by score and breaks ties by id.
    run = {q: {d: -float(rank) for rank, d in enumerate(dict.fromkeys(found.get(q, ())))} for q in gold}
    right = {q: dict.fromkeys(documents, 1) for q, documents in gold.items()}
    each: dict[str, dict[str, float]] = {q: {} for q in gold}
    for value in library.iter_calc(measures, right, run):
        each[value.query_id][str(value.measure)] = float(value.value)
    return {q: {str(m): values[str(m)] for m in measures} for q, values in each.items()}
