"""What has changed since an answer was given: papers that were retracted, and a second answer that differs."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Literal

from medground.corpus.retraction import doubt, marked, why_aside
from medground.values.answer import Answer, SourceDocument
from medground.values.decision import Decision
from medground.values.document import Document, DocumentId, Frozen, Retraction
from medground.values.evidence import Evidence
from medground.values.report import Report
from medground.values.statement import Conflict, Statement, Verdict

WhyGone = Literal["retracted", "not in the sources", "source failed", "text changed", "not quoted"]
"""`retracted`: its document does not count as evidence any more. `not in the sources`: nothing that was searched holds
the document; `source failed`: nothing that could be asked does. `text changed`: the document no longer has this
sentence. `not quoted`: it has, but others were chosen."""


class Quoted(Frozen):
    """A quote and its document."""

    document_id: DocumentId
    title: str
    quote: str
    section: str | None = None


class Gone(Quoted):
    """A quote of the former answer that the new one does not have."""

    why: WhyGone


class NowMarked(Frozen):
    """A document of the former answer that has been retracted since, or has another such mark."""

    document_id: DocumentId
    title: str
    before: Retraction
    now: Retraction


class CorpusChange(Frozen):
    """A corpus that was searched in another state; None where it was not searched."""

    name: str
    before: str | None
    now: str | None


class DecisionChange(Frozen):
    """A decision that differs: status and value, such as `decided` and `yes`."""

    before: tuple[str, str | None]
    now: tuple[str, str | None]


class Changes(Frozen):
    """How an answer differs from a former one to the same question."""

    decision: DecisionChange | None = None
    new: tuple[Quoted, ...] = ()
    gone: tuple[Gone, ...] = ()
    marked: tuple[NowMarked, ...] = ()
    corpora: tuple[CorpusChange, ...] = ()
    kept: int = 0
    """Number of quotes that both answers have."""
    settings: bool = False
    """Whether the settings differ: this version of Medground reads more or fewer of them."""
    program: bool = False
    """Whether another version of Medground answered."""


def changes(before: Answer, now: Answer, documents: Mapping[str, Document], *, reached: bool = True) -> Changes:
    """Compare two answers to one question.

    Args:
        documents: the documents of the former answer that the sources hold now, by id.
        reached: whether every source could be asked for them.
    """
    old, new = _by_text(before), _by_text(now)
    decisions = [(answer.decision.status, answer.decision.shown()) for answer in (before, now)]
    corpora = [{snapshot.name: snapshot.hash for snapshot in answer.snapshots} for answer in (before, now)]
    known = {document.id: documents.get(document.id) or marked(document) for document in before.documents}
    return Changes(
        decision=DecisionChange(before=decisions[0], now=decisions[1]) if decisions[0] != decisions[1] else None,
        new=tuple(Quoted(**_quoted(quote, now)) for key, quote in new.items() if key not in old),
        gone=tuple(
            Gone(**_quoted(quote, before), why=_why_gone(quote, known[quote.document_id], reached))
            for key, quote in old.items()
            if key not in new
        ),
        marked=tuple(
            NowMarked(
                document_id=document.id,
                title=document.title,
                before=document.retraction,
                now=known[document.id].retraction,
            )
            for document in before.documents
            if document.retraction != known[document.id].retraction
        ),
        corpora=tuple(
            CorpusChange(name=name, before=corpora[0].get(name), now=corpora[1].get(name))
            for name in dict.fromkeys([*corpora[0], *corpora[1]])
            if corpora[0].get(name) != corpora[1].get(name)
        ),
        kept=len(old.keys() & new.keys()),
        settings=before.settings_hash != now.settings_hash,
        program=before.made_by != now.made_by,
    )


def _by_text(answer: Answer) -> dict[tuple[str, str], Evidence]:
    """The quotes of an answer by document and text; a rebuilt corpus may hold the same sentence at another offset."""
    return {(quote.document_id, " ".join(quote.quote.split())): quote for quote in answer.evidence}


def _quoted(quote: Evidence, answer: Answer) -> dict[str, str | None]:
    title = next(document.title for document in answer.documents if document.id == quote.document_id)
    return {"title": title} | {name: getattr(quote, name) for name in ("document_id", "quote", "section")}


def _why_gone(quote: Evidence, document: Document | SourceDocument, reached: bool) -> WhyGone:
    if why_aside(document):
        return "retracted"
    if isinstance(document, SourceDocument):
        return "not in the sources" if reached else "source failed"
    return "not quoted" if " ".join(quote.quote.split()) in " ".join(document.text.split()) else "text changed"


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
    return answer.replace(**changes)


def _without(quotes: AbstractSet[str], papers: list[SourceDocument], answer: Answer) -> dict[str, object]:
    """The parts of an answer that change when these quotes, from these papers, support nothing any more.

    The scores are those of a rationale that was judged with them, so there are none.
    """
    return {
        "decision": _decision(quotes, papers, answer),
        "statements": tuple(_statement(statement, quotes) for statement in answer.statements),
        "conflicts": tuple(_conflicts(answer.conflicts, quotes)),
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
        return before.replace(reason=f"{before.reason}. {reason}" if before.reason else reason)
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
    return statement.replace(verdict=verdict)


def _conflicts(conflicts: Sequence[Conflict], quotes: AbstractSet[str]) -> Iterator[Conflict]:
    """The conflicts between the quotes that are left; where only one side has any, there is none."""
    for conflict in conflicts:
        kept = [(side, tuple(quote for quote in side.evidence if quote not in quotes)) for side in conflict.sides]
        sides = tuple(side.replace(evidence=left) for side, left in kept if left)
        if len(sides) > 1:
            yield conflict.replace(sides=sides)


def _report(report: Report, quotes: AbstractSet[str]) -> Report:
    """The report, in which these quotes address no sub-question and connect nothing."""
    subanswers = []
    for one in report.subanswers:
        left = tuple(quote for quote in one.evidence if quote not in quotes)
        if one.evidence and not left:
            one = one.replace(state="not answerable", reason="its papers were retracted since", evidence=())
        subanswers.append(one.replace(evidence=left))
    connections = tuple(connection for connection in report.connections if quotes.isdisjoint(connection.evidence))
    return report.replace(subanswers=tuple(subanswers), connections=connections)
