"""The head of a run of evaluation over `pubmedqa`."""

from __future__ import annotations

from medground_evaluate.items import RunHeader


def header(items: int) -> RunHeader:
    """The head of a run of some items."""
    return RunHeader(
        dataset="pubmedqa",
        dataset_hash="0" * 64,
        split="test",
        recipe="ground",
        model="keyless",
        items=items,
        settings={"recipe": {"name": "ground"}},
        settings_hash="a" * 16,
        prompts_hash="b" * 16,
        started="2026-11-20T10:00:00+00:00",
    )
