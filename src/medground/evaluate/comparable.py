"""What keeps two runs from being compared, or makes a comparison of them mean less."""

from __future__ import annotations

from medground.errors import UsageError
from medground.evaluate.base import RunHeader
from medground.evaluate.manifest import differences
from medground.evaluate.metrics.cost import MODEL_ONLY

SELECTION = ("dataset_hash", "split", "limit", "seed", "with_context")
"""Header fields that decide which questions are asked and with what."""

_PROGRAM = ("prompts_hash", "medground")
_CHOSEN = ("recipe", "model")


def check_same_set(first: RunHeader, other: RunHeader, names: tuple[str, str]) -> None:
    """Refuse runs of different data sets.

    Raises:
        UsageError: they are of different sets.
    """
    if first.dataset != other.dataset:
        raise UsageError(
            f"{names[0]} is a run over {first.dataset}, {names[1]} one over {other.dataset}; compare runs of one set"
        )


def warnings_between(first: RunHeader, other: RunHeader) -> list[str]:
    """Why the rows of two runs may not be compared, each in one line; empty where nothing speaks against it."""
    found = differences(first, other)
    said = [f"not the same questions: {found[name]}" for name in SELECTION if name in found]
    if MODEL_ONLY not in (first.recipe, other.recipe):  # that one searches nothing
        said += [f"not the same corpus: {text}" for name, text in found.items() if name.startswith("snapshots.")]
    said += [f"not the same program: {found[name]}" for name in _PROGRAM if name in found]
    return said


def chosen_differences(first: RunHeader, other: RunHeader) -> list[str]:
    """In which settings two runs differ on purpose: recipe, model and the settings of both."""
    found = differences(first, other)
    elsewhere = {*SELECTION, *_PROGRAM, "dataset"}
    chosen = [name for name in found if name not in elsewhere and not name.startswith("snapshots.")]
    return [found[name] for name in sorted(chosen, key=lambda name: (name not in _CHOSEN, name))]


def warnings_of(header: RunHeader) -> list[str]:
    """What to know of one run by itself: differences that were accepted when it was resumed."""
    return [f"resumed although {difference}" for difference in header.accepted]
