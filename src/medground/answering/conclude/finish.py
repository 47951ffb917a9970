"""The last step of recipes that read: check each statement and the short answer, compose the answer."""

import contextlib
from collections.abc import Sequence
from dataclasses import replace

from medground.answering.conclude.compose import compose
from medground.answering.conclude.decision import judged
from medground.answering.conclude.policy import Grounds, release
from medground.answering.read.related_records import replaced
from medground.answering.run import Run
from medground.answering.verify.absence import reported_after_all
from medground.answering.verify.check import GraphCheck, check_with_answer
from medground.answering.verify.context import AROUND, as_read, open_questions, unmentioned
from medground.answering.verify.critic import Checked
from medground.answering.verify.critics import AnswerJudgement, OperatorCritic
from medground.answering.verify.headline import doubts_about, held_back, without_orders
from medground.answering.verify.named import remark
from medground.answering.verify.rationale import find_conflicts
from medground.answering.write.draft import Draft, Mark, evidence_mark
from medground.errors import SourceUnavailable
from medground.home.concurrency import concurrently
from medground.language.question_query import alone
from medground.language.question_reading import Asked
from medground.language.statements import statements
from medground.values.answer import Answer
from medground.values.decision import AnswerCheck
from medground.values.document import Hit
from medground.values.evidence import Evidence, Sentence, sentences_of
from medground.values.lookup import Lookup, Ranker
from medground.values.question import Question
from medground.values.statement import Dropped, Verdict


async def checked_answer(
    draft: Draft, verdicts: Sequence[Verdict], run: Run, said: AnswerJudgement | None = None
) -> AnswerCheck | None:
    """What the model that checks says of a short answer; None where nothing is to be checked.

    `said`: what it said when it judged the sentences; if it did not, it is asked about those that are released, and one
    that does not tell has not checked the answer. An answer that its sentences do not carry is held back without a
    call, and without `verify.gate` no check decides.

    Raises BudgetExhausted: the run reached one of its limits.
    """
    if not (answer := _to_check(draft, run)):
        return None
    kept, _ = release(draft.sentences, verdicts, run.settings.verify, uncited=not run.recipe.needs_evidence)
    grounds = Grounds.of(list(zip(draft.sentences, verdicts, strict=True)), kept)
    if not grounds.carry:
        return None
    critic = OperatorCritic(run)
    if said is None:
        shown = [sentence.text for sentence in sentences_of([sentence for sentence, _ in kept])]
        doubts = doubts_about(draft, [sentence for sentence, _ in kept], run)
        _, said = await critic.judge_answer((), answer, shown, doubts)
    if said is None:
        why = f"{critic.name} did not say whether it follows from the sentences below"
        return AnswerCheck(answer=answer, result="not checked", checked_by=critic.name, reason=why)
    shown_with = [sentence for sentence, _ in kept]
    if said.said.result == "follows" and (why := held_back(draft, shown_with, said.said.settles, run)):
        return AnswerCheck(answer=answer, result="not shown", checked_by=said.by, reason=f"a rule found that {why}")
    rests = [draft.sentences[place] for place in said.rests_on if place < len(draft.sentences)]
    if rests and not any(one in rests for one, _ in kept):
        why = "the sentences that it rests on were left out"
        return AnswerCheck(answer=answer, result="not shown", checked_by=said.by, reason=why)
    return _check(draft, said, run)


def _to_check(draft: Draft, run: Run) -> tuple[str, ...]:
    """The short answer that is to be checked: that to an open question may be the sentences alone."""
    short = draft.basis == "model" and (run.question.task != "free" or draft.form is not None)
    return draft.answer if short and run.settings.verify.gate else ()


def _check(draft: Draft, judged: AnswerJudgement, run: Run) -> AnswerCheck:
    """The check. One that disagrees with itself takes the answer away."""
    said, documents, asked = judged.said, run.ledger.documents, run.question.text
    result, found = said.result or "not shown", said.found
    agrees = {one.casefold() for one in found} == {one.casefold() for one in draft.answer}
    if result == "follows" and found and not agrees and draft.form is None:
        result = "contradicted"
    elif result != "follows" and agrees:
        result, found = "not shown", ()
    found = tuple(line for one in found if (line := remark(one, documents.values(), asked)))
    reason = remark(said.reason, documents.values(), asked)
    return AnswerCheck(answer=draft.answer, result=result, found=found, checked_by=judged.by, reason=reason)


