"""The check of what a model answers: the short answer, its items, and what it says that nothing reports."""

from collections.abc import Sequence
from dataclasses import replace

from medground.answering.conclude.policy import Grounds, release
from medground.answering.run import Run
from medground.answering.verify.absence import reported_after_all
from medground.answering.verify.check import GraphCheck, check_with_answer
from medground.answering.verify.critic import Checked
from medground.answering.verify.critics import AnswerJudgement, OperatorCritic
from medground.answering.verify.headline import doubts_about, held_back
from medground.answering.verify.named import remark
from medground.answering.write.draft import Draft
from medground.values.decision import AnswerCheck
from medground.values.document import Hit
from medground.values.evidence import Sentence, sentences_of
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
    grounds = Grounds(list(zip(draft.sentences, verdicts, strict=True)), kept)
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


async def parts_checked(
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
        draft = draft.replace(answer=held)
        said = said and replace(said, said=said.said.replace(result="follows", found=()))
    dropped = [Dropped(text=one, reason=wrong[one] or "the sentences do not show it") for one in left]
    missing = tuple(one for one in draft.missing if one not in wrong)
    return draft.replace(missing=missing), verdicts, said, dropped


def _why_wrong(part: Sentence, checked: Checked, draft: Draft, run: Run) -> str | None:
    """Why an item or an absence does not hold, possibly in no words; None if it holds."""
    unjudged = "contradicts" if checked.verdict.label == "not found" else "failed"
    relation = checked.judgement.relation if checked.judgement else unjudged
    if relation == "contradicts" or (part.kind == "item" and relation in ("related", "neutral")):
        return checked.verdict.note
    if part.kind != "item":
        return None
    alone = draft.replace(answer=(part.text,))
    copied = checked.judgement.settles if checked.judgement else ""
    return held_back(alone, draft.sentences, copied, run) or None
