"""Find concepts of a question that no quote mentions, to warn readers if the evidence is about something else."""

from __future__ import annotations

from collections.abc import Sequence

from medground.evidence import Evidence
from medground.operators.keyless.searching import Mention, mentions
from medground.pubmed.mesh import vocabulary
from medground.question import Question
from medground.run import Run
from medground.text import words


def unmentioned(question: Question, evidence: Sequence[Evidence], run: Run) -> list[str]:
    """The question's words for each MeSH heading that no quote, title or indexed record of the evidence mentions.

    A heading counts as mentioned under any of its names, in any word order, and if a record is indexed with it or with
    a narrower heading.
    """
    documents = {e.document_id: run.ledger.documents[e.document_id] for e in evidence}
    mentioning = [*(e.quote for e in evidence), *(d.title for d in documents.values())]
    texts = [frozenset(words.terms(text)) for text in mentioning]
    indexed = {name for d in documents.values() for m in d.mesh for name in _with_broader(m.descriptor)}
    return [m.words for m in mentions(question.text) if m.heading.name not in indexed and not _named(m, texts)]


def _named(mention: Mention, texts: Sequence[frozenset[str]]) -> bool:
    names = (mention.words, mention.heading.name, *mention.heading.entry_terms)
    stems = [frozenset(words.terms(name)) for name in names]
    return any(wanted <= text for wanted in stems if wanted for text in texts)


def _with_broader(descriptor: str) -> set[str]:
    heading = vocabulary().find(descriptor)
    if heading is None:
        return {descriptor}
    return {heading.name, *(broader.name for broader in vocabulary().ancestors(heading))}
