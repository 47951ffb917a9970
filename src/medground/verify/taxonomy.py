"""The eight labels of checked statements: by a language model where one is named, else by a rule over signals.

Each label keeps the evidence that decided it and, where a statement is not supported, whether retrieval failed (the
context held nothing on the question) or generation (it did, and the statement departs from it).

Source: Reason and Verify, section 3.4 and Table 1.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from medground.answer import Category, ErrorSource, Verdict
from medground.author import KEYLESS, Author
from medground.errors import ModelFailed
from medground.operators.keyless.labelling import Signals, labelled, on_topic, oppose
from medground.operators.keyless.reading import screen
from medground.operators.labelling import LabelInput, label
from medground.operators.views import EvidenceView, PassageView
from medground.read.extract import evidence_views
from medground.run import Run
from medground.sentence import Sentence, sentences_of
from medground.text import words
from medground.verify.checked import Checked
from medground.verify.context import Context, standing
from medground.verify.critics.base import Claim, Critic

MOST_QUOTES = 20
"""Quotes of the run that a model sees as the context, those that the statement cites first."""

EvidenceRelation = Literal["quoted", "entails", "contradicts", "related", "neutral", "failed"]


async def label_all(
    sentences: Sequence[Sentence], checked: Sequence[Checked], run: Run, critic: Critic, context: Context
) -> list[Checked]:
    """The checked statements with their labels, in order.

    A model is asked for the statements that a critic was needed for, and only where it is not keyless.

    Raises:
        BudgetExhausted: a limit of the run was reached.
    """
    items = [_Item(sentence, c.verdict, *_relation(c)) for sentence, c in zip(sentences, checked, strict=True)]
    by_model = run.answerer(label).is_model
    asked = [by_model and c.judgement is not None and c.judgement.relation != "failed" for c in checked]
    elsewhere = {} if by_model else await _elsewhere(items, run, critic, context)
    relevant = _relevant(run, context)
    rationale = " ".join(s.text for s in sentences_of(sentences))

    async def one(number: int, item: _Item) -> Verdict:
        if asked[number]:
            found = await _by_model(item, rationale, run, context)
        else:
            found = _by_rule(item, items, run, context, elsewhere.get(number))
        return found.model_copy(update={"error_source": error_source(found, relevant=relevant)})

    verdicts = await asyncio.gather(*(one(n, item) for n, item in enumerate(items)))
    return [replace(c, verdict=verdict) for c, verdict in zip(checked, verdicts, strict=True)]


@dataclass(frozen=True)
class _Item:
    """A statement, its verdict, the relation behind that, and whether a judge gave the relation, and not words."""

    sentence: Sentence
    verdict: Verdict
    relation: EvidenceRelation
    judged: bool


def _relation(checked: Checked) -> tuple[EvidenceRelation, bool]:
    if checked.judgement is not None:
        return checked.judgement.relation, checked.verdict.judged_by_model
    if checked.verdict.critic == "graph":
        return ("entails" if checked.verdict.label == "supported" else "neutral"), True
    return ("quoted" if checked.verdict.label == "quoted" else "neutral"), False


def error_source(verdict: Verdict, *, relevant: bool) -> ErrorSource | None:
    """Where an unsupported statement went wrong; None for one that is supported, or that nobody could tell."""
    wrong = verdict.category is not None and (
        verdict.category.startswith("INCORRECT") or verdict.category == "CORRECT-MISSING"
    )
    if not wrong and verdict.label not in ("not found", "contradicted"):
        return None
    return "generation" if relevant else "retrieval"


async def _by_model(item: _Item, rationale: str, run: Run, context: Context) -> Verdict:
    value = LabelInput(
        question=run.question.text,
        rationale=rationale,
        statement=item.sentence.text,
        cited=() if context.views else item.sentence.evidence,
        passages=context.views or _quotes(item.sentence, run),
    )
    try:
        output = await run.ask(label, value)
    except ModelFailed as failed:
        run.warn(f"a sentence could not be labelled: {failed}")
        return item.verdict
    verdict = item.verdict
    best = verdict.best or (context.evidence(output.best, item.sentence, run) if output.category else None)
    changed = {
        "category": output.category,
        "labelled_by": run.answered_by[label.name] if output.category else "",
        "best": best,
        "note": verdict.note or (" ".join(output.reason.split()) if output.category else ""),
    }
    return verdict.model_copy(update=changed)


def _by_rule(
    item: _Item,
    rationale: Sequence[_Item],
    run: Run,
    context: Context,
    elsewhere: Literal["entails", "contradicts"] | None,
) -> Verdict:
    verdict = item.verdict
    quote = next((e.quote for e in run.ledger.evidence if e.id == verdict.best), "")
    covered = words.coverage(words.terms(item.sentence.text), words.terms(quote))
    views = context.views or _quotes(item.sentence, run)
    signals = Signals(
        relation=item.relation,
        judged=item.judged,
        coverage=1.0 if verdict.critic == "graph" else covered,
        flags=verdict.flags,
        on_topic=on_topic(run.question.text, item.sentence.text, views),
        opposed=_opposed(item, rationale, run),
        elsewhere=elsewhere,
    )
    category: Category | None = labelled(signals)
    if category is None:
        return verdict
    by = verdict.critic if item.judged and verdict.critic != "graph" else KEYLESS
    return verdict.model_copy(update={"category": category, "labelled_by": by})


async def _elsewhere(
    items: Sequence[_Item], run: Run, critic: Critic, context: Context
) -> dict[int, Literal["entails", "contradicts"]]:
    """What a judge says of unsupported statements against quotes that they do not cite; by place in the rationale."""
    if context.views or not Author(critic.name).is_model:
        return {}
    claims: dict[int, Claim] = {}
    for number, item in enumerate(items):
        others = [e for e in standing(run.ledger.evidence, run) if e.id not in item.sentence.evidence]
        if item.judged and item.relation in ("related", "neutral") and others and item.verdict.critic != "graph":
            claims[number] = Claim(item.sentence.text, evidence_views(others[:MOST_QUOTES], run))
    found = await critic.judge(list(claims.values())) if claims else []
    told: dict[int, Literal["entails", "contradicts"]] = {}
    for number, judgement in zip(claims, found, strict=True):
        if judgement.relation == "entails" or judgement.relation == "contradicts":
            told[number] = judgement.relation
    return told


def _opposed(item: _Item, rationale: Sequence[_Item], run: Run) -> bool:
    """Whether another statement on the same paper says the opposite; two quotes that do are a conflict of sources."""
    papers = _papers(item.sentence, run)
    return item.relation != "quoted" and any(
        not papers.isdisjoint(_papers(other.sentence, run)) and oppose(item.sentence.text, other.sentence.text)
        for other in rationale
        if other is not item
    )


def _papers(sentence: Sentence, run: Run) -> set[str]:
    return {e.document_id for e in run.ledger.evidence if e.id in sentence.evidence}


def _quotes(sentence: Sentence, run: Run) -> tuple[EvidenceView, ...]:
    quotes = sorted(standing(run.ledger.evidence, run), key=lambda e: e.id not in sentence.evidence)
    return evidence_views(quotes[:MOST_QUOTES], run)


def _relevant(run: Run, context: Context) -> bool:
    """Whether the context holds anything on the question, by words."""
    views = context.views or evidence_views(standing(run.ledger.evidence, run), run)
    return bool(screen(run.question.text, [PassageView(id=v.id, title=v.title, text=v.quote) for v in views]))
