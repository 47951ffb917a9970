"""Label each checked statement of a rationale: one of eight, and the source of an error."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from medground.answering.read.evidence import evidence_views
from medground.answering.run import Run
from medground.answering.verify.context import GIVEN, Context, usable
from medground.answering.verify.critic import CITATION, INCORRECT, Checked, Critic, noted
from medground.answering.verify.critics import LabelsOnly
from medground.answering.verify.named import remark
from medground.errors import ModelFailed
from medground.language import words
from medground.models.operators.base import EvidenceView, PassageView
from medground.models.operators.reading import relevant_passages
from medground.models.operators.verifying import LabelInput, Signals, label, labelled, on_topic, oppose
from medground.values.evidence import Ledger, Sentence, sentences_of
from medground.values.statement import Category, ErrorSource, Verdict
from medground.values.usage import KEYLESS

MOST_QUOTES = 20
"""Most quotes of the run that a model is shown as context, starting with those that the statement cites."""

EvidenceRelation = Literal["quoted", "entails", "contradicts", "related", "neutral", "failed"]


async def label_all(
    sentences: Sequence[Sentence],
    checked: Sequence[Checked],
    run: Run,
    critic: Critic,
    context: Context,
    answer: Sequence[str],
) -> list[Checked]:
    """Label the checked statements of the rationale of `answer`; results are in order.

    The label follows from the critic's relation and the flags. Where the critic is the operator `label`, the model that
    answers it is asked about the statements that needed a critic.

    Raises BudgetExhausted: the run reached one of its limits.
    """
    items = [_Item(sentence, c.verdict, *_relation(c)) for sentence, c in zip(sentences, checked, strict=True)]
    by_model = isinstance(critic, LabelsOnly) and run.answerer(label).is_model
    asked = [by_model and c.judgement is not None and c.judgement.relation != "failed" for c in checked]
    ledger, asked_for = run.ledger, run.question.text
    views = context.views or evidence_views(usable(ledger.evidence, ledger.documents), ledger.documents)
    passages = [PassageView(id=v.id, title=v.title, text=v.quote) for v in views]
    relevant = cache(lambda: bool(relevant_passages(run.asked, passages)))  # slow, and often nobody asks
    rationale = " ".join(s.text for s in sentences_of(sentences))

    async def one(number: int, item: _Item) -> Verdict:
        if item.verdict.label == GIVEN or item.sentence.kind != "statement":
            return item.verdict
        if asked[number]:
            found = await _by_model(item, rationale, tuple(answer), run, context)
        else:
            shown = context.views or _quotes(item.sentence, ledger)
            found = _by_rule(item, items, ledger, on_topic(asked_for, item.sentence.text, shown), bool(context.views))
        return found.replace(error_source=error_source(found, relevant=_is_wrong(found) and relevant()))

    verdicts = await asyncio.gather(*(one(n, item) for n, item in enumerate(items)))
    return [replace(c, verdict=verdict) for c, verdict in zip(checked, verdicts, strict=True)]


@dataclass(frozen=True)
class _Item:
    """A statement, its verdict, the relation behind it, and whether a judge rather than word statistics gave that."""

    sentence: Sentence
    verdict: Verdict
    relation: EvidenceRelation
    judged: bool


def _relation(checked: Checked) -> tuple[EvidenceRelation, bool]:
    found = checked.judgement
    if found is not None:
        return ("related", False) if found.relation == "unsure" else (found.relation, checked.verdict.judged_by_model)
    if checked.verdict.critic == "graph":
        return ("entails" if checked.verdict.label == "supported" else "neutral"), True
    return ("quoted" if checked.verdict.label == "quoted" else "neutral"), False


def error_source(verdict: Verdict, *, relevant: bool) -> ErrorSource | None:
    """The source of the error in an unsupported statement; None if it is supported or that cannot be determined."""
    if not _is_wrong(verdict):
        return None
    return "generation" if relevant else "retrieval"


def _is_wrong(verdict: Verdict) -> bool:
    wrong = (verdict.category or "").startswith(("INCORRECT", "CORRECT-MISSING"))
    return wrong or verdict.label in ("not found", "contradicted")


async def _by_model(item: _Item, rationale: str, answer: tuple[str, ...], run: Run, context: Context) -> Verdict:
    value = LabelInput(
        question=run.question.text,
        rationale=rationale,
        answer=answer,
        statement=item.sentence.text,
        cited=() if context.views else item.sentence.evidence,
        passages=context.views or _quotes(item.sentence, run.ledger),
    )
    try:
        output = await run.ask(label, value)
    except ModelFailed as failed:
        run.warn(f"a sentence could not be labelled: {failed}")
        return item.verdict
    if output.category is None:
        return item.verdict
    verdict, by = item.verdict, run.answered_by[label.name]
    reason = remark(output.reason, run.ledger.documents.values(), run.question.text)
    changed = {
        "category": output.category,
        "labelled_by": by,
        "best": verdict.best or context.evidence(output.best, item.sentence, run.ledger),
        "note": verdict.note or reason,
    }
    labelled_so = verdict.replace(**changed)
    if not output.category.startswith("INCORRECT"):
        return labelled_so
    said = f"labelled {output.category} by {by}"
    return noted(labelled_so, f"{said}: {reason}" if reason and verdict.note else said, INCORRECT)


def _by_rule(item: _Item, rationale: Sequence[_Item], ledger: Ledger, is_on_topic: bool, in_context: bool) -> Verdict:
    verdict = item.verdict
    quote = next((e.quote for e in ledger.evidence if e.id == verdict.best), "")
    covered = words.coverage(words.terms(item.sentence.text), words.terms(quote))
    signals = Signals(
        relation=item.relation,
        judged=item.judged,
        coverage=1.0 if verdict.critic == "graph" else covered,
        flags=verdict.flags,
        on_topic=is_on_topic,
        opposed=_opposed(item, rationale, ledger),
        uncited=CITATION in verdict.flags and not in_context,
    )
    category: Category | None = labelled(signals)
    if category is None:
        return verdict
    by = verdict.critic if item.judged and verdict.critic != "graph" else KEYLESS
    return verdict.replace(category=category, labelled_by=by)


def _opposed(item: _Item, rationale: Sequence[_Item], ledger: Ledger) -> bool:
    """Whether another statement about the same paper says the opposite; two such quotes are a conflict instead."""
    own, *others = (
        {e.document_id for e in ledger.evidence if e.id in one.sentence.evidence} for one in (item, *rationale)
    )
    return item.relation != "quoted" and any(
        not own.isdisjoint(papers) and oppose(item.sentence.text, other.sentence.text)
        for other, papers in zip(rationale, others, strict=True)
        if other is not item
    )


def _quotes(sentence: Sentence, ledger: Ledger) -> tuple[EvidenceView, ...]:
    quotes = sorted(usable(ledger.evidence, ledger.documents), key=lambda e: e.id not in sentence.evidence)
    return evidence_views(quotes[:MOST_QUOTES], ledger.documents)
