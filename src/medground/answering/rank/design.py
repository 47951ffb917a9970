"""Study designs by publication type, from the strongest to the weakest kind of evidence.

The types are those of MEDLINE and, with hyphens, of JATS.
"""

from __future__ import annotations

from collections.abc import Sequence

_LEVELS: tuple[frozenset[str], ...] = (
    frozenset({"meta-analysis", "systematic review", "network meta-analysis", "systematic-review"}),
    frozenset({"practice guideline", "guideline", "consensus development conference"}),
    frozenset({"randomized controlled trial", "pragmatic clinical trial", "equivalence trial"}),
    frozenset({"controlled clinical trial", "clinical trial, phase iii", "clinical trial, phase iv", "clinical trial"}),
    frozenset({"observational study", "multicenter study", "comparative study", "validation study", "twin study"}),
    frozenset({"review", "scoping review", "review-article"}),
    frozenset({"case reports", "case-report"}),
    frozenset(
        {"editorial", "comment", "letter", "news", "newspaper article", "interview", "personal narrative", "lecture"}
        | {"clinical trial protocol", "introductory journal article", "patient education handout", "biography"}
        | {"reply", "article-commentary", "discussion", "opinion", "book-review", "correspondence"}
        | {"retracted publication", "retraction of publication", "retraction notice", "expression of concern"}
        | {"published erratum", "retraction", "retracted-article", "expression-of-concern", "correction"}
    ),
)
UNKNOWN = 5
"""Level of a paper whose types name no design: the level of a review, below observational studies."""


def design_level(publication_types: Sequence[str]) -> int:
    """0 for the strongest design named, 7 for the weakest; `UNKNOWN` if none is named."""
    names = {name.casefold() for name in publication_types}
    return next((level for level, designs in enumerate(_LEVELS) if names & designs), UNKNOWN)
