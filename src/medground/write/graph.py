"""A draft from stored relations: their sentences are ours, and each cites the line that states it."""

from __future__ import annotations

from medground.question import Question
from medground.read.graph import GraphWord
from medground.write.draft import Draft, Sentence


def graph_draft(question: Question, word: GraphWord) -> Draft:
    """The facts as a rationale; `recorded` is yes, `excluded` is no."""
    finding = word.finding
    sentences = tuple(Sentence(text=fact.sentence, evidence=(quote.id,)) for fact, quote in word.facts)
    if question.task == "free":
        answer = finding.answer or " ".join(s.text for s in sentences)
    else:
        answer = "yes" if finding.status == "recorded" else "no"
    return Draft(sentences=sentences, answer=(answer,), basis="graph fact", reason=finding.note)
