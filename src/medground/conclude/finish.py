"""The last step of recipes that read: check each statement and the short answer, compose the answer.

If no model decided a closed question, a critic that was measured on questions may.
"""

from __future__ import annotations

from collections.abc import Sequence

from medground.answer import Answer, Verdict
from medground.conclude.asked import judged
from medground.conclude.compose import compose
from medground.conclude.short_answer import checked_answer
from medground.evidence import Evidence
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
) -> Answer:
    """Check the statements of a draft against the evidence and compose the answer.

    Args:
        question: the question.
        draft: the written sentences, or the statements that they were split into.
        evidence: the quotes that the draft was written from.
        run: the run, with its ledger.
        verdicts: verdicts from a recipe's own loop, one for each statement of the draft; these are not checked again.
        mark: how citations are written in the rationale.

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
    check = await checked_answer(split, verdicts, run)
    by_id = {quote.id: quote for quote in run.ledger.evidence}
    cited = [by_id[evidence_id] for evidence_id in cited_ids]
    conflicts = await find_conflicts(question, evidence, run)
    answered = None if draft.answer or conflicts else await judged(question, cited, run)
    return compose(run, split, verdicts, conflicts=conflicts, answered=answered, check=check, mark=mark)
