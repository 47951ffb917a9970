"""Sources that disagree: found, and reported with both sides; never averaged.

A model that read the quotes gave them stances: quotes for and against from different papers are a conflict. Without
one, findings on the same things that differ in words (one reports an effect and the other none, or one says up and the
other down) are set side by side for the reader to judge (`disagreement`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

from medground.answer import Conflict, Side
from medground.evidence import Evidence, Stance
from medground.models.keyless import NAME as KEYLESS
from medground.operators.keyless.disagreement import Difference, difference
from medground.question import Question
from medground.run import Run

_SIDES: tuple[Stance, ...] = ("supports", "contradicts", "mixed")


async def find_conflicts(question: Question, evidence: Sequence[Evidence], run: Run) -> list[Conflict]:
    """The conflicts among quotes of different documents; retracted papers and stored relations take no side.

    Evidence whose extraction no model answered has no stance, and is compared by words.
    """
    reader = run.answered_by.get("extract", KEYLESS)
    standing = [e for e in evidence if e.origin == "text" and _stands(e, run)]
    with run.trace.span("find conflicts", quotes=len(standing), found_by=reader) as span:
        if reader == KEYLESS:
            found = _by_words(question.text, standing)
        else:
            found = _by_stance(question.text, standing, reader)
        span.set(conflicts=len(found))
    return found


def _stands(evidence: Evidence, run: Run) -> bool:
    return run.ledger.documents[evidence.document_id].retraction == "none"


def _by_stance(about: str, evidence: Sequence[Evidence], reader: str) -> list[Conflict]:
    """One conflict where papers stand on both sides; a paper with quotes for and against is mixed, on neither."""
    stances: dict[str, set[Stance]] = {}
    for quote in evidence:
        stances.setdefault(quote.document_id, set()).add(quote.stance)
    placed: dict[str, Stance] = {document: _side(given) for document, given in stances.items()}
    if not {"supports", "contradicts"} <= set(placed.values()):
        return []
    sides = [
        Side(stance=stance, evidence=ids)
        for stance in _SIDES
        if (ids := tuple(e.id for e in evidence if placed[e.document_id] == stance and e.stance != "unknown"))
    ]
    return [Conflict(about=about, sides=tuple(sides), found_by=reader)]


def _side(stances: set[Stance]) -> Stance:
    told = stances - {"unknown"}
    if not told:
        return "unknown"
    return next(iter(told)) if len(told) == 1 else "mixed"


def _by_words(question: str, evidence: Sequence[Evidence]) -> list[Conflict]:
    """Greedy: the first pair that differs opens a conflict, and later quotes join the side that they agree with."""
    differs: dict[frozenset[str], Difference] = {}
    for one, other in combinations(evidence, 2):
        if one.document_id != other.document_id and (seen := difference(question, one.quote, other.quote)):
            differs[frozenset((one.id, other.id))] = seen
    conflicts: list[Conflict] = []
    taken: set[str] = set()
    for pair, seen in differs.items():
        left, right = sorted(pair, key=[e.id for e in evidence].index)
        if not taken.isdisjoint(pair):
            continue
        apart = _apart(differs, seen.kind)
        sides = ([left], [right])
        for quote in evidence:
            if quote.id in pair or quote.id in taken:
                continue
            against = [all(apart(quote.id, e) for e in side) for side in sides]
            near = [any(apart(quote.id, e) for e in side) for side in sides]
            if against[1] and not near[0]:
                sides[0].append(quote.id)
            elif against[0] and not near[1]:
                sides[1].append(quote.id)
        taken.update(*sides)
        conflicts.append(
            Conflict(
                about=seen.about,
                sides=tuple(Side(stance="unknown", evidence=tuple(side)) for side in sides),
                found_by=KEYLESS,
            )
        )
    return conflicts


def _apart(differs: dict[frozenset[str], Difference], kind: str) -> Callable[[str, str], bool]:
    def apart(one: str, other: str) -> bool:
        seen = differs.get(frozenset((one, other)))
        return seen is not None and seen.kind == kind

    return apart
