"""The decision of an answer, made after its rationale was checked: the writer's, a measured critic's, or none."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import TypeAdapter

from medground.answering.captions import NOTHING_FOUND
from medground.answering.conclude.policy import Grounds, Verdicted
from medground.answering.read.evidence import evidence_views
from medground.answering.run import Run
from medground.answering.verify.context import AROUND, as_read, comes_near, unmentioned, usable
from medground.answering.verify.critic import Claim, sound
from medground.answering.verify.critics import open_critic
from medground.answering.verify.judges import ONE, SEVERAL, decides_from, has_last_word, may_judge, measurement_of
from medground.answering.verify.overclaim import overclaims
from medground.answering.verify.reporting import why_not_finding
from medground.answering.write.draft import Draft
from medground.corpus.design import animals_in, not_of_people
from medground.language.comparison import together
from medground.language.follow_up import questions_in
from medground.language.question_reading import WHAT_IS_ASKED, Asked
from medground.models.catalogue import shipped
from medground.models.operators.differences import DOUBT, differences
from medground.values.decision import AnswerCheck, Decision, Status
from medground.values.document import Document
from medground.values.evidence import Evidence, Sentence, sentences_of
from medground.values.question import Question
from medground.values.statement import Verdict


@dataclass(frozen=True)
class CriticReading:
    """What a critic reads in the quotes of a closed question.

    Attributes:
        reason: one line: what was judged, by whom, and how often such answers were right.
        probability: of the answer, if the critic measures it.
        quotes: ids of the quotes that it rests on, the best of each paper.
        decides: whether the critic has proved itself on answers of this kind; if not, it may only object.
    """

    value: Literal["yes", "no"]
    reason: str
    probability: float | None
    quotes: tuple[str, ...]
    decides: bool


async def judged(asked: Asked, evidence: Sequence[Evidence], run: Run) -> CriticReading | None:
    """The critic's reading of a closed question, quote by quote; None if it has none or the quotes do not agree.

    A quote counts for an answer if it is a finding of a research paper, names what the question is about, and is no
    weaker than the statement. Any quote counts against one.

    Args:
        evidence: the quotes that the answer shows, best first.

    Raises:
        BudgetExhausted: the run reached one of its limits.
    """
    critic, trust, documents = open_critic(run), run.settings.verify, run.ledger.documents
    statement, quotes = asked.statement, usable(evidence, documents)
    by_other = run.writer is not None and (critic.name in shipped() or not run.writer.is_model)
    closed = run.question.task in ("yes-no", "yes-no-maybe") and len(questions_in(asked)) == 1
    may = by_other and may_judge(critic.name, trust) and closed
    if not may or statement is None or not quotes:
        return None
    claims = [Claim(statement, (view,)) for view in evidence_views(quotes, documents)]
    with run.trace.span("asked", statement=statement, critic=critic.name):
        found = [sound(*pair) for pair in zip(claims, await critic.judge(claims), strict=True)]
    leaning = [(quote, one) for quote, one in zip(quotes, found, strict=True) if one.leans]
    values = {one.leans for _, one in leaning}
    filters = not has_last_word(critic.name, trust)
    if filters and any("negation" in differences(statement, quote.quote) for quote in quotes):
        values.add("contradicts")
    if len(values) != 1 or all(one.relation == "unsure" for _, one in leaning):
        return None
    papers: dict[str, tuple[float, str]] = {}
    for quote, one in leaning:
        document = documents[quote.document_id]
        weak = filters and one.leans == "entails" and overclaims(statement, quote.quote, document)
        if not (one.flags or weak) and _is_finding(quote, document) and not unmentioned(asked, [quote], documents):
            held = one.probability or 0.0, quote.id
            papers[document.id] = max(papers.get(document.id, held), held)
    value: Literal["yes", "no"] = "yes" if values == {"entails"} else "no"
    return _of_papers(statement, value, sorted(papers.values(), reverse=True), critic.name, run)


def _is_finding(evidence: Evidence, document: Document) -> bool:
    """Whether a quote is a finding of a research paper: that is what was measured."""
    return evidence.origin == "text" and document.kind == "research" and not why_not_finding(evidence.quote, document)


def _of_papers(
    statement: str, value: Literal["yes", "no"], papers: Sequence[tuple[float, str]], critic: str, run: Run
) -> CriticReading | None:
    """The reading that papers give, each with its probability and quote, the most probable first."""
    if not papers:
        return None
    least, right = decides_from(critic, SEVERAL if len(papers) > 1 else ONE, run.settings.verify)
    by_model = run.writer is not None and run.writer.is_model
    said, by = "supported" if value == "yes" else "contradicted", f"quotes of {len(papers)} papers"
    reason = f"“{statement}” is {said} by {by if len(papers) > 1 else 'a quote'} below, as judged by {critic}"
    return CriticReading(
        value,
        f"{reason}; {right}" if right else reason,
        papers[0][0] or None,
        tuple(quote for _, quote in papers),
        decides=least is not None and papers[0][0] >= least and not by_model,
    )


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
    if draft.answer and not gate and (kept or run.question.task != "free"):
        return _decided(run, draft, [sentence for sentence, _ in kept], check)
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
    agrees = check is not None and check.result == "follows"
    if missing := _missing(quotes, run, decides=bool(draft.answer), agrees=agrees) if quotes and texts_alone else []:
        asked = run.asked
        things = asked.deciding
        if check is None and not set(elsewhere).isdisjoint(missing):
            lost = [side for side in asked.sides if any(one.said in missing for one in side)]
            both = together([one.said for one in (lost[0] if len(lost) == 1 else things)])
            missing = [both if len(things) > 1 else WHAT_IS_ASKED]
        if not run.question.options and gate:
            return _made(run.question, "unanswerable", unmentioned=tuple(missing), check=check)
        run.warn(f"no quote mentions {', '.join(missing)}, which the question asks about")
    if draft.answer:
        return _answered(run, draft, kept, Grounds.of(written, kept), check)
    if answered is not None and answered.decides and shown.issuperset(answered.quotes):
        for limit in limits([p for p in kept if not set(p[0].evidence).isdisjoint(answered.quotes)], run):
            run.warn(limit)
        given = {"probability": answered.probability, "reason": answered.reason}
        return _made(run.question, "decided", (answered.value,), basis="critic", **given)
    if quotes and texts_alone and (species := _species(quotes, run)) and not animals_in(run.question.text):
        run.warn(f"every quote is about animals or cells ({species})")
    status: Status = "unanswerable" if run.read else "not judged"  # a model read them, and gave no answer
    return _made(run.question, status, reason=draft.reason or _undecided(run, verdicts))


def _missing(quotes: Sequence[Evidence], run: Run, *, decides: bool, agrees: bool) -> list[str]:
    """What the quotes are not about: things, or `WHAT_IS_ASKED`. That they are about other people is only said.

    A check that `agrees` was asked whether things that the question names are meant in other words. Where nothing is
    decided, quotes that name every thing may stand. Where a question names none, they stand if one comes near it.
    """
    documents, asked = run.ledger.documents, run.asked
    texts = [as_read(e, documents[e.document_id], AROUND) for e in quotes]
    missing = [] if agrees else unmentioned(asked, quotes, documents)
    if missing == [WHAT_IS_ASKED] and not decides:
        missing = []
    may_refuse = run.settings.verify.gate and not run.question.options and not decides
    if may_refuse and not missing and not asked.things and not comes_near(asked, quotes, documents):
        missing = [WHAT_IS_ASKED]
    if not missing and (people := asked.people_unnamed(texts)):
        run.warn(f"no quote mentions {', '.join(people)}, for whom the question asks")
    return missing


def _undecided(run: Run, verdicts: Sequence[Verdict]) -> str:
    """Why there is no decision where nobody gives another reason; quotes alone need none."""
    assessed = any(verdict.assessed for verdict in verdicts) and run.writer is not None and run.writer.is_model
    if assessed:
        return f"{_writer(run)} gave no answer to the question"
    return "" if all(verdict.label == "quoted" for verdict in verdicts) else _UNASSESSED


def _answered(
    run: Run, draft: Draft, kept: Sequence[Verdicted], grounds: Grounds, check: AnswerCheck | None
) -> Decision:
    """The writer's answer if its rationale carries it and its check found that it follows; else why it is held back."""
    if run.recipe.needs_evidence and not grounds.carry:
        who = _writer(run) if draft.basis == "model" else "the graph"
        if unchecked := grounds.unchecked:
            short = draft.answer if run.question.task != "free" or draft.form else ()
            check = AnswerCheck(answer=short, result="not checked", checked_by=who, reason=unchecked)
            return _made(run.question, "not judged", check=check, reason=unchecked)
        reason = f"{who} answers {', '.join(draft.answer)[:80]!r}, but {grounds.why_not()}"
        return _made(run.question, "not judged", reason=reason)
    if check is not None and check.result != "follows":
        why = f": {check.reason}" if check.reason else ""
        by = f"the answer was checked by {check.checked_by} against the sentences below{why}"
        reason = check.reason if check.result == "not checked" else by
        return _made(run.question, "not judged", check=check, reason=reason)
    if grounds.contradicted:
        run.warn(f"{grounds.contradicted}; the decision rests on the others")
    for limit in limits(grounds.supporting, run):
        run.warn(limit)
    return _decided(run, draft, [sentence for sentence, _ in kept], check)


