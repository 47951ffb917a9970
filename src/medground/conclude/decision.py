"""The decision of an answer, made after its rationale was checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import TypeAdapter

from medground.answer import AnswerCheck, Decision, Status, Verdict
from medground.conclude.asked import Judged, rests_on
from medground.conclude.grounds import Grounds
from medground.conclude.limits import limits
from medground.conclude.policy import Verdicted
from medground.evidence import Evidence
from medground.question import Question
from medground.read.concepts import unmentioned
from medground.run import Run
from medground.sentence import Sentence, sentences_of
from medground.verify.judges import NOT_VALIDATED, how_to_validate, may_judge
from medground.write.draft import Draft

_DECISION: TypeAdapter[Decision] = TypeAdapter(Decision)
_NOTHING_ON_IT = "No evidence on this was found in the sources searched, so nothing is decided"
_UNASSESSED = "Evidence was found, but no validated judge has assessed it"


def decide(
    run: Run,
    draft: Draft,
    kept: Sequence[Verdicted],
    verdicts: Sequence[Verdict],
    answered: Judged | None = None,
    check: AnswerCheck | None = None,
) -> Decision:
    """The decision that the checked sentences support: the writer's answer, else a critic's, else none.

    Args:
        run: the run; a decision by a model that is not a validated judge adds a warning to it.
        draft: the written sentences, and the answer that the writer drew from them.
        kept: the released sentences, with their verdicts.
        verdicts: the verdicts of all sentences, including dropped ones.
        answered: what a measured critic says of a closed question.
        check: what the check of the writer's short answer found.
    """
    uncited = not run.recipe.needs_evidence
    written = list(zip(draft.sentences, verdicts, strict=True))
    if not kept and not (uncited and draft.answer):
        if draft.sentences:
            reason = f"no sentence of the rationale passed verification: {Grounds.of(written, kept).why_not()}"
            return _made(run.question, "not judged", reason=reason)
        reason = draft.reason or "no evidence on this question was found in the sources searched"
        return _made(run.question, "unanswerable", reason=reason)
    if any(verdict.critic == "graph" for verdict in verdicts):  # what other texts say beside the facts decides nothing
        kept, written = ([pair for pair in pairs if pair[1].critic == "graph"] for pairs in (kept, written))
    if missing := _unmentioned(run, kept):
        if not run.question.options and run.settings.verify.gate:
            return _made(run.question, "unanswerable", reason=_NOTHING_ON_IT, unmentioned=tuple(missing))
        run.warn(f"no quote mentions {', '.join(missing)}, which the question asks about")
    if draft.answer:
        return _answered(run, draft, kept, Grounds.of(written, kept), check, uncited=uncited)
    if answered is not None and answered.value is not None and rests_on(answered, kept):
        for limit in limits([p for p in kept if not set(p[0].evidence).isdisjoint(answered.quotes)], run):
            run.warn(limit)
        given = {"probability": answered.probability, "reason": answered.reason}
        return _made(run.question, "decided", (answered.value,), basis="critic", **given)
    unsure = answered.reason if answered is not None and answered.value is None else ""
    return _made(run.question, "not judged", reason=draft.reason or unsure or _undecided(run, verdicts))


def _unmentioned(run: Run, kept: Sequence[Verdicted]) -> list[str]:
    """What the question asks about that no quote behind the released sentences mentions. Stored facts are on it."""
    quotes = _quotes(kept, run)
    return unmentioned(run.question, quotes, run) if all(e.origin == "text" for e in quotes) and quotes else []


def _quotes(kept: Sequence[Verdicted], run: Run) -> list[Evidence]:
    cited = {evidence for sentence, _ in kept for evidence in sentence.evidence}
    return [e for e in run.ledger.evidence if e.id in cited]


def _undecided(run: Run, verdicts: Sequence[Verdict]) -> str:
    """Why there is no decision where nobody gives another reason; quotes alone need none."""
    assessed = any(verdict.assessed for verdict in verdicts) and run.writer is not None and run.writer.is_model
    if assessed:
        return f"{_writer(run)} gave no answer to the question"
    return "" if all(verdict.label == "quoted" for verdict in verdicts) else _UNASSESSED


def _answered(
    run: Run,
    draft: Draft,
    kept: Sequence[Verdicted],
    grounds: Grounds,
    check: AnswerCheck | None,
    *,
    uncited: bool,
) -> Decision:
    """The writer's answer if its rationale carries it, or if the judge failed on it; else why it is held back."""
    gate = run.settings.verify.gate
    if gate and not uncited and not grounds.carry and not grounds.unchecked:
        who = _writer(run) if draft.basis == "model" else "the graph"
        reason = f"{who} answers {', '.join(draft.answer)[:80]!r}, but {grounds.why_not()}"
        return _made(run.question, "not judged", reason=reason)
    if check is not None and check.result != "follows":
        why = f": {check.reason}" if check.reason else ""
        reason = f"the answer was checked by {check.checked_by} against the sentences below{why}"
        return _made(run.question, "not judged", check=check, reason=reason)
    if gate and grounds.contradicted:
        run.warn(f"{grounds.contradicted}; the decision rests on the others")
    for limit in limits(grounds.supporting, run):
        run.warn(limit)
    reason = grounds.unchecked if not uncited else ""
    return _decided(run, draft, [sentence for sentence, _ in kept], reason, check)


def _decided(run: Run, draft: Draft, kept: Sequence[Sentence], unchecked: str, check: AnswerCheck | None) -> Decision:
    values, validated = draft.answer, None
    if draft.basis == "model":
        writer = _writer(run)
        validated = may_judge(writer, run.settings.verify)
        if not validated:
            run.warn(f"{writer} made this decision and is {NOT_VALIDATED}; {how_to_validate(writer)}")
        if run.question.task == "free":  # the checked rationale is the answer: any other text would be unchecked
            values = (" ".join(sentence.text for sentence in sentences_of(kept)),)
    if unchecked:
        run.warn(f"this decision is {unchecked}")
    reason = unchecked or draft.reason
    return _made(run.question, "decided", values, basis=draft.basis, reason=reason, validated=validated, check=check)


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
