"""What the metrics need beyond the lines of a run: read from the answers and traces that the home folder keeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from medground.answer import Answer
from medground.answers import Answers
from medground.evaluate.base import RunLine
from medground.evaluate.metrics.depth import Reading
from medground.operators.reading import SufficientOutput, sufficient
from medground.steps import (
    TEXT,
    Asking,
    QueryChosen,
    QueryWritten,
    ReadingBatch,
    RewriteTrigger,
    RoundEnded,
    SourcesPlanned,
)
from medground.trace import read_trace

Spans = Sequence[Mapping[str, Any]]
"""Of one trace, in the order they started."""


def stored_answer(home: Path, line: RunLine) -> Answer | None:
    """The answer of a line as it was given, so that figures stay; None if it has none or it was removed.

    Raises:
        UsageError: the file is not an answer.
    """
    return Answers(home).as_given(line.trace)


def stored_trace(home: Path, line: RunLine) -> Spans | None:
    """The spans of a line's trace; None if it has none or it was removed."""
    folder = home / "traces"
    if not line.trace or not (folder / f"{line.trace}.jsonl").is_file():
        return None
    return read_trace(folder, line.trace)


def queries_by_source(answer: Answer) -> dict[str, list[str]]:
    """The queries that each source was asked, in order, each once."""
    plan: dict[str, dict[str, None]] = {}
    for search in answer.searches:
        plan.setdefault(search.source, {})[search.query] = None
    return {source: list(queries) for source, queries in plan.items()}


def planned_queries(spans: Spans) -> dict[str, list[str]] | None:
    """The queries of each source in the plan that was searched (Omni-RAG); None for a recipe that plans no sources."""
    plans = SourcesPlanned.stored(spans)
    return plans[-1].by_source if plans else None


def final_query(spans: Spans) -> str | None:
    """The query whose documents were read (PubMed Reasoner); the last one written, for recipes that do not choose."""
    if chosen := QueryChosen.stored(spans):
        return chosen[-1].query
    written = QueryWritten.stored(spans)
    return written[-1].after if written else None


def answers_by_round(spans: Spans) -> tuple[tuple[str, ...], ...]:
    """What a recipe that loops (Self-MedRAG) would have answered, had it ended after each of its rounds.

    That is the answer of the round with the highest support score so far, the earliest of equals. A round that failed
    before it was answered is left out.
    """
    best: tuple[float, tuple[str, ...]] | None = None
    answers = []
    for ended in RoundEnded.stored(spans):
        score = -1.0 if ended.steering_score is None else ended.steering_score
        if best is None or score > best[0]:
            best = score, ended.answer
        answers.append(best[1])
    return tuple(answers)


def was_rewritten(spans: Spans) -> bool | None:
    """Whether the question was rewritten because its search found too little (Reason and Verify, Algorithm 1, line 7).

    None if the recipe does not ask that.
    """
    triggers = RewriteTrigger.stored(spans)
    return any(trigger.rewrite for trigger in triggers) if triggers else None


def reading(spans: Spans) -> Reading | None:
    """How many articles were read in batches, and whether the last batch made the evidence suffice.

    None for a recipe that does not read in batches, or a question that found nothing.
    """
    begun = [span["start"] for span in spans if span["name"] == ReadingBatch.span]
    batches = ReadingBatch.stored(spans)
    if not batches:
        return None
    articles = dict.fromkeys(document for batch in batches for document in batch.documents)
    verdicts = [s for s in spans if s["name"] == Asking.name_of(sufficient.name) and s["start"] >= begun[-1]]
    return Reading(len(articles), bool(verdicts) and _is_sufficient(verdicts[-1]))


def _is_sufficient(span: Mapping[str, Any]) -> bool:
    try:
        return SufficientOutput.model_validate_json(span["attributes"].get(f"{TEXT}output", "")).sufficient
    except ValidationError:
        return False  # the call failed
