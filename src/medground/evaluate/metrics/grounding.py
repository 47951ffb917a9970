"""Evidence-grounded response rate (EGR): answers that cite at least one finding extracted from the documents read.

Source: PubMed Reasoner, Table 5 and section 4.5.
"""

from __future__ import annotations

from collections.abc import Iterable

from medground.evaluate.base import RunLine
from medground.evaluate.metrics.share import Share


def grounded_rate(lines: Iterable[RunLine], items: int | None = None) -> Share:
    """The share of questions whose answer cites evidence.

    An answer lists verbatim quotes that passed its recipe's checks: those behind its sentences, and those named by
    verification or a conflict. An answer with a quote is grounded; one that failed or has no line is not.

    Args:
        lines: the lines of one run.
        items: number of items in the run; None counts only the given lines.
    """
    grounded = count = 0
    for line in lines:
        count += 1
        grounded += bool(line.cited)
    return Share(grounded, max(count, items or 0))
