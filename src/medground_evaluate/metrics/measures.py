"""Measures of one run beyond accuracy, from the answers and traces that the home folder keeps."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from medground.answering import read_trace
from medground.corpus import Embedder
from medground.engine import Answers
from medground.errors import UsageError
from medground.models import SufficientOutput, sufficient
from medground.values import (
    TEXT,
    Answer,
    Asking,
    QueryChosen,
    QueryWritten,
    ReadingBatch,
    RewriteTrigger,
    RoundEnded,
    SourcesPlanned,
)
from medground_evaluate.items import Item, RunHeader, RunLine
from medground_evaluate.metrics import searching
from medground_evaluate.metrics.answers import Assessments, RoundPoint, assessments, grounded_rate, rouge_l, round_curve
from medground_evaluate.metrics.cost import Spans, StageMeans, Stages, stage_means, stages
from medground_evaluate.statistics import Mean, Share, mean


def queries_by_source(answer: Answer | None) -> dict[str, list[str]]:
    """The queries that each source was asked, in order, each once."""
    plan: dict[str, dict[str, None]] = {}
    for search in answer.searches if answer is not None else ():
        plan.setdefault(search.source, {})[search.query] = None
    return {source: list(queries) for source, queries in plan.items()}


def planned_queries(spans: Spans) -> dict[str, list[str]] | None:
    """The queries of each source in the plan that was searched (Omni-RAG); None for a recipe that plans no sources."""
    plans = SourcesPlanned.stored(spans)
    return plans[-1].by_source if plans else None


def plan_unread(spans: Spans) -> bool:
    """Whether the plan of sources could not be read, so that nothing was searched."""
    return any(one.unread for one in SourcesPlanned.stored(spans)[-1:])


def final_query(spans: Spans) -> str | None:
    """The query whose documents were read (PubMed Reasoner); the last one written, for recipes that do not choose."""
    if chosen := QueryChosen.stored(spans):
        return chosen[-1].query
    written = QueryWritten.stored(spans)
    return written[-1].after if written else None


def answers_by_round(spans: Spans, *, last: bool = False) -> tuple[tuple[str, ...], ...]:
    """What a recipe that loops (Self-MedRAG) would have answered, had it ended after each of its rounds.

    That is the answer of the round with the highest support score so far, the earliest of equals; with `last`, as in
    the paper, its own. A round that failed before it was answered is left out.
    """
    best: tuple[float, tuple[str, ...]] | None = None
    answers = []
    for ended in RoundEnded.stored(spans):
        score = -1.0 if ended.steering_score is None else ended.steering_score
        if best is None or last or score > best[0]:
            best = score, ended.answer
        answers.append(best[1])
    return tuple(answers)


def was_rewritten(spans: Spans) -> bool | None:
    """Whether the question was rewritten because its search found too little (Reason and Verify, Algorithm 1, line 7).

    None if the recipe does not ask that.
    """
    triggers = RewriteTrigger.stored(spans)
    return any(trigger.rewrite for trigger in triggers) if triggers else None


def reading(spans: Spans) -> searching.Reading | None:
    """How many articles were read in batches, and whether the last batch made the evidence suffice.

    None for a recipe that does not read in batches, or a question that found nothing.
    """
    begun = [span["start"] for span in spans if span["name"] == ReadingBatch.span]
    batches = ReadingBatch.stored(spans)
    if not batches:
        return None
    articles = {document for batch in batches for document in batch.documents}
    verdicts = [s for s in spans if s["name"] == Asking.name_of(sufficient.name) and s["start"] >= begun[-1]]
    try:
        said = SufficientOutput.model_validate_json(verdicts[-1]["attributes"].get(f"{TEXT}output", ""))
    except (IndexError, ValidationError):  # it was not asked, or the call failed
        return searching.Reading(len(articles), False)
    return searching.Reading(len(articles), said.sufficient)


@dataclass(frozen=True)
class Traced:
    """One question; `models` answered its operators, and `chosen` documents were found by the final query.

    `unread`: its plan of sources could not be read.
    """

    query: str
    reading: searching.Reading
    rounds: tuple[tuple[str, ...], ...]
    rewritten: bool | None = None
    plan: Mapping[str, Sequence[str]] | None = None
    stages: Stages | None = None
    models: Mapping[str, str] = field(default_factory=dict)
    chosen: int | None = None
    unread: bool = False


def read_traced(folder: Path, trace: str, header: RunHeader) -> Traced | None:
    """What a stored trace contains; None if there is none, or it was removed."""
    try:
        spans = read_trace(folder, trace)
    except UsageError:
        return None
    return Traced(
        query=final_query(spans) or "",
        reading=reading(spans) or searching.Reading(0, False),
        rounds=answers_by_round(spans, last=header.settings.get("self_medrag", {}).get("returned") == "last"),
        rewritten=was_rewritten(spans),
        plan=planned_queries(spans),
        stages=stages(spans),
        models={one.operator: one.model for one in Asking.stored(spans)},
        unread=plan_unread(spans),
        chosen=next((one.documents for one in reversed(QueryChosen.stored(spans))), None),
    )


def rewritten_share(traced: Iterable[Traced]) -> Share | None:
    """Questions that were rewritten as too little was found, of those that might have been; None if there are none."""
    triggers = [one.rewritten for one in traced if one.rewritten is not None]
    return Share(sum(triggers), len(triggers)) if triggers else None


def rounds_of(lines: Sequence[RunLine], traced: Mapping[str, Traced]) -> tuple[RoundPoint, ...]:
    """Accuracy and F1 after each round, for recipes that loop."""
    return round_curve([(line, traced[line.id].rounds if line.id in traced else ()) for line in lines])


def depths_of(traced: Iterable[Traced], items: int) -> searching.Depths:
    """Evidence sufficiency depths over all items; one without a trace has read nothing."""
    readings = [one.reading for one in traced]
    return searching.evidence_depths([*readings, *[searching.Reading(0, False)] * (items - len(readings))])


@dataclass(frozen=True)
class Measures:
    """Measures of one run. None means that they do not apply to its recipe or its set.

    Attributes:
        items: number of items in the run.
        untraced: questions without a stored trace, because it was removed or they failed; they count as having read
            and searched nothing, and stay in the denominators.
        checked: the same as the paper counts it: answers that cite, and whose evidence was found sufficient.
        rewritten: questions that were rewritten because their search found too little, of those that might have been.
        rouge: mean ROUGE-L F1 over the questions with a reference answer; an empty answer scores 0.
    """

    items: int
    untraced: int
    grounded: Share
    checked: Share | None
    depths: searching.Depths | None
    headings: searching.HeadingScores | None
    queries: Mapping[str, searching.QueryStatistics]
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
    """
    traced = {line.id: found for line in lines if (found := read_traced(home / "traces", line.trace, header))}
    stored = Answers(home)
    answers = {line.id: stored.as_given(line.trace) for line in lines}  # as they were given, so that figures stay
    read = {i: one.reading for i, one in traced.items() if one.reading.articles}
    count = max(header.items, len(lines))
    asked = [
        (searching.headings_of(traced[item.id].query if item.id in traced else ""), item.headings) for item in items
    ]
    plans = [
        traced[i].plan or {} if i in traced and traced[i].plan is not None else queries_by_source(answer)
        for i, answer in answers.items()
    ]
    texts = {line.id: line.text for line in lines}
    pairs = [(texts[item.id], item.reference) for item in items if item.reference and item.id in texts]
    return Measures(
        items=count,
        untraced=count - len(traced),
        grounded=grounded_rate(lines, header.items),
        checked=grounded_rate(lines, count, {i for i, one in read.items() if one.sufficient}) if read else None,
        depths=depths_of(traced.values(), count) if read else None,
        headings=searching.heading_scores(asked) if any(item.headings for item in items) else None,
        queries=searching.query_statistics(plans, embedder.embed if embedder else None),
        rounds=rounds_of(lines, traced),
        rouge=mean(rouge_l(text, reference).f1 for text, reference in pairs) if pairs else None,
        rewritten=rewritten_share(traced.values()),
        assessed=assessments(answers.values()),
        stages=stage_means([one.stages for one in traced.values()]),
    )
