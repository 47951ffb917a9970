"""The decision of a report on a question with options."""

from collections.abc import Sequence

from medground.answering.conclude.answer_check import checked_answer
from medground.answering.conclude.decision import decide
from medground.answering.run import Run
from medground.answering.write.choice import choose, report_paragraphs
from medground.answering.write.draft import Draft
from medground.values.answer import Answer
from medground.values.evidence import Sentence
from medground.values.question import Question


async def with_choice(
    question: Question, report: Answer, run: Run, *, beside: Sequence[str], paragraphs: int, embedder: str
) -> Answer:
    """A report with the decision on a question with options.

    A model's options are held back, as in any answer, where the checked sentences do not carry them or say otherwise.
    Without a model there is no decision: what word statistics favour is a warning, with how often such a set
    was right. At most `paragraphs` of the report and of the texts `beside` it are read, the nearest by the cosine of
    this embedding model.

    Raises ModelFailed: the model gave no usable output; BudgetExhausted: a limit of the run was reached.
    """
    chosen = await choose(question, [*report_paragraphs(report), *beside], run, most=paragraphs, embedder=embedder)
    decision = report.decision
    if chosen.answer:
        sentences = tuple(Sentence(text=statement.text, evidence=statement.evidence) for statement in report.statements)
        verdicts = [statement.verdict for statement in report.statements]
        draft = Draft(sentences=sentences, answer=chosen.answer, basis="model")
        check = decision.check  # of the answer that the report itself ends with, often the same
        if check is None or check.answer != chosen.answer:
            check = await checked_answer(draft, verdicts, run)
        decision = decide(run.question, run, draft, list(zip(sentences, verdicts, strict=True)), verdicts, check=check)
    elif chosen.lean:
        run.warn(
            f"word statistics favour {', '.join(chosen.lean)}, but most such sets were wrong on the "
            "questions of BioMedMCQs"
        )
    told = {"models": dict(sorted(run.answered_by.items())), "usage": run.report(), "warnings": tuple(run.warnings)}
    if decision.status == "decided" and not report.evidence:
        told["needs_evidence"] = False
    return report.replace(decision=decision, **told)
