"""A kept answer as it reads today: what it quotes from a paper that has been retracted since supports nothing."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from medground.corpus.retraction import doubt, marked, why_aside
from medground.values.answer import Answer, SourceDocument
from medground.values.decision import Decision
from medground.values.report import Report
from medground.values.statement import Conflict, Statement, Verdict


def as_known_now(answer: Answer) -> Answer:
    """The answer with the standing that its papers have today; the same answer where nothing has changed.

    What rested on a paper that has been retracted since is taken back, and the reason of the decision, which every face
    shows first, names the paper. Nothing is judged anew: that takes another question.
    """
    documents = tuple(map(marked, answer.documents))
    pairs = [(old, new) for old, new in zip(answer.documents, documents, strict=True) if new is not old]
    if not pairs:
        return answer
    gone = {new.id: new for old, new in pairs if why_aside(new) and not why_aside(old)}
    doubts = [f"{new.id} {why}; check it before you rely on it" for _, new in pairs if (why := doubt(new))]
    quotes = {quote.id for quote in answer.evidence if quote.document_id in gone}
    changes: dict[str, object] = {"documents": documents, "warnings": tuple(dict.fromkeys([*answer.warnings, *doubts]))}
    if quotes:
        cited = {quote.document_id for quote in answer.evidence if quote.id in quotes}
        changes |= _without(quotes, [gone[name] for name in gone if name in cited], answer)
    return answer.model_copy(update=changes)


def _without(quotes: AbstractSet[str], papers: list[SourceDocument], answer: Answer) -> dict[str, object]:
    """The parts of an answer that change when these quotes, from these papers, support nothing any more.

    The scores are those of a rationale that was judged with them, so there are none.
    """
    return {
        "decision": _decision(quotes, papers, answer),
        "statements": tuple(_statement(statement, quotes) for statement in answer.statements),
        "conflicts": tuple(filter(None, (_conflict(conflict, quotes) for conflict in answer.conflicts))),
        "report": answer.report and _report(answer.report, quotes),
        "support": None,
        "faithfulness": None,
        "quoted": None,
        "assessment": None,
    }


def _decision(quotes: AbstractSet[str], papers: list[SourceDocument], answer: Answer) -> Decision:
    """The decision, if a stored relation still gives it; else none, with the reason."""
    before = answer.decision
    named = "; ".join(f"“{' '.join(paper.title.split())}” ({paper.id})" for paper in papers)
    reason = f"Retracted since this answer was given: {named}. Its quotes no longer count; ask again for a new answer"
    left = [quote for quote in answer.evidence if quote.id not in quotes]
    if before.basis == "graph fact" and any(quote.origin == "graph" for quote in left):
        return before.model_copy(update={"reason": f"{before.reason}. {reason}" if before.reason else reason})
    return type(before)(status="not judged" if left else "unanswerable", reason=reason)


def _statement(statement: Statement, quotes: AbstractSet[str]) -> Statement:
    """A statement without a verdict that rested on one of these quotes; one with a sound deciding quote keeps it."""
    cited = {*statement.evidence, *filter(None, [statement.verdict.best])}
    if cited.isdisjoint(quotes) or (statement.verdict.best and statement.verdict.best not in quotes):
        return statement
    if cited.issubset(quotes):
        verdict = Verdict(label="not found", critic="retraction", note="it cites only papers that were retracted since")
    else:
        verdict = Verdict(label="not judged", critic="retraction", note="a paper that it cites was retracted since")
    return statement.model_copy(update={"verdict": verdict})


def _conflict(conflict: Conflict, quotes: AbstractSet[str]) -> Conflict | None:
    """The conflict between the quotes that are left; None where only one side has any."""
    kept = [(side, tuple(quote for quote in side.evidence if quote not in quotes)) for side in conflict.sides]
    sides = tuple(side.model_copy(update={"evidence": left}) for side, left in kept if left)
    return conflict.model_copy(update={"sides": sides}) if len(sides) > 1 else None


def _report(report: Report, quotes: AbstractSet[str]) -> Report:
    """The report, in which these quotes address no sub-question and connect nothing."""
    subanswers = []
    for one in report.subanswers:
        left = tuple(quote for quote in one.evidence if quote not in quotes)
        if one.evidence and not left:
            one = one.model_copy(
                update={"state": "not answerable", "reason": "its papers were retracted since", "evidence": ()}
            )
        subanswers.append(one.model_copy(update={"evidence": left}))
    connections = tuple(one for one in report.connections if quotes.isdisjoint(one.evidence))
    return report.model_copy(update={"subanswers": tuple(subanswers), "connections": connections})
