"""Write a draft with the `write` operator, and join its sentences into a rationale with citation marks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from medground.evidence import Evidence
from medground.operators.writing import WriteInput, write
from medground.question import Question
from medground.read.extract import evidence_views
from medground.run import Run
from medground.sentence import Sentence
from medground.write.draft import Draft, drafted


async def write_draft(question: Question, evidence: Sequence[Evidence], run: Run) -> Draft:
    """Have the rationale and the answer written from the evidence."""
    output = await run.ask(
        write,
        WriteInput(
            question=question.text,
            task=question.task,
            options=question.options,
            evidence=evidence_views(evidence, run),
            sentences=run.settings.recipe.sentences,
        ),
    )
    return drafted(output)


Mark = Callable[[Evidence], str]
"""Formats a citation in the rationale."""


def evidence_mark(evidence: Evidence) -> str:
    """`[E1]`."""
    return f"[{evidence.id}]"


def joined(
    sentences: Sequence[Sentence], evidence: Sequence[Evidence], mark: Mark = evidence_mark
) -> tuple[str, list[tuple[int, int]]]:
    """The rationale with marks such as `[E1][E3]` after each sentence, and the span of each sentence without marks."""
    by_id = {quote.id: quote for quote in evidence}
    text, spans = "", []
    for sentence in sentences:
        text += " " if text else ""
        spans.append((len(text), len(text) + len(sentence.text)))
        marks = dict.fromkeys(mark(by_id[e]) for e in sentence.evidence)
        text += sentence.text + (" " + "".join(marks) if marks else "")
    return text, spans
