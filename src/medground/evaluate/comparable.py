"""Reasons why two runs cannot be compared, or should be compared with care."""

from __future__ import annotations

from medground.errors import UsageError
from medground.evaluate.base import RunHeader
from medground.evaluate.manifest import differences
from medground.evaluate.metrics.cost import MODEL_ONLY

SELECTION = ("dataset_hash", "split", "limit", "seed", "with_context")
"""Header fields that decide which questions are asked, and with which documents."""

_PROGRAM = ("prompts_hash", "medground")
_CHOSEN = ("recipe", "model")


def check_same_set(first: RunHeader, other: RunHeader, names: tuple[str, str]) -> None:
    """Refuse runs of different data sets.

    Raises:
        UsageError: they are over different sets.
    """
    if first.dataset != other.dataset:
        raise UsageError(
            f"{names[0]} is a run over {first.dataset}, but {names[1]} is over {other.dataset}; "
            "compare runs over the same data set"
        )


def warnings_between(first: RunHeader, other: RunHeader) -> list[str]:
    """Why the rows of two runs are not comparable, one line per reason; empty if they are."""
    found = differences(first, other)
    warnings = [f"different questions: {found[name]}" for name in SELECTION if name in found]
    if MODEL_ONLY not in (first.recipe, other.recipe):  # it searches nothing
        warnings += [f"different corpus: {text}" for name, text in found.items() if name.startswith("snapshots.")]
    warnings += [f"different program: {found[name]}" for name in _PROGRAM if name in found]
    return warnings


def chosen_differences(first: RunHeader, other: RunHeader) -> list[str]:
    """The settings in which two runs differ by design: recipe, model and their options."""
    found = differences(first, other)
    elsewhere = {*SELECTION, *_PROGRAM, "dataset"}
    chosen = [name for name in found if name not in elsewhere and not name.startswith("snapshots.")]
    return [found[name] for name in sorted(chosen, key=lambda name: (name not in _CHOSEN, name))]


def warnings_of(header: RunHeader) -> list[str]:
    """Warnings about a single run: differences that were accepted when it was resumed."""
    return [f"resumed although {difference}" for difference in header.accepted]
