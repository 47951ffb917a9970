"""The decision of an answer, made after its rationale was checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from medground.answer import Decision, Status, Verdict
from medground.conclude.asked import Judged, rests_on
from medground.conclude.limits import limits
from medground.conclude.policy import UNSUPPORTED, Verdicted
from medground.question import Question
from medground.run import Run
from medground.sentence import Sentence, sentences_of
from medground.verify.judges import NOT_VALIDATED, how_to_validate, may_judge
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
    answered: Judged | None = None,
) -> Decision:
    """The decision that the checked sentences support: the writer's answer, else a critic's, else a lean, else none.

    Args:
        run: the run; a decision by a model that is not a validated judge adds a warning to it.
        draft: the written sentences, and the answer that the writer drew from them.
        kept: the released sentences, with their verdicts.
        verdicts: the verdicts of all sentences, including dropped ones.
        lean: the estimate of word statistics for a closed question.
        answered: what a measured critic says of a closed question.
    """
    uncited = not run.recipe.needs_evidence
    if not kept and not (uncited and draft.answer):
        if draft.sentences:
            return _made(run.question, "not judged", reason="no sentence of the rationale passed verification")
        reason = draft.reason or "no evidence on this question was found in the sources searched"
        return _made(run.question, "unanswerable", reason=reason)
    if any(verdict.critic == "graph" for verdict in verdicts):  # what other texts say beside the facts decides nothing
        kept = [pair for pair in kept if pair[1].critic == "graph"]
        verdicts = [verdict for verdict in verdicts if verdict.critic == "graph"]
    if draft.answer:
        if not uncited and (doubt := _doubt(run, draft, kept, verdicts)):
            return _made(run.question, "not judged", reason=doubt)
        for limit in limits([pair for pair in kept if can_support(pair[1])], run):
            run.warn(limit)
        return _decided(run, draft, [sentence for sentence, _ in kept])
    if answered is not None and answered.value is not None and rests_on(answered, kept):
        for limit in limits([p for p in kept if not set(p[0].evidence).isdisjoint(answered.quotes)], run):
            run.warn(limit)
        given = {"probability": answered.probability, "reason": answered.reason}
        return _made(run.question, "decided", (answered.value,), basis="critic", **given)
    if lean is not None and lean.value is not None and _quoted(lean.documents, kept, run):
        return _made(
            run.question,
            "lean",
            (lean.value,),
            basis="lean",
            probability=lean.probability,
            reason=f"Estimated from word statistics of {' and '.join(lean.documents)}, quoted here; not assessed by a "
            "validated model",
        )
    unsure = answered.reason if answered is not None and answered.value is None else ""
    return _made(run.question, "not judged", reason=draft.reason or unsure or _undecided(run, verdicts))


def _undecided(run: Run, verdicts: Sequence[Verdict]) -> str:
    """Why there is no decision where nobody gives another reason."""
    assessed = any(verdict.assessed for verdict in verdicts) and run.writer is not None and run.writer.is_model
    return f"{_writer(run)} gave no answer to the question" if assessed else _UNASSESSED


def _quoted(documents: Sequence[str], kept: Sequence[Verdicted], run: Run) -> bool:
    """Whether the released sentences cite each of the documents."""
    cited = {evidence for sentence, _ in kept for evidence in sentence.evidence}
    return {e.document_id for e in run.ledger.evidence if e.id in cited}.issuperset(documents)


def _decided(run: Run, draft: Draft, kept: Sequence[Sentence]) -> Decision:
    values, validated = draft.answer, None
    if draft.basis == "model":
        writer = _writer(run)
        validated = may_judge(writer, run.settings.verify)
        if not validated:
            run.warn(f"{writer} made this decision and is {NOT_VALIDATED}; {how_to_validate(writer)}")
        if run.question.task == "free":  # the checked rationale is the answer: any other text would be unchecked
            values = (" ".join(sentence.text for sentence in sentences_of(kept)),)
    return _made(run.question, "decided", values, basis=draft.basis, reason=draft.reason, validated=validated)


def _doubt(run: Run, draft: Draft, kept: Sequence[Verdicted], verdicts: Sequence[Verdict]) -> str | None:
    """Why the rationale does not support the answer; None if it does. Dropped sentences support nothing."""
    who = _writer(run) if draft.basis == "model" else "the graph"
    given = f"{who} answers {', '.join(draft.answer)[:80]!r}"
    if any(verdict.label == "contradicted" for verdict in verdicts):
        return f"{given}, but the evidence contradicts a sentence of its rationale"
    if all(verdict.label in UNSUPPORTED for _, verdict in kept):
        return f"{given}, but none of its sentences was found in the evidence"
    if not any(can_support(verdict) for _, verdict in kept):
        kinds = dict.fromkeys(flag for _, verdict in kept for flag in verdict.flags)
        return (
            f"{given}, but each of its sentences differs from the evidence ({', '.join(kinds)}), was not found in it, "
            "or cites text that reports no finding"
        )
    return None


def can_support(verdict: Verdict) -> bool:
    """Whether a sentence with this verdict can support a decision.

    It cannot if it was not found in its source, if its words differ from the source and no judge has assessed that (a
    validated one, or a model that calls it supported all the same), or if it is based on a quote that reports no
    finding.
    """
    if verdict.label in UNSUPPORTED or not set(verdict.flags).isdisjoint(NOT_FINDINGS):
        return False
    return not verdict.flags or verdict.label not in ("related", "not judged") or verdict.assessed == "supported"


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
