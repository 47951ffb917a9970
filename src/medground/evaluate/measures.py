"""Measures of one run beyond accuracy: how much it read, what it searched for, its rounds, its long answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from medground.answer import Answer
from medground.corpus.embedding.base import Embedder
from medground.evaluate.base import Item, RunHeader, RunLine
from medground.evaluate.metrics.assessed import Assessments, assessments
from medground.evaluate.metrics.depth import Depths, Reading, evidence_depths
from medground.evaluate.metrics.grounding import checked_rate, grounded_rate
from medground.evaluate.metrics.mesh import HeadingScores, heading_scores, headings_of
from medground.evaluate.metrics.queries import QueryStatistics, query_statistics
from medground.evaluate.metrics.rouge import rouge_l
from medground.evaluate.metrics.rounds import RoundPoint, round_curve
from medground.evaluate.metrics.share import Mean, Share, mean
from medground.evaluate.metrics.stages import StageMeans, stage_means, stages
from medground.evaluate.metrics.stored import (
    Spans,
    answers_by_round,
    final_query,
    planned_queries,
    queries_by_source,
    reading,
    stored_answer,
    stored_trace,
    was_rewritten,
)


@dataclass(frozen=True)
class Measures:
    """Measures of one run. None means that they do not apply to its recipe or its set.

    Attributes:
        items: number of items in the run.
        untraced: questions without a stored trace, because it was removed or they failed; they count as having read
            and searched nothing, and stay in the denominators.
        grounded: evidence-grounded response rate: answers that cite.
        checked: the same as the paper counts it: answers that cite, and whose evidence was found sufficient.
        depths: evidence sufficiency depth, for recipes that read in batches.
        headings: MeSH precision and recall, for sets with gold headings.
        queries: statistics by source.
        rewritten: questions that were rewritten because their search found too little, of those that might have been.
        assessed: what a model says of whole answers.
        stages: seconds and tokens by stage, for recipes that plan sources.
        rounds: accuracy and F1 after each round, for recipes that loop.
        rouge: mean ROUGE-L F1 over the questions with a reference answer; an empty answer scores 0.
    """

    items: int
    untraced: int
    grounded: Share
    checked: Share | None
    depths: Depths | None
    headings: HeadingScores | None
    queries: Mapping[str, QueryStatistics]
    rounds: tuple[RoundPoint, ...]
    rouge: Mean | None
    rewritten: Share | None = None
    assessed: Assessments | None = None
    stages: tuple[StageMeans, ...] = ()


def measure(
    header: RunHeader,
    lines: Sequence[RunLine],
    home: Path,
    items: Sequence[Item] = (),
    embedder: Embedder | None = None,
) -> Measures:
    """Measure a run from its lines, and from the answers and traces stored under `home`.

    Args:
        items: items of the set, for gold headings and reference answers.
        embedder: encodes queries to measure their diversity; without it diversity is not measured.

    Raises:
        UsageError: a stored answer is from another version.
    """
    traces = {line.id: spans for line in lines if (spans := stored_trace(home, line))}
    answers = [stored_answer(home, line) for line in lines]
    plans = [_plan(line, answer, traces) for line, answer in zip(lines, answers, strict=True)]
    read = {i: found for i, spans in traces.items() if (found := reading(spans))}
    readings = list(read.values())
    histories = [(line, answers_by_round(traces.get(line.id, ()))) for line in lines]
    count = max(header.items, len(lines))
    never = [Reading(0, False)] * (count - len(readings))
    return Measures(
        items=count,
        untraced=count - len(traces),
        grounded=grounded_rate(lines, header.items),
        checked=checked_rate(lines, {i for i, found in read.items() if found.sufficient}, count) if read else None,
        depths=evidence_depths([*readings, *never]) if readings else None,
        headings=_headings(traces, items),
        queries=query_statistics(plans, embedder),
        rounds=round_curve(histories),
        rouge=_rouge(lines, items),
        rewritten=_rewritten(traces),
        assessed=assessments(answers),
        stages=stage_means([stages(spans) for spans in traces.values()]),
    )


def _plan(line: RunLine, answer: Answer | None, traces: Mapping[str, Spans]) -> Mapping[str, Sequence[str]]:
    """The queries of the plan that was searched; of a recipe that plans no sources, those that sources were asked."""
    planned = planned_queries(traces.get(line.id, ()))
    if planned is not None:
        return planned
    return queries_by_source(answer) if answer is not None else {}


def _rewritten(traces: Mapping[str, Spans]) -> Share | None:
    triggers = [found for spans in traces.values() if (found := was_rewritten(spans)) is not None]
    return Share(sum(triggers), len(triggers)) if triggers else None


def _headings(traces: Mapping[str, Spans], items: Sequence[Item]) -> HeadingScores | None:
    if not any(item.headings for item in items):
        return None
    asked = [(headings_of(final_query(traces.get(item.id, ())) or ""), item.headings) for item in items]
    return heading_scores(asked)


def _rouge(lines: Sequence[RunLine], items: Sequence[Item]) -> Mean | None:
    texts = {line.id: line.text for line in lines}
    pairs = [(texts[item.id], item.reference) for item in items if item.reference and item.id in texts]
    return mean(rouge_l(text, reference).f1 for text, reference in pairs) if pairs else None
