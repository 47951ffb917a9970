"""A draft from stored relations: their sentences are ours, and each cites the line that states it."""

from __future__ import annotations

from medground.question import Question
from medground.read.facts import GraphAnswer
from medground.sentence import Sentence
from medground.write.draft import Draft

_CLOSED = {"recorded": "yes", "excluded": "no"}


def graph_draft(question: Question, word: GraphAnswer) -> Draft:
    """The facts as a rationale; `recorded` is yes, `excluded` is no, `seen in none` of some patients is neither."""
    finding = word.finding
    sentences = tuple(Sentence(text=fact.sentence, evidence=(quote.id,)) for fact, quote in word.facts)
    if question.task == "free":
        answer: str | None = finding.answer or " ".join(s.text for s in sentences)
    else:
        answer = _CLOSED.get(finding.status)
    if answer is None:
        reason = f"seen in none of the patients that were counted, which is no ground for a no; {finding.note}"
        return Draft(sentences=sentences, reason=reason.rstrip("; "))
    return Draft(sentences=sentences, answer=(answer,), basis="graph fact", reason=finding.note)
