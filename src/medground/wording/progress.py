"""What a run does, in words, and what it did and when, from its trace."""

from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, Literal

from pydantic import NonNegativeFloat, NonNegativeInt

from medground.corpus.manifest import Manifest
from medground.home.files import tables
from medground.language.clean import clean, some
from medground.values import steps
from medground.values.document import Described, Frozen
from medground.values.usage import Author
from medground.wording.phrases import source_title


def in_words(step: steps.Step) -> str:
    """A step in a few words without a full stop; empty for a step that readers need not see."""
    match step:
        case steps.Searching():
            return f"searching {source_title(step.source)}"
        case steps.Searched(status="failed"):
            return f"{source_title(step.source)} could not be searched"
        case steps.Searched():
            return f"found {some(step.found, 'result') if step.found else 'nothing'} in {source_title(step.source)}"
        case steps.ReadingBatch():
            return f"reading batch {step.number} of {step.of}"
        case steps.Written():
            return f"written, not checked yet: {clean(step.text)}"
        case steps.Judging():
            return f"judging statement {min(step.done + 1, step.of)} of {step.of}"
        case steps.RoundBegun():
            return f"round {step.number} of at most {step.of}"
        case steps.PlanRound():
            return f"plan {step.number} of at most {step.of}"
        case steps.PlanRated(score=int()):
            return f"plan {step.number} got {step.score} of 5 points"
        case steps.QueryChosen():
            return "the query is chosen"
        case steps.PlanningSources():
            return "planning what to ask each source"
        case steps.SourcesPlanned():
            return f"planned {some(step.queries, 'query', 'queries')}" if step.queries else "planned to search nothing"
        case steps.PlanningResearch():
            return "splitting the question"
        case steps.ResearchPlanned():
            return f"planned {some(step.subquestions, 'sub-question')}"
        case steps.RewriteTrigger(rewrite=True):
            return "too little was found; rewriting the question"
        case steps.Asking():
            return f"waiting for {clean(step.model)} ({step.operator})" if Author(step.model).is_model else ""
        case steps.ResearchBegun(resumed=True):
            return f"research {step.id} goes on"
        case steps.SubQuestionBegun():
            return f"{step.id}: searching {', '.join(step.tools)}"
        case steps.SubQuestionDone():
            failed = f"; {', '.join(step.failed)} could not be searched" if step.failed else ""
            return f"{step.id}: {some(step.kept, 'result')} kept{failed}"
        case steps.WritingReport():
            return f"writing the report on {some(step.subquestions, 'sub-question')}"
        case steps.Kept(stopped=str()):
            return f"stopped; what was found is kept as {step.trace_id}"
        case _:
            return ""


_PHASES: Mapping[str, str] = tables("wording", "words")["phases"]
_NAMED = 3


def phase(step: str) -> str:
    """A step of a build, such as `read`, as people read it."""
    if step in _PHASES:
        return _PHASES[step]
    verb, _, what = step.partition(" ")
    return f"{verb}ing {what}" if verb in ("read", "join", "index") else step


def built(manifest: Manifest, passed_over: Sequence[str]) -> str:
    """What a finished build made, with the first files that were skipped."""
    counts = manifest.counts
    said = f"{manifest.name}: {some(counts.documents, 'document')}, {some(counts.passages, 'passage')}"
    if not passed_over:
        return said
    names = ", ".join(passed_over[:_NAMED])
    more = f" and {len(passed_over) - _NAMED:,} more" if len(passed_over) > _NAMED else ""
    return f"{said}; {some(len(passed_over), 'file')} skipped: {names}{more}"


ABOUT: Mapping[str, str] = tables("home", "registry")["about"]
"""Name of a recipe to what it does."""


_NANO = 1e9
_TOLD = ("source", "operator", "documents", "found", "subquestions", "quotes", "kept", "queries", "passages")
"""Facts of a span that a reader sees next to its name."""


