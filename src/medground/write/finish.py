"""The end of every recipe that reads: check each statement, let statistics lean where nobody decided, compose."""

from __future__ import annotations

from collections.abc import Sequence

from medground.answer import Answer
from medground.evidence import Evidence
from medground.question import Question
from medground.run import Run
from medground.verify.check import check_all
from medground.verify.statements import statements
from medground.write.compose import compose
from medground.write.draft import Draft
from medground.write.leaning import lean_of
from medground.write.rationale import Mark, evidence_mark


async def finish(
    question: Question, draft: Draft, evidence: Sequence[Evidence], run: Run, *, mark: Mark = evidence_mark
) -> Answer:
    """The answer that a draft becomes when its statements were checked against the evidence."""
    checked = draft.model_copy(update={"sentences": statements(draft.sentences, evidence)})
    verdicts = await check_all(checked.sentences, run)
    lean = None if draft.answer else lean_of(question, evidence, run)
    return compose(run, checked, verdicts, lean=lean, mark=mark)
