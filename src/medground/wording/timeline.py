"""What a run did and when, from its trace: spans with their times, tokens and money, nested as they were called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, Literal

from pydantic import Field

from medground.language.clean import clean, some
from medground.values.document import Frozen
from medground.values.steps import FACT
from medground.values.usage import Author

_NANO = 1e9
_TOLD = ("source", "operator", "documents", "found", "subquestions", "quotes", "kept", "queries", "passages")
"""Facts of a span that a reader is told beside its name."""


class TimelineSpan(Frozen):
    """One part of a run. `start` is in seconds since the run began; `depth` counts the spans around it.

    Tokens and money are those of its own call of a model: a span without one has none. Money is None where the price is
    unknown.
    """

    id: str
    parent: str | None
    name: str
    words: str = ""
    start: float = Field(ge=0)
    seconds: float = Field(ge=0)
    depth: int = Field(ge=0)
    status: Literal["done", "failed"]
    error: str = ""
    model: str = Field(default="", description="the model that was called; empty for the program's own work")
    cached: bool = False
    input_tokens: int = 0
    output_tokens: int = 0
    money: Decimal | None = Field(default=Decimal(0), description="US dollars; null if unknown, never free")


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

    Args:
        spans: its spans, as `medground.answering.trace.read_trace` gives them.
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
        waiting += [(one, depth + 1) for one in reversed(inside.get(span["id"], []))]
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
    model = str(facts.get(f"{FACT}model", ""))
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
        cached=bool(facts.get(f"{FACT}cached", False)),
        input_tokens=int(facts.get("gen_ai.usage.input_tokens", 0)) if called else 0,
        output_tokens=int(facts.get("gen_ai.usage.output_tokens", 0)) if called else 0,
        money=_price(facts) if called else Decimal(0),
    )


def _price(facts: Mapping[str, Any]) -> Decimal | None:
    """The price of a call; None where the span has none, as in traces of earlier versions."""
    try:
        price = Decimal(str(facts[f"{FACT}price"]))
    except (KeyError, InvalidOperation):
        return None
    return price if price.is_finite() else None


def _words(facts: Mapping[str, Any]) -> str:
    told = []
    for name in _TOLD:
        value = facts.get(f"{FACT}{name}")
        if isinstance(value, list):
            told.append(some(len(value), name.removesuffix("s")))
        elif isinstance(value, int) and not isinstance(value, bool):
            told.append(f"{name}: {value:,}")
    return ", ".join(told)