async def _parts_checked(
    draft: Draft, run: Run, *, graph: GraphCheck | None, context: Sequence[Hit], known: Sequence[Verdict] | None
) -> tuple[Draft, list[Verdict], AnswerJudgement | None, list[Dropped]]:
    """A draft and the verdicts on its sentences, what the same call says of its answer, and what it takes away.

    Items that do not hold leave, and so does what the sources are said not to report and do. If an item holds, the
    others do not withhold it; if none does, the answer stays for its check to refuse.

    Args:
        known: the verdicts on the sentences from a recipe's own loop; then only the other parts are checked.
    """
    answer = _to_check(draft, run)
    items = answer if draft.form == "items" and len(answer) > 1 else ()
    parts = [Sentence(text=one, evidence=(), kind="item") for one in items]
    if run.settings.verify.gate:
        parts += [Sentence(text=one, evidence=(), kind="absence") for one in draft.missing]
    sentences = draft.sentences if known is None else ()
    doubts = doubts_about(draft, draft.sentences, run) if answer else []
    given = run.question.worded(draft.answer)
    in_one_call = answer if known is None else ()
    checked, said = await check_with_answer(
        [*sentences, *parts], in_one_call, run, doubts, graph=graph, context=context, leads_to=given
    )
    verdicts = list(known) if known is not None else [one.verdict for one in checked[: len(sentences)]]
    judged_parts = zip(parts, checked[len(sentences) :], strict=True)
    wrong = {part.text: why for part, one in judged_parts if (why := _why_wrong(part, one, draft, run)) is not None}
    wrong |= await reported_after_all(draft.missing, run)
    left = [one for one in draft.missing if one in wrong]
    held = tuple(one for one in answer if one not in wrong)
    if items and held != answer and held:
        left += [one for one in answer if one in wrong]
        draft = draft.model_copy(update={"answer": held})
        said = said and replace(said, said=said.said.model_copy(update={"result": "follows", "found": ()}))
    dropped = [Dropped(text=one, reason=wrong[one] or "the sentences do not show it") for one in left]
    missing = tuple(one for one in draft.missing if one not in wrong)
    return draft.model_copy(update={"missing": missing}), verdicts, said, dropped


def _why_wrong(part: Sentence, checked: Checked, draft: Draft, run: Run) -> str | None:
    """Why an item or an absence does not hold, possibly in no words; None if it holds."""
    unjudged = "contradicts" if checked.verdict.label == "not found" else "failed"
    relation = checked.judgement.relation if checked.judgement else unjudged
    if relation == "contradicts" or (part.kind == "item" and relation in ("related", "neutral")):
        return checked.verdict.note
    if part.kind != "item":
        return None
    alone = draft.model_copy(update={"answer": (part.text,)})
    copied = checked.judgement.settles if checked.judgement else ""
    return held_back(alone, draft.sentences, copied, run) or None


