"""The decision of an answer, made after its rationale was checked: the writer's, a measured critic's, or none."""

from collections.abc import Collection, Sequence
from typing import Any

from pydantic import TypeAdapter

from medground.answering.captions import NOTHING_FOUND
from medground.answering.conclude.critic_reading import CriticReading
from medground.answering.conclude.policy import Grounds, Verdicted
from medground.answering.run import Run
from medground.answering.verify.context import comes_near, passage_of, unmentioned
from medground.answering.verify.judges import may_judge, measurement_of
from medground.answering.write.draft import Draft
from medground.corpus.design import animals_in, not_of_people
from medground.language.comparison import together
from medground.language.question_reading import WHAT_IS_ASKED
from medground.models.operators.differences import DOUBT
from medground.values.decision import AnswerCheck, Decision, Status
from medground.values.evidence import Evidence, Sentence, sentences_of
from medground.values.question import Question
from medground.values.statement import Verdict


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
    if species := _species([e for e in run.ledger.evidence if e.id in cited and e.origin == "text"], run):
        found.append(f"every quote behind the decision is about animals or cells ({species})")
    return found


def _species(quotes: Sequence[Evidence], run: Run) -> str:
    """The animals or cells that all quotes are about; empty if any is about people."""
    found = [not_of_people(quote.quote, run.ledger.documents[quote.document_id]) for quote in quotes]
    return ", ".join(dict.fromkeys(found)) if all(found) else ""


_DECISION: TypeAdapter[Decision] = TypeAdapter(Decision)
_UNASSESSED = "Evidence was found, but no validated judge has assessed it"


def decide(
    question: Question,
    run: Run,
    draft: Draft,
    kept: Sequence[Verdicted],
    verdicts: Sequence[Verdict],
    answered: CriticReading | None = None,
    check: AnswerCheck | None = None,
    elsewhere: Collection[str] = (),
) -> Decision:
    """The decision that the checked sentences support: the writer's answer, else a critic's, else none.

    Without `verify.gate` the writer's answer is the decision, whatever its sentences are worth.

    Args:
        kept: the released sentences, with their verdicts.
        verdicts: the verdicts of all sentences, including dropped ones.
        elsewhere: things of the question that no quote names, though other documents of its sources do.
    """
    uncited, gate = not run.recipe.needs_evidence, run.settings.verify.gate
    if draft.answer and not gate and (kept or question.task != "free"):
        return _decided(question, run, draft, kept, check)
    written = list(zip(draft.sentences, verdicts, strict=True))
    if not kept and not (uncited and draft.answer):
        if draft.sentences:
            reason = f"no sentence of the rationale passed verification: {Grounds(written, kept).why_not()}"
            return _made(question, "not judged", reason=reason)
        reason = draft.reason or NOTHING_FOUND
        return _made(question, "unanswerable", reason=reason)
    if any(verdict.critic == "graph" for verdict in verdicts):  # what other texts say beside the facts decides nothing
        kept, written = ([pair for pair in pairs if pair[1].critic == "graph"] for pairs in (kept, written))
    shown = {evidence for sentence, _ in kept for evidence in sentence.evidence}
    quotes = [e for e in run.ledger.evidence if e.id in shown]
    texts_alone = all(e.origin == "text" for e in quotes)  # stored facts are on the question
    agrees = check is not None and check.result == "follows"
    if missing := _missing(quotes, run, draft, agrees=agrees) if quotes and texts_alone else []:
        things = run.asked.deciding
        if check is None and not set(elsewhere).isdisjoint(missing):
            lost = [side for side in run.asked.sides if any(thing.said in missing for thing in side)]
            both = together([thing.said for thing in (lost[0] if len(lost) == 1 else things)])
            missing = [both if len(things) > 1 else WHAT_IS_ASKED]
        if not question.options and gate:
            return _made(question, "unanswerable", unmentioned=tuple(missing), check=check)
        run.warn(f"no quote mentions {', '.join(missing)}, which the question asks about")
    if draft.answer:
        return _answered(question, run, draft, kept, Grounds(written, kept), check)
    if answered is not None and answered.decides and shown.issuperset(answered.quotes):
        for limit in limits([p for p in kept if not set(p[0].evidence).isdisjoint(answered.quotes)], run):
            run.warn(limit)
        given = {"probability": answered.probability, "reason": answered.reason, "basis": "critic"}
        return _made(question, "decided", (answered.value,), **given)
    if quotes and texts_alone and (species := _species(quotes, run)) and not animals_in(question.text):
        run.warn(f"every quote is about animals or cells ({species})")
    status: Status = "unanswerable" if run.read else "not judged"  # a model read them, and gave no answer
    return _made(question, status, reason=draft.reason or _undecided(run, verdicts))


