"""The decision of an answer, made after its rationale was checked: the writer's, a measured critic's, or none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import TypeAdapter

from medground.answering.captions import NOT_VALIDATED, NOTHING_FOUND
from medground.answering.conclude.policy import Grounds, Verdicted
from medground.answering.read.evidence import evidence_views
from medground.answering.run import Run
from medground.answering.verify.context import AROUND, as_read, unmentioned, usable
from medground.answering.verify.critic import Claim, Judgement, sound
from medground.answering.verify.critics import open_critic
from medground.answering.verify.judges import has_last_word, how_to_validate, may_decide, may_judge
from medground.answering.verify.overclaim import not_of_people, overclaims
from medground.answering.verify.reporting import why_not_finding
from medground.answering.write.draft import Draft
from medground.language.question_reading import reading_of
from medground.models.operators.differences import DOUBT
from medground.values.decision import AnswerCheck, Decision, Status
from medground.values.evidence import Evidence, Sentence, sentences_of
from medground.values.question import Question
from medground.values.statement import Verdict

_VALUES: dict[str, Literal["yes", "no"]] = {"entails": "yes", "contradicts": "no"}


@dataclass(frozen=True)
class Judged:
    """What a critic says of a question.

    Attributes:
        value: its answer; None if it gives none.
        probability: of that answer, if the critic measures it.
        reason: one line: what was judged, by whom, and why there is no answer if there is none.
        quotes: ids of the quotes that it rests on.
    """

    value: Literal["yes", "no"] | None
    reason: str
    probability: float | None = None
    quotes: tuple[str, ...] = ()


async def judged(question: Question, evidence: Sequence[Evidence], run: Run) -> Judged | None:
    """The critic's answer to a closed question; None if it does not apply.

    Args:
        evidence: the quotes that the answer shows, best first.

    Raises:
        BudgetExhausted: the run reached one of its limits.
    """
    if question.task not in ("yes-no", "yes-no-maybe") or run.writer is None or run.writer.is_model:
        return None
    critic = open_critic(run)
    statement = reading_of(question.text).statement if may_decide(critic.name, run.settings.verify) else None
    quotes = [e for e in usable(evidence, run.ledger.documents) if _may_decide(e, run)]
    if statement is None or not quotes:
        return None
    if unmentioned(question, quotes, run.ledger.documents):  # they are about something else, and the answer says so
        return None
    claim = Claim(statement, evidence_views(quotes, run.ledger.documents))
    with run.trace.span("asked", statement=statement, critic=critic.name):
        found = sound(claim, (await critic.judge([claim]))[0])
    value = _VALUES.get(found.relation)
    if value is None:
        return Judged(None, found.note) if found.relation == "unsure" else None
    by = f"as judged by {critic.name}"
    if doubt := _doubt(statement, found, critic.name, quotes, run):
        return Judged(None, f"“{statement}” is not answered: {doubt}")
    said = "supported" if value == "yes" else "contradicted"
    return Judged(value, f"“{statement}” is {said} by a quote below, {by}", found.probability, (found.best or "",))


def _may_decide(evidence: Evidence, run: Run) -> bool:
    """Whether a quote is a finding of a research paper: that is what was measured."""
    document = run.ledger.documents[evidence.document_id]
    return evidence.origin == "text" and document.kind == "research" and not why_not_finding(evidence.quote, document)


def _doubt(statement: str, found: Judgement, critic: str, quotes: Sequence[Evidence], run: Run) -> str:
    if found.note:  # one quote entails it and another contradicts it
        return found.note
    if found.flags:
        return f"it may differ from the quote in {', '.join(found.flags)}"
    if found.relation != "entails" or has_last_word(critic, run.settings.verify):
        return ""
    best = next(e for e in quotes if e.id == found.best)
    more = overclaims(statement, best.quote, run.ledger.documents[best.document_id])
    return "; ".join(f"it {one.note}" for one in more)


def limits(supporting: Sequence[tuple[Sentence, Verdict]], run: Run) -> list[str]:
    """One line for each limit that all sentences behind a decision share.

    A decision of yes or no cannot hedge, so a warning says what its sentences leave open.
    """
    if not supporting:
        return []
    found: list[str] = []
    hedges = [DOUBT.search(sentence.text) for sentence, _ in supporting]
    if all(hedges):
        words = dict.fromkeys(hedge[0].lower() for hedge in hedges if hedge)
        found.append(f"every sentence behind the decision is hedged ({', '.join(words)})")
    cited = {e for sentence, verdict in supporting for e in ((verdict.best,) if verdict.best else sentence.evidence)}
    deciding = [e for e in run.ledger.evidence if e.id in cited and e.origin == "text"]
    species = [not_of_people(quote.quote, run.ledger.documents[quote.document_id]) for quote in deciding]
    if species and all(species):
        named = dict.fromkeys(word for word in species if word)
        found.append(f"every quote behind the decision is about animals or cells ({', '.join(named)})")
    return found


_DECISION: TypeAdapter[Decision] = TypeAdapter(Decision)
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
        kept: the released sentences, with their verdicts.
        verdicts: the verdicts of all sentences, including dropped ones.
    """
    uncited = not run.recipe.needs_evidence
    written = list(zip(draft.sentences, verdicts, strict=True))
    if not kept and not (uncited and draft.answer):
        if draft.sentences:
            reason = f"no sentence of the rationale passed verification: {Grounds.of(written, kept).why_not()}"
            return _made(run.question, "not judged", reason=reason)
        reason = draft.reason or NOTHING_FOUND
        return _made(run.question, "unanswerable", reason=reason)
    if any(verdict.critic == "graph" for verdict in verdicts):  # what other texts say beside the facts decides nothing
        kept, written = ([pair for pair in pairs if pair[1].critic == "graph"] for pairs in (kept, written))
    shown = {evidence for sentence, _ in kept for evidence in sentence.evidence}
    quotes = [e for e in run.ledger.evidence if e.id in shown]
    texts_alone = all(e.origin == "text" for e in quotes)  # stored facts are on the question
    if missing := unmentioned(run.question, quotes, run.ledger.documents) if quotes and texts_alone else []:
        things = [one.said for one in reading_of(run.question.text).subjects if one.decides]
        if len(things) > 1 and not run.elsewhere.isdisjoint(missing):
            missing = [f"{', '.join(things[:-1])} and {things[-1]} together"]
        if not run.question.options and run.settings.verify.gate:
            return _made(run.question, "unanswerable", unmentioned=tuple(missing))
        run.warn(f"no quote mentions {', '.join(missing)}, which the question asks about")
    texts = [as_read(e, run.ledger.documents[e.document_id], AROUND) for e in quotes] if texts_alone else []
    if texts and (people := reading_of(run.question.text).people_unnamed(texts)):
        run.warn(f"no quote mentions {', '.join(people)}, for whom the question asks")
    if draft.answer:
        return _answered(run, draft, kept, Grounds.of(written, kept), check)
    if answered is not None and answered.value is not None and shown.issuperset(answered.quotes):
        for limit in limits([p for p in kept if not set(p[0].evidence).isdisjoint(answered.quotes)], run):
            run.warn(limit)
        given = {"probability": answered.probability, "reason": answered.reason}
        return _made(run.question, "decided", (answered.value,), basis="critic", **given)
    unsure = answered.reason if answered is not None and answered.value is None else ""
    return _made(run.question, "not judged", reason=draft.reason or unsure or _undecided(run, verdicts))


def _undecided(run: Run, verdicts: Sequence[Verdict]) -> str:
    """Why there is no decision where nobody gives another reason; quotes alone need none."""
    assessed = any(verdict.assessed for verdict in verdicts) and run.writer is not None and run.writer.is_model
    if assessed:
        return f"{_writer(run)} gave no answer to the question"
    return "" if all(verdict.label == "quoted" for verdict in verdicts) else _UNASSESSED


def _answered(
    run: Run, draft: Draft, kept: Sequence[Verdicted], grounds: Grounds, check: AnswerCheck | None
) -> Decision:
    """The writer's answer if its rationale carries it, or if the judge failed on it; else why it is held back."""
    gate, uncited = run.settings.verify.gate, not run.recipe.needs_evidence
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
    return run.writer.name if run.writer else "a model"


def _made(question: Question, status: Status, values: tuple[str, ...] = (), **rest: Any) -> Decision:
    content: dict[str, Any] = {"task": question.task, "status": status, **rest}
    if question.task == "multiple-choice":
        content["values"] = values or None
    else:
        content["value"] = values[0] if values else None
    return _DECISION.validate_python(content)