def _decided(run: Run, draft: Draft, kept: Sequence[Sentence], check: AnswerCheck | None) -> Decision:
    values, validated, short = draft.answer, None, {}
    if draft.basis == "model":
        writer = _writer(run)
        validated = may_judge(writer, run.settings.verify)
        if not validated and (found := measurement_of(writer, run.settings)):
            run.warn(f"{writer} made this decision; {found.verdict}; measured here: {found.figures}")
        if run.question.task == "free" and draft.form is not None and check is not None:
            values, short = (", ".join(values),), {"form": draft.form, "items": values}
        elif run.question.task == "free":  # the checked rationale is the answer: any other text would be unchecked
            values = (" ".join(sentence.text for sentence in sentences_of(kept)),)
    made_by = {"basis": draft.basis, "reason": draft.reason, "validated": validated, "check": check}
    return _made(run.question, "decided", values, **made_by, **short)


def _writer(run: Run) -> str:
    return run.writer.name if run.writer else "a model"


def _made(question: Question, status: Status, values: tuple[str, ...] = (), **rest: Any) -> Decision:
    content: dict[str, Any] = {"task": question.task, "status": status, **rest}
    if question.task == "multiple-choice":
        content["values"] = values or None
    else:
        content["value"] = values[0] if values else None
    return _DECISION.validate_python(content)
