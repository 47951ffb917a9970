"""The choice that follows from a report: its nearest paragraphs are read, and what they support is the decision.

Source: BioMedSearch, section IV.B and Figure 3.
"""

from __future__ import annotations

from medground.answer import Answer
from medground.conclude.decision import decide
from medground.conclude.short_answer import checked_answer
from medground.question import Question
from medground.run import Run
from medground.sentence import Sentence
from medground.write.choice import choose
from medground.write.draft import Draft
from medground.write.paragraphs import report_paragraphs


async def with_choice(question: Question, report: Answer, run: Run, *, paragraphs: int, embedder: str) -> Answer:
    """A report with the decision on a question with options.

    A model's options are held back, as in any answer, where the checked sentences do not carry them or say otherwise.
    Without a model there is no decision: what word statistics lean to is told as a warning, with how often such a set
    was right. `paragraphs` are read at most, the nearest by the cosine of this embedding model.

    Raises:
        ModelFailed: the model gave no usable output.
        BudgetExhausted: a limit of the run was reached.
    """
    chosen = await choose(question, report_paragraphs(report), run, most=paragraphs, embedder=embedder)
    decision = report.decision
    if chosen.answer:
        sentences = tuple(Sentence(text=one.text, evidence=one.evidence) for one in report.statements)
        verdicts = [one.verdict for one in report.statements]
        draft = Draft(sentences=sentences, answer=chosen.answer, basis="model")
        check = decision.check  # of the answer that the report itself ends with, often the same
        if check is None or check.answer != chosen.answer:
            check = await checked_answer(draft, verdicts, run)
        decision = decide(run, draft, list(zip(sentences, verdicts, strict=True)), verdicts, check=check)
    elif chosen.lean:
        run.warn(
            f"word statistics lean to {', '.join(chosen.lean)}, which is no answer: most such sets were wrong on the "
            "questions of BioMedMCQs"
        )
    told = {"models": dict(sorted(run.answered_by.items())), "usage": run.report(), "warnings": tuple(run.warnings)}
    return report.model_copy(update={"decision": decision, **told})
