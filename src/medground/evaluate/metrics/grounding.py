"""Evidence-grounded response rate (EGR): answers that cite at least one finding that was extracted from what was read.

Source: PubMed Reasoner, Table 5 and section 4.5.
"""

from __future__ import annotations

from collections.abc import Iterable

from medground.evaluate.base import RunLine
from medground.evaluate.metrics.share import Share


def grounded_rate(lines: Iterable[RunLine], items: int | None = None) -> Share:
    """The share of questions whose answer cites evidence.

    What an answer lists are verbatim quotes that its recipe took after its own checks: those behind its sentences, and
    those that verification or a conflict names. An answer with one is grounded; one that failed or has no line is not.

    Args:
        lines: of one run.
        items: how many items the run is over; only the lines that are there when None.
    """
    grounded = count = 0
    for line in lines:
        count += 1
        grounded += bool(line.cited)
    return Share(grounded, max(count, items or 0))
