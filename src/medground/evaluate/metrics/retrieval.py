"""Retrieval quality against the documents that answer a question: recall, precision, reciprocal rank, nDCG.

Definitions are trec_eval's, computed by ir-measures: `R@k` and `P@k` of the first k documents, `RR` as the reciprocal
rank of the first relevant document, `nDCG@k` with gain 1 for a relevant document and a discount of log2(rank + 1)
(K. Järvelin and J. Kekäläinen, TOIS 20, 2002). MRR is the mean of RR.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from medground.document import DocumentId
from medground.errors import ConfigError
from medground.evaluate.base import RunLine

DEPTHS = (1, 5, 10, 20)


@dataclass(frozen=True)
class RetrievalScores:
    """Scores of a run's searches.

    Attributes:
        each: by question id, the values of each measure by its name (`R@5`, `P@5`, `nDCG@5`, `RR`), 0 to 1.
        without_gold: number of questions without gold documents; they are not scored.
    """

    each: Mapping[str, Mapping[str, float]]
    without_gold: int

    @property
    def mean(self) -> dict[str, float]:
        """The mean of each measure; empty if no question could be scored."""
        names = next(iter(self.each.values()), {})
        return {name: sum(values[name] for values in self.each.values()) / len(self.each) for name in names}


def retrieval_scores(lines: Iterable[RunLine], depths: Sequence[int] = DEPTHS) -> RetrievalScores:
    """Score the documents that each line's searches found, best first, against those that answer its question.

    A question for which nothing was found scores 0. A document that is listed twice counts at its first rank.

    Raises:
        ConfigError: the extra `evaluate` is not installed.
    """
    found: dict[str, Sequence[DocumentId]] = {}
    gold: dict[str, Sequence[DocumentId]] = {}
    without = 0
    for line in lines:
        if line.gold_documents:
            found[line.id], gold[line.id] = line.found, line.gold_documents
        else:
            without += 1
    return RetrievalScores(ranking_scores(found, gold, depths), without)


def ranking_scores(
    found: Mapping[str, Sequence[DocumentId]], gold: Mapping[str, Sequence[DocumentId]], depths: Sequence[int] = DEPTHS
) -> dict[str, dict[str, float]]:
    """Values of each measure for each question of `gold`, in its order.

    Args:
        found: document ids by question, best first.
        gold: relevant document ids by question, at least one each.
        depths: values of k for recall, precision and nDCG, each 1 or more.

    Raises:
        ConfigError: the extra `evaluate` is not installed.
    """
    if not gold:
        return {}
    measures = _measures(depths)
    # Ranks become strictly decreasing scores, because trec_eval sorts by score and breaks ties by id.
    run = {q: {d: -float(rank) for rank, d in enumerate(dict.fromkeys(found.get(q, ())))} for q in gold}
    right = {q: dict.fromkeys(documents, 1) for q, documents in gold.items()}
    each: dict[str, dict[str, float]] = {q: {} for q in gold}
    for value in _library().iter_calc(measures, right, run):
        each[value.query_id][str(value.measure)] = float(value.value)
    return {q: {str(m): values[str(m)] for m in measures} for q, values in each.items()}


def _measures(depths: Sequence[int]) -> list[Any]:
    library = _library()
    return [*(kind @ k for k in depths for kind in (library.R, library.P, library.nDCG)), library.RR]


def _library() -> Any:
    try:
        return import_module("ir_measures")
    except ImportError as error:
        raise ConfigError(
            f"retrieval measures need the extra 'evaluate' ({error.name} is missing);"
            ' run: pip install "medground[evaluate]"'
        ) from None
