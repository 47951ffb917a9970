"""What changed between two answers to one question, so that an answer that decays is found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from medground.corpus.retraction import marked, why_aside
from medground.values.answer import Answer, SourceDocument
from medground.values.document import Document, DocumentId, Frozen, Retraction
from medground.values.evidence import Evidence

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

    @property
    def none(self) -> bool:
        """Whether the decision and the quotes are the same, and no document was marked since."""
        return not (self.decision or self.new or self.gone or self.marked)


def changes(before: Answer, now: Answer, documents: Mapping[str, Document], *, reached: bool = True) -> Changes:
    """Compare two answers to one question.

    Args:
        documents: the documents of the former answer that the sources hold now, by id.
        reached: whether every source could be asked for them.
    """
    old, new = _by_text(before), _by_text(now)
    decisions = [(answer.decision.status, answer.decision.shown()) for answer in (before, now)]
    corpora = [{snapshot.name: snapshot.hash for snapshot in answer.snapshots} for answer in (before, now)]
    known = {one.id: documents.get(one.id) or marked(one) for one in before.documents}
    return Changes(
        decision=DecisionChange(before=decisions[0], now=decisions[1]) if decisions[0] != decisions[1] else None,
        new=tuple(Quoted(**_quoted(quote, now)) for key, quote in new.items() if key not in old),
        gone=tuple(
            Gone(**_quoted(quote, before), why=_why_gone(quote, known[quote.document_id], reached))
            for key, quote in old.items()
            if key not in new
        ),
        marked=tuple(
            NowMarked(document_id=one.id, title=one.title, before=one.retraction, now=known[one.id].retraction)
            for one in before.documents
            if one.retraction != known[one.id].retraction
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
