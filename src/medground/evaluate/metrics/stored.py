"""What the metrics need and a run's line does not have: read from the answers and traces that the home folder keeps."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from medground.answer import Answer
from medground.errors import UsageError
from medground.evaluate.base import RunLine
from medground.evaluate.metrics.depth import Reading
from medground.trace import TEXT, read_trace

Spans = Sequence[Mapping[str, Any]]
"""Of one trace, in the order they started."""

_QUERY = f"{TEXT}query"
_OUTPUT = f"{TEXT}output"


def stored_answer(home: Path, line: RunLine) -> Answer | None:
    """The answer of a line; None where it has none or it is no longer there.

    Raises:
        UsageError: the file is no answer.
    """
    path = home / "answers" / f"{line.trace}.json"
    if not line.trace or not path.is_file():
        return None
    try:
        return Answer.model_validate_json(path.read_bytes())
    except ValidationError:
        raise UsageError(f"{path} is no answer of this version of Medground; remove it") from None


def stored_trace(home: Path, line: RunLine) -> Spans | None:
    """The spans of a line's trace; None where it has none or it is no longer there."""
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


def final_query(spans: Spans) -> str | None:
    """The query whose documents were read (PubMed Reasoner); the last normalised one of recipes without a choice."""
    chosen = _named(spans, "final query")
    if chosen:
        return str(chosen[-1]["attributes"].get(_QUERY, ""))
    written = _named(spans, "normalise query")
    return str(written[-1]["attributes"].get(f"{TEXT}after", "")) if written else None


def answers_by_round(spans: Spans) -> tuple[tuple[str, ...], ...]:
    """What a recipe that loops (Self-MedRAG) would have answered, had it ended after each of its rounds.

    That is the answer of the round with the highest support score so far, the earliest of equals. A round that failed
    before it was answered is left out. A lean, which statistics add at the end, is in no round.
    """
    best: tuple[float, tuple[str, ...]] | None = None
    answers = []
    for round_ in (span["attributes"] for span in _named(spans, "round")):
        if "medground.answer" not in round_:
            continue
        score = float(round_.get("medground.steering_score", -1.0))
        if best is None or score > best[0]:
            best = score, tuple(map(str, round_["medground.answer"]))
        answers.append(best[1])
    return tuple(answers)


def reading(spans: Spans) -> Reading | None:
    """How many articles were read in batches, and whether the last one made the evidence suffice; None for a recipe
    that does not read in batches, or a question that found nothing."""
    batches = _named(spans, "read batch")
    if not batches:
        return None
    articles = dict.fromkeys(d for batch in batches for d in batch["attributes"].get("medground.documents", ()))
    verdicts = [s for s in _named(spans, "operator sufficient") if s["start"] >= batches[-1]["start"]]
    return Reading(len(articles), bool(verdicts) and _is_sufficient(verdicts[-1]))


def _is_sufficient(span: Mapping[str, Any]) -> bool:
    try:
        output = json.loads(span["attributes"].get(_OUTPUT, ""))
    except ValueError:
        return False  # the call failed
    return isinstance(output, dict) and output.get("sufficient") is True


def _named(spans: Spans, name: str) -> list[Mapping[str, Any]]:
    return [span for span in spans if span["name"] == name]
