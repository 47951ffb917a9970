"""One verdict on the rationale as a whole, and the quality of the answer from 1 to 5, as a model gives them.

Source: Reason and Verify, section 3.4 (binary verdict), sections 4.2.1 and 4.2.2 (quality, what the judge is given).
"""

from __future__ import annotations

from collections.abc import Sequence

from medground.answer import Assessment
from medground.document import Hit
from medground.errors import ModelFailed
from medground.operators.labelling import AssessInput, assess
from medground.question import Question
from medground.run import Run
from medground.sentence import Sentence, sentences_of
from medground.verify.context import context_of


async def assessed(
    question: Question, sentences: Sequence[Sentence], answer: Sequence[str], evidence: Sequence[Hit], run: Run
) -> Assessment | None:
    """The model's assessment; None if no model answers the operator `assess`, or it failed, which is a warning.

    Args:
        question: the question.
        sentences: the rationale, or the statements that it was split into.
        answer: the answer that it leads to, as the judge sees it.
        evidence: the passages that were retrieved, best first.
        run: the run.

    Raises:
        SourceUnavailable: a document of the evidence can no longer be fetched.
        BudgetExhausted: the run reached one of its limits.
    """
    if not run.answerer(assess).is_model:
        return None
    context = await context_of(evidence, run)
    value = AssessInput(
        question=question.text,
        passages=context.views,
        rationale=" ".join(sentence.text for sentence in sentences_of(sentences)),
        answer=tuple(answer),
    )
    try:
        output = await run.ask(assess, value)
    except ModelFailed as failed:
        run.warn(f"the answer could not be assessed as a whole: {failed}")
        return None
    reason = " ".join(output.reason.split())
    return Assessment(
        verdict=output.verdict, quality=output.quality, assessed_by=run.answered_by[assess.name], reason=reason
    )
