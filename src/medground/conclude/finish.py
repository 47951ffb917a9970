"""The last step of recipes that read: check each statement, compose the answer.

If no model decided a closed question, a critic that was measured on questions may, or the lean of word statistics.
"""

from __future__ import annotations

from collections.abc import Sequence

from medground.answer import Answer, Verdict
from medground.conclude.asked import judged
from medground.conclude.compose import compose
from medground.evidence import Evidence
from medground.lean.step import lean_of
from medground.question import Question
from medground.run import Run
from medground.verify.check import check_all
from medground.verify.conflicts import find_conflicts
from medground.verify.statements import statements
from medground.write.draft import Draft
from medground.write.rationale import Mark, evidence_mark


async def finish(
    question: Question,
    draft: Draft,
    evidence: Sequence[Evidence],
    run: Run,
    *,
    verdicts: Sequence[Verdict] | None = None,
    mark: Mark = evidence_mark,
    leaning: bool = True,
) -> Answer:
    """Check the statements of a draft against the evidence and compose the answer.

    Args:
        question: the question.
        draft: the written sentences, or the statements that they were split into.
        evidence: the quotes that the draft was written from.
        run: the run, with its ledger.
        verdicts: verdicts from a recipe's own loop, one for each statement of the draft; these are not checked again.
        mark: how citations are written in the rationale.
        leaning: whether word statistics may estimate the answer. Their probability was calibrated on quotes that were
            chosen for one question, and holds for no others.

    Raises:
        UnknownCitation: a sentence cites evidence that this run never quoted.
        BudgetExhausted: the run reached one of its limits.
    """
    cited_ids = dict.fromkeys(e for sentence in draft.sentences for e in sentence.evidence)
    for evidence_id in cited_ids:
        run.ledger.cite(evidence_id)  # fails before anything is paid for
    split = draft.model_copy(update={"sentences": statements(draft.sentences, evidence)})
    if verdicts is None:
        verdicts = await check_all(split.sentences, run)
    by_id = {quote.id: quote for quote in run.ledger.evidence}
    cited = [by_id[evidence_id] for evidence_id in cited_ids]
    conflicts = await find_conflicts(question, evidence, run)
    answered = None if draft.answer or conflicts else await judged(question, cited, run)
    decided = answered is not None and answered.value is not None
    estimated = leaning and not (draft.answer or conflicts or decided)
    lean = lean_of(question, cited, run) if estimated else None
    return compose(run, split, verdicts, conflicts=conflicts, lean=lean, answered=answered, mark=mark)
