"""What the papers that a sentence cites say of it: the kind of each finding, with the sentence that it rests on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from medground.answering.run import Run
from medground.answering.verify.references import altered_quotations, nearest
from medground.checking.joining import Joined
from medground.checking.sentences import CitingSentence
from medground.corpus.retraction import RETRACTED, why_aside
from medground.language.sentences import sentence_spans
from medground.values.document import Document
from medground.values.finding import Finding, FindingEvidence, FindingKind


@dataclass(frozen=True)
class Asked:
    """A sentence and the entries that it cites."""

    sentence: CitingSentence
    cited: tuple[Joined, ...]


async def findings_of(file: str, asked: Sequence[Asked], papers: Sequence[Document], run: Run) -> list[Finding]:
    """One finding for each sentence, in order; `papers` are all that the text cites."""
    return [_finding(file, one, papers) for one in asked]


def _finding(file: str, one: Asked, papers: Sequence[Document]) -> Finding:
    sentence, documents = one.sentence, [document for entry in one.cited for document in entry.documents]

    def told(kind: FindingKind, reason: str, paper: Document | None = None, quote: str = "") -> Finding:
        evidence = FindingEvidence(ref=paper.id, quote=quote) if paper and quote else None
        cited = tuple(dict.fromkeys(entry.documents[0].id for entry in one.cited if entry.documents))
        place = {"start": sentence.start, "end": sentence.end, "cited": cited, "evidence": evidence}
        return Finding(file=file, sentence=sentence.text, kind=kind, reason=reason, **place)

    if wrong := next((entry for entry in one.cited if entry.wrong), None):
        return told("wrong_reference", wrong.wrong, wrong.documents[0], wrong.documents[0].title)
    if gone := next((document for document in documents if why_aside(document) == RETRACTED), None):
        return told("retracted", f"{gone.id} was retracted", gone, gone.title)
    compared = documents or list(papers)
    for passage in altered_quotations(sentence.claim, [document.text for document in compared]):
        places = {d.text[a:b]: d for d in compared for a, b in sentence_spans(d.text)}
        if quote := nearest(passage, places):
            return told("altered_quote", f"it quotes “{passage}”", places[quote], quote)
        return told("fabricated_quote", f"no sentence of the cited text is like “{passage}”")
    if not sentence.cites:
        return told("not_checked", "it cites nothing")
    if not documents:
        return told("not_checked", "what it cites is not stored")
    return told("not_checked", "no judge has compared it yet")
