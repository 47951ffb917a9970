"""Study designs, read from publication types, from the strongest to the weakest kind of evidence."""

from __future__ import annotations

from collections.abc import Sequence

_LEVELS: tuple[frozenset[str], ...] = (
    frozenset({"meta-analysis", "systematic review", "network meta-analysis"}),
    frozenset({"practice guideline", "guideline", "consensus development conference"}),
    frozenset({"randomized controlled trial", "pragmatic clinical trial", "equivalence trial"}),
    frozenset({"controlled clinical trial", "clinical trial, phase iii", "clinical trial, phase iv", "clinical trial"}),
    frozenset({"observational study", "multicenter study", "comparative study", "validation study", "twin study"}),
    frozenset({"review", "scoping review"}),
    frozenset({"case reports"}),
    frozenset({"editorial", "comment", "letter", "news"}),
)
UNKNOWN = 5
"""Level of a paper whose types name no design: among the observational ones and reviews."""


def design_level(publication_types: Sequence[str]) -> int:
    """0 for the strongest design named, 7 for the weakest; `UNKNOWN` when none is named."""
    names = {name.casefold() for name in publication_types}
    return next((level for level, designs in enumerate(_LEVELS) if names & designs), UNKNOWN)
