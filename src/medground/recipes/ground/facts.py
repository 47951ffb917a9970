"""What stored facts answer, and why there is no answer where nothing was found."""

from collections.abc import Sequence

from medground.answering.captions import NOTHING_FOUND
from medground.answering.read.facts import GraphAnswer, NotUnderstood
from medground.answering.read.reading_list import Reading, text_of
from medground.answering.run import Run
from medground.answering.write.draft import Draft
from medground.corpus.retraction import state_of
from medground.language.question_reading import Asked
from medground.values.evidence import Sentence
from medground.values.question import Question


def graph_draft(question: Question, stored: GraphAnswer) -> Draft:
    """The facts as a rationale, with the finding's answer if it has one."""
    finding = stored.finding
    sentences = tuple(Sentence(text=fact.sentence, evidence=(quote.id,)) for fact, quote in stored.facts)
    opened = finding.answer or " ".join(sentence.text for sentence in sentences)
    answer = opened if question.task == "free" else finding.closed
    if not answer:
        return Draft(sentences=sentences, reason=finding.note or "the stored facts do not decide it")
    return Draft(sentences=sentences, answer=(answer,), basis="graph fact", reason=finding.note)


def only_retracted(asked: Asked, readings: Sequence[Reading], run: Run) -> bool:
    """Whether a retracted paper is about a question, and nothing else that was found."""
    shown = map(run.ledger.documents.__getitem__, run.shown)
    told = any(state_of(paper) == "retracted" and asked.is_about(f"{paper.title}\n{paper.text}") for paper in shown)
    return told and not any(asked.is_about(text_of(reading)) for reading in readings)


def refusal(stored: GraphAnswer | NotUnderstood | None, run: Run, *, searched: bool) -> Draft:
    """Why there is no answer: the question was not understood, its relation is not recorded, or nothing was found.

    `stored` is what the sources of facts said; `searched`: whether texts were searched as well.
    """
    if stored is None or (isinstance(stored, NotUnderstood) and searched and not stored.wordings):
        # A question that names nothing of the graph has nothing to do with it.
        gone = ", ".join(name for name in run.shown if state_of(run.ledger.documents[name]) == "retracted")
        return Draft(reason=f"what was found on it is retracted: {gone}" if gone else NOTHING_FOUND)
    beside = "; the texts searched have no evidence on it" if searched else ""
    if isinstance(stored, NotUnderstood):
        asked = ", ".join(f"“{wording}”" for wording in stored.wordings)
        hint = f"; ask for example {asked}" if asked else ""
        return Draft(reason=f"the knowledge graph did not understand the question{beside}{hint}")
    return Draft(reason=f"{stored.finding.note}{beside}")
