"""The end of every recipe that reads: check each statement, add a lean where nobody decided, compose the answer."""

from __future__ import annotations

from collections.abc import Sequence

from medground.answer import Answer, Verdict
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
) -> Answer:
    """The answer that a draft becomes when its statements were checked against the evidence.

    Args:
        question: the question.
        draft: what was written, cut into statements or not yet.
        evidence: the quotes that the draft was written from.
        run: the run, with its ledger.
        verdicts: what a recipe's loop has found already, one for each statement of the draft; nothing is asked again.
        mark: how citations are written in the rationale.

    Raises:
        UnknownCitation: a sentence cites evidence that this run never quoted.
        BudgetExhausted: a limit of the run was reached.
    """
    shown = dict.fromkeys(e for sentence in draft.sentences for e in sentence.evidence)
    for evidence_id in shown:
        run.ledger.cite(evidence_id)  # before anything is paid for
    cut = draft.model_copy(update={"sentences": statements(draft.sentences, evidence)})
    if verdicts is None:
        verdicts = await check_all(cut.sentences, run)
    lean = None if draft.answer else lean_of(question, evidence, run)
    conflicts = await find_conflicts(question, evidence, run)
    from medground.read.concepts import unmentioned  # it brings MeSH, which answers from stored facts do not need

    cited = [quote for quote in evidence if quote.id in shown] or evidence
    if cited and (unmentioned_concepts := unmentioned(question, cited, run)):
        run.warn(f"no quote mentions {', '.join(map(repr, unmentioned_concepts))}, which the question asks about")
    return compose(run, cut, verdicts, conflicts=conflicts, lean=lean, mark=mark)