async def finish(
    question: Question,
    draft: Draft,
    evidence: Sequence[Evidence],
    run: Run,
    *,
    graph: GraphCheck | None = None,
    context: Sequence[Hit] = (),
    verdicts: Sequence[Verdict] | None = None,
    missing: str = "",
    mark: Mark = evidence_mark,
) -> Answer:
    """Check the statements of a draft against the evidence and compose the answer. All recipes that read end here.

    Args:
        draft: the written sentences, or the statements that they were split into.
        evidence: the quotes that the draft was written from.
        graph: says whether a stored relation entails a sentence.
        context: passages, best first, with which statements are compared beside the quotes that they cite.
        verdicts: verdicts from a recipe's own loop, one for each statement of the draft; these are not checked again.
        missing: what is missing in what was read, where the draft does not say it.

    Raises:
        UnknownCitation: a sentence cites evidence that this run never quoted.
        SourceUnavailable: a document of the context can no longer be fetched.
        BudgetExhausted: the run reached one of its limits.
    """
    asked = run.reading(question)
    _tell_misspelt(asked, evidence, run)
    draft = without_orders(draft, run)
    cited_ids = dict.fromkeys(e for sentence in draft.sentences for e in sentence.evidence)
    for evidence_id in cited_ids:
        run.ledger.cite(evidence_id)  # fails before anything is paid for
    split = draft.model_copy(update={"sentences": statements(draft.sentences, evidence)})
    split, found, said, left_out = await _parts_checked(split, run, graph=graph, context=context, known=verdicts)
    check = await checked_answer(split, found, run, said)
    by_id = {quote.id: quote for quote in run.ledger.evidence}
    cited = [by_id[evidence_id] for evidence_id in cited_ids]
    conflicts = find_conflicts(question.text, evidence, run.ledger.documents, run.reader)
    answered = None if conflicts or draft.basis == "graph fact" else await judged(asked, cited, run)
    if answered is not None and {answered.value, *draft.answer} == {"yes", "no"}:  # no answer over quotes that deny it
        by, why = run.settings.verify.critic, answered.reason
        objects = {"result": "contradicted", "found": (answered.value,), "checked_by": by, "reason": why}
        check = AnswerCheck(answer=draft.answer, **objects)
    _tell_replaced(cited, run)
    elsewhere = await _elsewhere(asked, cited, run)
    _tell_uncompared(asked, cited, run)
    _tell_open(asked, cited, run)
    return compose(
        run,
        split,
        found,
        conflicts=conflicts,
        answered=answered,
        check=check,
        left_out=left_out,
        elsewhere=elsewhere,
        missing=" ".join(split.missing) or missing,
        mark=mark,
    )


def _tell_misspelt(asked: Asked, quotes: Sequence[Evidence], run: Run) -> None:
    """Warn of each word that was read as another one."""
    for word, meant in asked.read_as(" ".join(quote.quote for quote in quotes)).items():
        run.warn(f"“{word}” was read as “{meant}”; did you mean that?")


def _tell_open(asked: Asked, quotes: Sequence[Evidence], run: Run) -> None:
    """Warn of each of several questions that no quote is about."""
    for said in open_questions(asked, quotes, run.ledger.documents) if quotes else ():
        run.warn(f"no quote is about “{said}?”")


def _tell_replaced(quotes: Sequence[Evidence], run: Run) -> None:
    """Warn where a paper that is quoted was replaced by a newer version of it."""
    named = dict.fromkeys(quote.document_id for quote in quotes)
    for older, newer in replaced([run.ledger.documents[name] for name in named]):
        run.warn(f"{older.id} ({older.year}) was replaced by {newer.id} ({newer.year}), a newer version of it")


async def _elsewhere(asked: Asked, quotes: Sequence[Evidence], run: Run) -> frozenset[str]:
    """What no quote names of the question's things, though documents found by it alone do: it is not missing there."""
    lost = set(unmentioned(asked, quotes, run.ledger.documents)) if quotes else set[str]()
    things = [one for one in asked.subjects if one.said in lost]
    with contextlib.suppress(SourceUnavailable):  # the answer lists sources that failed
        lookups = [Lookup(asked=alone(one), text=one.said, rankers=(Ranker.LEXICAL,)) for one in things]
        counts = await concurrently(run.count(lookup) for lookup in lookups)
        return frozenset(one.said for one, count in zip(things, counts, strict=True) if count)
    return frozenset()


def _tell_uncompared(asked: Asked, quotes: Sequence[Evidence], run: Run) -> None:
    """Warn where each side of a comparison has its quotes, and no source names both."""
    compared, documents = asked.comparison, run.ledger.documents
    if compared is None or not quotes or unmentioned(asked, quotes, documents):
        return
    if not any(compared.names_both(as_read(quote, documents[quote.document_id], AROUND)) for quote in quotes):
        run.warn(f"no source found compares {' with '.join(compared.said)} directly")
