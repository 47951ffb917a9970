"""Evidence-grounded response rate (EGR): answers that cite at least one finding extracted from the documents read.

Source: PubMed Reasoner, Table 5 and section 4.5.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

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


def checked_rate(lines: Iterable[RunLine], sufficient: Collection[str], items: int | None = None) -> Share:
    """The share of questions whose answer cites a finding that passed the alignment and the coverage check.

    This is the paper's own definition (Table 5). Alignment: only what answers the question is extracted (Eq. 13).
    Coverage: the evidence was found sufficient (Eq. 15), so a recipe without this check scores 0.

    Args:
        lines: the lines of one run.
        sufficient: ids of the questions whose evidence was found sufficient.
        items: number of items in the run; None counts only the given lines.
    """
    checked = count = 0
    for line in lines:
        count += 1
        checked += bool(line.cited) and line.id in sufficient
    return Share(checked, max(count, items or 0))