class TimelineSpan(Described):
    """One part of a run. `start` is in seconds since the run began; `depth` counts the spans around it.

    Tokens and money are those of its own call of a model: a span without one has none. Money is None where the price is
    unknown.
    """

    id: str
    parent: str | None
    name: str
    words: str = ""
    start: NonNegativeFloat
    seconds: NonNegativeFloat
    depth: NonNegativeInt
    status: Literal["done", "failed"]
    error: str = ""
    model: str = ""
    """the model that was called; empty for the program's own work"""
    cached: bool = False
    input_tokens: int = 0
    output_tokens: int = 0
    money: Decimal | None = Decimal(0)
    """US dollars; null if unknown, never free"""


class Timeline(Frozen):
    """All spans in the order they began, those inside another after it, and their sums."""

    trace_id: str
    seconds: float
    spans: tuple[TimelineSpan, ...]
    input_tokens: int = 0
    output_tokens: int = 0
    money: Decimal | None = Decimal(0)


def timeline(trace_id: str, spans: Sequence[Mapping[str, Any]]) -> Timeline:
    """The timeline of a stored trace, without document and prompt text.

    `spans`: its spans, as `medground.answering.trace.read_trace` gives them.
    """
    began = min((span["start"] for span in spans), default=0)
    ended = max((span["end"] for span in spans), default=0)
    known = {span["id"] for span in spans}
    inside: dict[str | None, list[Mapping[str, Any]]] = {}
    for span in sorted(spans, key=lambda one: (one["start"], -one["end"])):
        parent = span["parent"] if span["parent"] in known and span["parent"] != span["id"] else None
        inside.setdefault(parent, []).append(span)
    rows: list[TimelineSpan] = []
    waiting = [(span, 0) for span in reversed(inside.get(None, []))]
    while waiting:
        span, depth = waiting.pop()
        rows.append(_row(span, began, depth))
        waiting += [(one, depth + 1) for one in reversed(inside.pop(span["id"], []))]
    prices = [row.money for row in rows]
    return Timeline(
        trace_id=trace_id,
        seconds=round((ended - began) / _NANO, 6),
        spans=tuple(rows),
        input_tokens=sum(row.input_tokens for row in rows),
        output_tokens=sum(row.output_tokens for row in rows),
        money=None if None in prices else sum((price for price in prices if price is not None), Decimal(0)),
    )


def _row(span: Mapping[str, Any], began: int, depth: int) -> TimelineSpan:
    facts = span["attributes"]
    model = str(facts.get(f"{steps.FACT}model", ""))
    called = bool(model) and Author(model).is_model
    failed = span["status"] == "ERROR"
    return TimelineSpan(
        id=span["id"],
        parent=span["parent"],
        name=clean(span["name"]),
        words=_words(facts),
        start=round((span["start"] - began) / _NANO, 6),
        seconds=round(max(span["end"] - span["start"], 0) / _NANO, 6),
        depth=depth,
        status="failed" if failed else "done",
        error=clean(str(span.get("error") or "")) if failed else "",
        model=clean(model) if called else "",
        cached=bool(facts.get(f"{steps.FACT}cached", False)),
        input_tokens=int(facts.get("gen_ai.usage.input_tokens", 0)) if called else 0,
        output_tokens=int(facts.get("gen_ai.usage.output_tokens", 0)) if called else 0,
        money=_price(facts) if called else Decimal(0),
    )


def _price(facts: Mapping[str, Any]) -> Decimal | None:
    """The price of a call; None where it is not known."""
    try:
        price = Decimal(str(facts[f"{steps.FACT}price"]))
    except (KeyError, InvalidOperation):
        return None
    return price if price.is_finite() else None


def _words(facts: Mapping[str, Any]) -> str:
    told = []
    for name in _TOLD:
        value = facts.get(f"{steps.FACT}{name}")
        if isinstance(value, list):
            told.append(some(len(value), name.removesuffix("s")))
        elif isinstance(value, int) and not isinstance(value, bool):
            told.append(f"{name}: {value:,}")
    return ", ".join(told)
