"""Draft an answer from stored relations. Each sentence cites the line that states its relation."""

from __future__ import annotations

from medground.question import Question
from medground.read.facts import GraphAnswer, NotUnderstood
from medground.sentence import Sentence
from medground.write.draft import Draft


def graph_draft(question: Question, stored: GraphAnswer) -> Draft:
    """The facts as a rationale, with the finding's answer if it has one."""
    finding = stored.finding
    sentences = tuple(Sentence(text=fact.sentence, evidence=(quote.id,)) for fact, quote in stored.facts)
    opened = finding.answer or " ".join(sentence.text for sentence in sentences)
    answer = opened if question.task == "free" else finding.closed
    if not answer:
        return Draft(sentences=sentences, reason=finding.note or "the stored facts do not decide it")
    return Draft(sentences=sentences, answer=(answer,), basis="graph fact", reason=finding.note)


def refusal(stored: GraphAnswer | NotUnderstood | None, *, searched: bool) -> Draft:
    """Why there is no answer: the question was not understood, its relation is not recorded, or nothing was found.

    `stored` is what the sources of facts said; `searched`: whether texts were searched as well.
    """
    nothing = "no evidence on this question was found in the sources searched"
    if stored is None:
        return Draft(reason=nothing)
    beside = "; the texts searched have no evidence on it" if searched else ""
    if isinstance(stored, NotUnderstood):
        asked = ", ".join(f"“{wording}”" for wording in stored.wordings)
        return Draft(reason=f"the knowledge graph did not understand the question{beside}; ask for example {asked}")
    return Draft(reason=f"{stored.finding.note}{beside}")
