"""Find what a question asks about that no quote mentions: then the evidence is about something else."""

from __future__ import annotations

import re
from collections.abc import Sequence

from medground.document import Document
from medground.evidence import Evidence
from medground.identifiers import without_papers
from medground.question import Question
from medground.run import Run
from medground.subject import unnamed

_DEFINED = re.compile(r"(?P<long>(?:[\w'’-]+ ){1,8})\((?P<short>[A-Z][\w-]{1,7})\)")
"""Words and their abbreviation in brackets."""
_AROUND = 1500
"""Characters before and after a quote that are its passage."""


def unmentioned(question: Question, evidence: Sequence[Evidence], run: Run) -> list[str]:
    """What decides in a question and is in no passage quoted from, nor in its title or the headings of its record."""
    documents = run.ledger.documents
    return unnamed(without_papers(question.text), [as_read(e, documents[e.document_id], _AROUND) for e in evidence])


def as_read(evidence: Evidence, document: Document, around: int = 0) -> str:
    """A quote with its title, the MeSH headings of its record, and what its abbreviations stand for in its document.

    Args:
        evidence: the quote.
        document: its document.
        around: characters of the document before and after the quote that are read too.
    """
    passage = document.text[max(0, evidence.start - around) : evidence.end + around]
    said = f"{document.title}\n{passage if evidence.origin == 'text' else evidence.quote}"
    meant = (
        " ".join(found["long"].split()[-len(found["short"]) :])
        for found in _DEFINED.finditer(document.text)
        if re.search(rf"\b{re.escape(found['short'])}\b", said)
    )
    return "\n".join([said, *meant, *(heading.descriptor for heading in document.mesh)])
