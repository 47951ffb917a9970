"""Draft an answer from stored relations. Each sentence cites the line that states its relation."""

from __future__ import annotations

from medground.question import Question
from medground.read.facts import GraphAnswer
from medground.sentence import Sentence
from medground.write.draft import Draft

_CLOSED = {"recorded": "yes", "excluded": "no"}


def graph_draft(question: Question, stored: GraphAnswer) -> Draft:
    """The facts as a rationale: `recorded` means yes, `excluded` no, and `seen in none` of some patients neither."""
    finding = stored.finding
    sentences = tuple(Sentence(text=fact.sentence, evidence=(quote.id,)) for fact, quote in stored.facts)
    if question.task == "free":
        answer: str | None = finding.answer or " ".join(s.text for s in sentences)
    else:
        answer = _CLOSED.get(finding.status)
    if answer is None:
        reason = f"seen in none of the patients counted, which is not enough for a no; {finding.note}"
        return Draft(sentences=sentences, reason=reason.rstrip("; "))
    return Draft(sentences=sentences, answer=(answer,), basis="graph fact", reason=finding.note)
