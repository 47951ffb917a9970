"""The short answer of a model (yes, no, a choice), checked in one call against the sentences released with it."""

from __future__ import annotations

from collections.abc import Sequence

from medground.answer import AnswerCheck, Verdict
from medground.conclude.grounds import Grounds
from medground.conclude.policy import release
from medground.errors import ModelFailed
from medground.operators.verifying import CheckAnswerInput, CheckAnswerOutput, check_answer
from medground.run import Run
from medground.sentence import sentences_of
from medground.verify.named import remark
from medground.write.draft import Draft


async def checked_answer(draft: Draft, verdicts: Sequence[Verdict], run: Run) -> AnswerCheck | None:
    """What the model that checks says of a short answer; None where nothing is to be checked or nobody can tell.

    An answer that its sentences do not carry is held back without a call, the answer to an open question is its
    sentences, and without `verify.gate` no check decides anything. A check that fails is a warning.

    Args:
        draft: the statements, and the answer that the writer drew from them.
        verdicts: one for each statement.
        run: the run.

    Raises:
        BudgetExhausted: the run reached one of its limits.
    """
    settings = run.settings.verify
    if draft.basis != "model" or run.question.task == "free" or not settings.gate:
        return None
    kept, _ = release(draft.sentences, verdicts, settings, uncited=not run.recipe.needs_evidence)
    grounds = Grounds.of(list(zip(draft.sentences, verdicts, strict=True)), kept)
    if not (grounds.carry or grounds.unchecked):
        return None
    value = CheckAnswerInput(
        question=run.question.text,
        task=run.question.task,
        options=run.question.options,
        sentences=tuple(sentence.text for sentence in sentences_of([sentence for sentence, _ in kept])),
        answer=draft.answer,
    )
    try:
        output = await run.ask(check_answer, value)
    except ModelFailed as failed:
        run.warn(f"the short answer could not be checked against its sentences: {failed}")
        return None
    return _check(draft.answer, output, run)


def _check(answer: tuple[str, ...], output: CheckAnswerOutput, run: Run) -> AnswerCheck | None:
    """The check, where it can be told. One that disagrees with itself takes the answer away."""
    if output.relation is None:
        return None
    result, found = output.relation, output.found
    agrees = set(found) == set(answer)
    if result == "follows" and found and not agrees:
        result = "contradicted"
    elif result != "follows" and agrees:
        result, found = "not shown", ()
    return AnswerCheck(
        answer=answer,
        result=result,
        found=found,
        checked_by=run.answered_by[check_answer.name],
        reason=remark(output.reason, run.ledger.documents.values(), run.question.text),
    )
