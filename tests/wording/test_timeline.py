"""The timeline of a trace: nested spans with times, tokens and money, and never a text."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from medground.answering.trace import Trace, read_trace
from medground.values.steps import Asking, Searching
from medground.wording.progress import timeline


def span(name: str, start: int, end: int, parent: str | None = None, **facts: Any) -> dict[str, Any]:
    told = {"name": name, "id": name, "parent": parent, "status": "UNSET", "error": None, "attributes": facts}
    return told | {"start": start * 10**9, "end": end * 10**9}


def call(name: str, start: int, end: int, **facts: Any) -> dict[str, Any]:
    used = {"gen_ai.usage.input_tokens": 100, "gen_ai.usage.output_tokens": 20, "medground.model": "openai:gpt-5"}
    return span(name, start, end, "recipe", **used | facts)


def test_spans_are_nested_in_the_order_they_began() -> None:
    inner = span("b", 3, 4, "recipe"), span("a", 1, 2, "recipe"), span("in a", 1, 2, "a")
    made = timeline("t", [*inner, span("recipe", 0, 5)])
    assert [(one.name, one.depth, one.start, one.seconds) for one in made.spans] == [
        ("recipe", 0, 0.0, 5.0),
        ("a", 1, 1.0, 1.0),
        ("in a", 2, 1.0, 1.0),
        ("b", 1, 3.0, 1.0),
    ]
    assert made.seconds == 5.0


def test_money_is_unknown_if_one_price_is() -> None:
    known = call("one", 0, 1, **{"medground.price": "0.002"})
    made = timeline("t", [span("recipe", 0, 5), known])
    assert (made.input_tokens, made.output_tokens, made.money) == (100, 20, Decimal("0.002"))
    assert timeline("t", [span("recipe", 0, 5), known, call("two", 1, 2)]).money is None
    assert timeline("t", [span("recipe", 0, 5), call("bad", 1, 2, **{"medground.price": "NaN"})]).money is None
    made = timeline("t", [span("operator x", 0, 1, **{"medground.model": "keyless"})])
    assert (made.spans[0].model, made.money) == ("", Decimal(0))


def test_a_real_trace_shows_no_text(tmp_path: Path) -> None:
    trace = Trace("t", tmp_path / "t.jsonl")
    with trace.span("recipe ground") as outer:
        outer.text(question="SECRET QUESTION")
        with trace.step(Searching(source="corpus:papers", query="SECRET QUERY")) as inner:
            inner.set(hits=["a", "b"])
        with pytest.raises(ValueError, match="broken"), trace.step(Asking(operator="write", model="openai:gpt-5")):
            raise ValueError("broken")
    trace.close()
    made = timeline("t", read_trace(tmp_path, "t"))
    assert [one.name for one in made.spans] == ["recipe ground", "search corpus:papers", "operator write"]
    assert [one.status for one in made.spans] == ["done", "done", "failed"]
    assert made.spans[2].error == "ValueError: broken"
    assert "SECRET" not in made.model_dump_json()


def test_a_damaged_trace_still_has_its_spans() -> None:
    for parent in "self", "gone":
        made = timeline("t", [span("self", 0, 1, parent), span("other", 1, 2)])
        assert [(one.name, one.depth) for one in made.spans] == [("self", 0), ("other", 0)]
    assert timeline("t", []).spans == ()
