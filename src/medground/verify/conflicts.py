"""Find sources that disagree. Both sides are reported, never averaged.

If a model read the quotes, each quote has a stance: quotes for and against from different papers are a conflict.
Without a model, findings on the same cause and the same outcome are compared by their words (`disagreement`): if one
reports a link and the other none, or one more and the other less, both are shown for the reader to judge.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import combinations

from medground.answer import Conflict, Side
from medground.author import KEYLESS, Author
from medground.evidence import Evidence, Stance
from medground.operators.keyless.disagreement import Difference, Finding, Kind, difference
from medground.question import Question
from medground.run import Run
from medground.verify.context import usable
from medground.verify.reporting import why_not_finding

_BEFORE_RESULTS = re.compile(
    r"background|introduction|objective|aim|purpose|method|context|rationale|design", re.IGNORECASE
)
_SHORTEST_ABSTRACT, _LONGEST_ABSTRACT = 500, 5000
"""Shortest abstract without sections, in characters, whose opening can be separated from its results."""
_OPENING = 0.15
"""Share of an abstract without sections that is background."""
_LONGEST_NAME = 80
"""Maximum characters of a cause or outcome in the line that says what papers disagree on."""
_REPORTED: Mapping[Kind, tuple[str, str]] = {
    "a link and none": ("a link between {cause} and {outcome}", "none"),
    "an increase and a decrease": ("more {outcome} with {cause}", "less"),
    "better and worse": ("better {outcome} with {cause}", "worse"),
}
_SIDES: tuple[Stance, ...] = ("supports", "contradicts", "mixed")


async def find_conflicts(question: Question, evidence: Sequence[Evidence], run: Run) -> list[Conflict]:
    """Find conflicts between quotes from different documents. Retracted papers and stored relations are left out.

    Quotes that no model extracted have no stance and are compared by their words.
    """
    reader = run.reader or Author(KEYLESS)
    findings = [e for e in usable(evidence, run) if e.origin == "text" and not _is_not_finding(e, run)]
    with run.trace.span("find conflicts", quotes=len(findings), found_by=reader.name) as span:
        found = (
            _by_stance(question, findings, reader.name) if reader.is_model else _by_words(question.text, findings, run)
        )
        span.set(conflicts=len(found))
    return found


def _is_not_finding(evidence: Evidence, run: Run) -> bool:
    return why_not_finding(evidence.quote, run.ledger.documents[evidence.document_id]) is not None


def _by_stance(question: Question, evidence: Sequence[Evidence], reader: str) -> list[Conflict]:
    """One conflict if papers support both sides. A paper with quotes for and against is mixed and on neither side."""
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
    return [Conflict(about=question.text, sides=tuple(sides), found_by=reader)]


def _side(stances: set[Stance]) -> Stance:
    known = stances - {"unknown"}
    if not known:
        return "unknown"
    return next(iter(known)) if len(known) == 1 else "mixed"


def _by_words(question: str, evidence: Sequence[Evidence], run: Run) -> list[Conflict]:
    """Start a conflict with the first pair that differs; a quote that differs from only one side in the same way joins
    the other side. The side that reports a link, more or better comes first."""
    evidence = [e for e in evidence if _after_opening(e, run)]
    documents = {e.id: e.document_id for e in evidence}
    differs = _differences(question, evidence, run)
    conflicts: list[Conflict] = []
    taken: set[str] = set()
    for (left, right), seen in differs.items():
        if left in taken or right in taken:
            continue
        sides = ([right], [left]) if seen.swapped else ([left], [right])
        for quote in evidence:
            if quote.id in taken or quote.id in (left, right):
                continue
            apart = [all(_differ(differs, quote.id, e, seen.kind) for e in side) for side in sides]
            if apart[0] != apart[1]:
                sides[apart.index(False)].append(quote.id)
        taken.update(*sides)
        shown = tuple(Side(stance="unknown", evidence=tuple(side)) for side in sides)
        about = _about(seen, *([documents[e] for e in side] for side in sides))
        conflicts.append(Conflict(about=about, sides=shown, found_by=KEYLESS))
    return conflicts


def _about(seen: Difference, one: Sequence[str], other: Sequence[str]) -> str:
    """Which papers report what."""
    cause, outcome = (" ".join(name.split())[:_LONGEST_NAME] for name in (seen.cause, seen.outcome))
    what, instead = _REPORTED[seen.kind]
    said = what.format(cause=cause, outcome=outcome)
    return f"{_papers(one)} {said}, {_papers(other)} {instead}"


def _papers(documents: Sequence[str]) -> str:
    ids = list(dict.fromkeys(documents))
    return f"{' and '.join(ids)} report{'s' if len(ids) == 1 else ''}"


def _after_opening(evidence: Evidence, run: Run) -> bool:
    """Whether a quote is from the part of a paper that reports its own findings, not from its background."""
    if evidence.section:
        return not _BEFORE_RESULTS.search(evidence.section)
    length = len(run.ledger.documents[evidence.document_id].text)
    return not _SHORTEST_ABSTRACT <= length <= _LONGEST_ABSTRACT or evidence.start >= _OPENING * length


def _differences(question: str, evidence: Sequence[Evidence], run: Run) -> dict[tuple[str, str], Difference]:
    found: dict[tuple[str, str], Difference] = {}
    for one, other in combinations(evidence, 2):
        if one.document_id == other.document_id:
            continue
        if seen := difference(question, _finding(one, run), _finding(other, run)):
            found[one.id, other.id] = seen
    return found


def _finding(evidence: Evidence, run: Run) -> Finding:
    return Finding(title=run.ledger.documents[evidence.document_id].title, quote=evidence.quote)


def _differ(differs: Mapping[tuple[str, str], Difference], one: str, other: str, kind: Kind) -> bool:
    seen = differs.get((one, other)) or differs.get((other, one))
    return seen is not None and seen.kind == kind