def _missing(quotes: Sequence[Evidence], run: Run, draft: Draft, *, agrees: bool) -> list[str]:
    """What the quotes are not about: things, or `WHAT_IS_ASKED`. That they are about other people is only said.

    A check that `agrees` was asked whether things that the question names are meant in other words. Where nothing is
    decided, quotes that name every thing may stand, if it has one sense. Where a question names none, they stand if one
    comes near it. Where a network read the first quote as an answer, what is named decides alone.
    """
    documents, asked = run.ledger.documents, run.asked
    texts = [passage_of(asked, e, documents[e.document_id]) for e in quotes]
    missing = [] if agrees else unmentioned(asked, quotes, documents)
    if missing == [WHAT_IS_ASKED] and (draft.read_as_answer or not (draft.answer or asked.has_senses)):
        missing = []
    may_refuse = run.settings.verify.gate and not (run.question.options or draft.answer or draft.read_as_answer)
    if may_refuse and not missing and not asked.things and not comes_near(asked, quotes, documents):
        missing = [WHAT_IS_ASKED]
    on_subject = [text for text in texts if asked.is_about(text)] or texts
    if not missing and (people := asked.people_unnamed(on_subject)):
        run.warn(f"no quote mentions {', '.join(people)}, for whom the question asks")
    return missing


def _undecided(run: Run, verdicts: Sequence[Verdict]) -> str:
    """Why there is no decision where nobody gives another reason; quotes alone need none."""
    assessed = any(verdict.assessed for verdict in verdicts) and run.writer is not None and run.writer.is_model
    if assessed:
        return f"{_writer(run)} gave no answer to the question"
    return "" if all(verdict.label == "quoted" for verdict in verdicts) else _UNASSESSED


def _answered(
    question: Question,
    run: Run,
    draft: Draft,
    kept: Sequence[Verdicted],
    grounds: Grounds,
    check: AnswerCheck | None,
) -> Decision:
    """The writer's answer if its rationale carries it and its check found that it follows; else why it is held back."""
    if run.recipe.needs_evidence and not grounds.carry:
        who = _writer(run) if draft.basis == "model" else "the graph"
        if unchecked := grounds.unchecked:
            short = draft.answer if question.task != "free" or draft.form else ()
            check = AnswerCheck(answer=short, result="not checked", checked_by=who, reason=unchecked)
            return _made(question, "not judged", check=check, reason=unchecked)
        reason = f"{who} answers {', '.join(draft.answer)[:80]!r}, but {grounds.why_not()}"
        return _made(question, "not judged", reason=reason)
    if check is not None and check.result != "follows":
        why = f": {check.reason}" if check.reason else ""
        by = f"the answer was checked by {check.checked_by} against the sentences below{why}"
        reason = check.reason if check.result == "not checked" else by
        return _made(question, "not judged", check=check, reason=reason)
    if grounds.contradicted:
        run.warn(f"{grounds.contradicted}; the decision rests on the others")
    for limit in limits(grounds.supporting, run):
        run.warn(limit)
    return _decided(question, run, draft, kept, check)


def _decided(
    question: Question, run: Run, draft: Draft, kept: Sequence[Verdicted], check: AnswerCheck | None
) -> Decision:
    values, validated, short = draft.answer, None, {}
    if draft.basis == "model":
        writer = _writer(run)
        validated = may_judge(writer, run.settings.verify)
        if not validated and (found := measurement_of(writer, run.settings)):
            run.warn(f"{writer} made this decision; {found.verdict}; measured here: {found.figures}")
        if question.task == "free" and draft.form is not None and check is not None:
            values, short = (", ".join(values),), {"form": draft.form, "items": values}
        elif question.task == "free":  # the checked rationale is the answer: any other text would be unchecked
            values = (" ".join(sentence.text for sentence in sentences_of([sentence for sentence, _ in kept])),)
    made_by = {"basis": draft.basis, "reason": draft.reason, "validated": validated, "check": check} | short
    return _made(question, "decided", values, **made_by)


def _writer(run: Run) -> str:
    return run.writer.name if run.writer else "a model"


def _made(question: Question, status: Status, values: tuple[str, ...] = (), **rest: Any) -> Decision:
    content: dict[str, Any] = {"task": question.task, "status": status, **rest}
    if question.task == "multiple-choice":
        content["values"] = values or None
    else:
        content["value"] = values[0] if values else None
    return _DECISION.validate_python(content)
