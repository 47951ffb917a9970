"""The decision of an answer: what may be said after its rationale was checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from medground.answer import Decision, Status, Verdict
from medground.conclude.limits import limits
from medground.conclude.policy import UNSUPPORTED, Verdicted
from medground.question import Question
from medground.run import Run
from medground.sentence import Sentence, sentences_of
from medground.verify.judges import may_judge
from medground.verify.reporting import NOT_FINDINGS
from medground.write.draft import Draft

if TYPE_CHECKING:
    from medground.lean.model import Lean

_DECISION: TypeAdapter[Decision] = TypeAdapter(Decision)
_UNASSESSED = "Evidence was found, but no validated judge has assessed it"


def decide(
    run: Run,
    draft: Draft,
    kept: Sequence[Verdicted],
    verdicts: Sequence[Verdict],
    lean: Lean | None,
) -> Decision:
    """What the checked sentences carry: the writer's answer, else a lean of word statistics, else nothing.

    Args:
        run: the run; a decision of a model that is not a validated judge adds a warning.
        draft: what was written, and the answer that its writer drew from it.
        kept: the sentences that leave, with their verdicts.
        verdicts: those of all sentences, also of the ones that were dropped.
        lean: what word statistics suggest for a closed question.
    """
    uncited = not run.recipe.needs_evidence
    if not kept and not (uncited and draft.answer):
        if draft.sentences:
            return _made(run.question, "not judged", reason="no sentence of the rationale passed verification")
        reason = draft.reason or "no source that was searched has evidence on this question"
        return _made(run.question, "unanswerable", reason=reason)
    if draft.answer:
        if not uncited and (doubt := _doubt(run, draft, kept, verdicts)):
            return _made(run.question, "not judged", reason=doubt)
        for limit in limits([pair for pair in kept if carries(pair[1])], run):
            run.warn(limit)
        return _decided(run, draft, [sentence for sentence, _ in kept])
    if lean is not None and lean.value is not None:
        return _made(
            run.question,
            "lean",
            (lean.value,),
            basis="lean",
            probability=lean.probability,
            reason=f"Estimated from word statistics of {lean.document}; not assessed by a validated model",
        )
    return _made(run.question, "not judged", reason=draft.reason or _UNASSESSED)


def _decided(run: Run, draft: Draft, kept: Sequence[Sentence]) -> Decision:
    values = draft.answer
    if draft.basis == "model":
        writer = _writer(run)
        if not may_judge(writer, run.settings.verify):
            run.warn(f"{writer} made this decision and is not a validated judge")
        if run.question.task == "free":  # what was checked is what is said: an answer beside it would be unchecked
            values = (" ".join(sentence.text for sentence in sentences_of(kept)),)
    return _made(run.question, "decided", values, basis=draft.basis, reason=draft.reason)


def _doubt(run: Run, draft: Draft, kept: Sequence[Verdicted], verdicts: Sequence[Verdict]) -> str | None:
    """Why an answer cannot rest on its rationale; None when it can. A sentence that was dropped carries nothing."""
    who = _writer(run) if draft.basis == "model" else "the graph"
    said = f"{who} answers {', '.join(draft.answer)[:80]!r}"
    if any(verdict.label == "contradicted" for verdict in verdicts):
        return f"{said}, but the evidence contradicts a sentence of its rationale"
    if all(verdict.label in UNSUPPORTED for _, verdict in kept):
        return f"{said}, but none of its sentences is found in the evidence"
    if not any(carries(verdict) for _, verdict in kept):
        kinds = dict.fromkeys(flag for _, verdict in kept for flag in verdict.flags)
        return (
            f"{said}, but each of its sentences differs from the evidence ({', '.join(kinds)}), is not found in it, "
            "or cites text that reports no finding"
        )
    return None


def carries(verdict: Verdict) -> bool:
    """Whether a decision may rest on a sentence with this verdict.

    It may not rest on a statement that is not found in its source, nor on one whose words differ from it unless a judge
    has seen that, nor on a quote that only asks, plans or supposes, or is a title.
    """
    if verdict.label in UNSUPPORTED or not set(verdict.flags).isdisjoint(NOT_FINDINGS):
        return False
    return not verdict.flags or verdict.label not in ("related", "not judged")


def _writer(run: Run) -> str:
    """The model that wrote the answer."""
    return run.writer.name if run.writer else "a model"


def _made(question: Question, status: Status, values: tuple[str, ...] = (), **rest: Any) -> Decision:
    content: dict[str, Any] = {"task": question.task, "status": status, **rest}
    if question.task == "multiple-choice":
        content["values"] = values or None
    else:
        content["value"] = values[0] if values else None
    return _DECISION.validate_python(content)
