"""Check each statement against the evidence that it cites, or against the passages of a context, and label it.

Labels are the eight of Reason and Verify, with the source of an error.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any, Literal

from medground.answering.read.evidence import evidence_views
from medground.answering.run import Run
from medground.answering.verify.context import (
    GIVEN,
    Context,
    cited_evidence,
    context_of,
    numbers_traced,
    on_subject,
    repeats_of_context,
    usable,
)
from medground.answering.verify.critic import (
    CONTRADICTION,
    INCORRECT,
    Checked,
    Claim,
    Critic,
    Judgement,
    by_citation,
    noted,
    sound,
    verdict_of,
)
from medground.answering.verify.critics import open_critic
from medground.answering.verify.judges import domain, has_last_word, may_judge
from medground.answering.verify.named import remark, unfounded
from medground.answering.verify.overclaim import OWN_WORDS, with_word_filters
from medground.answering.verify.reporting import TITLE, asks, why_not_finding
from medground.errors import ModelFailed
from medground.language import words
from medground.models.operators.base import EvidenceView, Operator, PassageView
from medground.models.operators.reading import relevant_passages
from medground.models.operators.verifying import (
    LabelInput,
    Signals,
    check_answer,
    entail,
    label,
    labelled,
    on_topic,
    oppose,
)
from medground.values.document import Document, Hit
from medground.values.evidence import Evidence, Ledger, Sentence, sentences_of
from medground.values.statement import Category, ErrorSource, Verdict
from medground.values.steps import Judging
from medground.values.usage import KEYLESS, Author

CHECKING: tuple[Operator[Any, Any], ...] = (entail, label, check_answer)
"""The operators that checking may use; a recipe that checks its statements declares them."""

GraphCheck = Callable[[Sentence], bool]
"""Whether the stored relation behind a sentence entails it."""


async def check_all(
    sentences: Sequence[Sentence],
    run: Run,
    graph: GraphCheck | None = None,
    *,
    context: Sequence[Hit] = (),
    answer: Sequence[str] = (),
) -> list[Verdict]:
    """One verdict per sentence, in order. See `check_each`."""
    return [checked.verdict for checked in await check_each(sentences, run, graph, context=context, answer=answer)]


async def check_each(
    sentences: Sequence[Sentence],
    run: Run,
    graph: GraphCheck | None = None,
    *,
    context: Sequence[Hit] = (),
    cited: bool = True,
    answer: Sequence[str] = (),
) -> list[Checked]:
    """Check each sentence; results are in order. Sentences that need the critic go to it in one call.

    Args:
        graph: says whether a stored relation entails a sentence.
        context: passages, best first. If given, each statement is compared with the first `verify.context` passages and
            not only with its citations; the closest sentence of the deciding passage is added to the ledger as a quote.
        cited: False for statements that have no citations by design, such as a user's claim: only the context decides.
        answer: the answer that the sentences lead to, for whoever labels them.

    Raises:
        SourceUnavailable: a document of the context can no longer be fetched.
        BudgetExhausted: the run reached one of its limits.
    """
    critic = open_critic(run)
    shared = await context_of(context, run, reads=critic.reads)
    asked, ledger = run.question, run.ledger
    without_critic = [_without_critic(one, ledger, asked.text, graph, context=bool(context)) for one in sentences]
    waiting = [sentence for sentence, found in zip(sentences, without_critic, strict=True) if found is None]
    judged = iter(await _judged(waiting, critic, shared, run, context=bool(context), cited=cited))
    checked = [next(judged) if found is None else Checked(found) for found in without_critic]
    checked = await with_word_filters(sentences, checked, critic, shared, run)
    checked = [
        on_subject(sentence, numbers_traced(sentence, one, ledger, asked), ledger)
        for sentence, one in zip(sentences, checked, strict=True)
    ]
    checked = repeats_of_context(sentences, checked, asked.context)
    if not run.settings.verify.taxonomy:
        return checked
    return await label_all(sentences, checked, run, critic, shared, answer)


async def _judged(
    sentences: Sequence[Sentence], critic: Critic, shared: Context, run: Run, *, context: bool, cited: bool
) -> list[Checked]:
    """The statements judged against the context, or against their citations, which may correct the former."""
    by_citations = [
        Claim(s.text, evidence_views(cited_evidence(s, run.ledger), run.ledger.documents)) for s in sentences
    ]
    claims = [Claim(s.text, shared.views) for s in sentences] if context else by_citations
    with run.step(Judging(done=0, of=len(claims))) if claims else nullcontext():
        found = await _sound(claims, critic)
    if (on := domain(critic.name)) and any(one.relation in ("entails", "contradicts") for one in found):
        run.warn(f"{critic.name} was measured on {on}; it may be wrong more often on other texts")
    trust = run.settings.verify
    validated, decides = may_judge(critic.name, trust), has_last_word(critic.name, trust)

    def checked(judgement: Judgement) -> Checked:
        return Checked(verdict_of(judgement, critic.name, validated=validated), judgement)

    against = list(zip(sentences, found, strict=True))
    results = [checked(replace(j, best=shared.evidence(j.best, sentence, run.ledger))) for sentence, j in against]
    asked = []
    for n, (sentence, judgement) in enumerate(against):
        disputed = judgement.relation == "contradicts" and bool(sentence.evidence) and decides
        if cited and (judgement.relation == "entails" or disputed):
            asked += [] if shared.cites(judgement.best, sentence, run.ledger) else [n]
    for n, judgement in zip(asked, await _sound([by_citations[n] for n in asked], critic), strict=True):
        results[n] = by_citation(results[n], checked(judgement))
    return results


async def _sound(claims: Sequence[Claim], critic: Critic) -> list[Judgement]:
    found = await critic.judge(claims) if claims else []
    return [sound(claim, judgement) for claim, judgement in zip(claims, found, strict=True)]


def _without_critic(
    sentence: Sentence, ledger: Ledger, question: str, graph: GraphCheck | None, *, context: bool
) -> Verdict | None:
    """The verdict if no critic is needed, else None. Retracted papers are left out, so they support nothing."""
    cited, documents = cited_evidence(sentence, ledger), ledger.documents
    if graph is not None and cited and all(e.origin == "graph" for e in cited):
        if graph(sentence):
            return Verdict(label="supported", critic="graph", best=cited[0].id, note="the stored relation states it")
        return Verdict(label="not found", critic="graph", note="the stored relation does not state it")
    if same := next((e for e in cited if e.quote.split() == sentence.text.split()), None):
        return _quoted(same, documents[same.document_id])
    named = [documents[e.document_id] for e in cited]
    if held := unfounded(sentence.whole.text, named, documents.values(), question):
        return Verdict(label="not found", critic="citation", flags=held[:1], note=held[1])
    if sentence.evidence and not cited:
        return Verdict(label="not found", critic="retraction", note="it cites only retracted papers or notices")
    if asks(sentence.text):
        return Verdict(label="not found", critic="form", note="it is a question, not a statement")
    if context or cited:
        return None
    return Verdict(label="not found", critic="citation", note="the sentence has no citation")


def _quoted(evidence: Evidence, document: Document) -> Verdict:
    flag, word = why_not_finding(evidence.quote, document) or ("", "")
    note = OWN_WORDS
    if flag:
        note += f", but only {word}" if flag == TITLE else f", which report no finding (`{word}`)"
    return Verdict(label="quoted", critic="verbatim", best=evidence.id, flags=(flag,) if flag else (), note=note)


MOST_QUOTES = 20
"""Most quotes of the run that a model is shown as context, starting with those that the statement cites."""

EvidenceRelation = Literal["quoted", "entails", "contradicts", "related", "neutral", "failed"]


async def label_all(
    sentences: Sequence[Sentence],
    checked: Sequence[Checked],
    run: Run,
    critic: Critic,
    context: Context,
    answer: Sequence[str] = (),
) -> list[Checked]:
    """Label the checked statements of the rationale of `answer`; results are in order.

    If a model answers the operator `label`, it is asked about the statements that needed a critic.

    Raises:
        BudgetExhausted: the run reached one of its limits.
    """
    items = [_Item(sentence, c.verdict, *_relation(c)) for sentence, c in zip(sentences, checked, strict=True)]
    by_model = run.answerer(label).is_model
    asked = [by_model and c.judgement is not None and c.judgement.relation != "failed" for c in checked]
    ledger, asked_for = run.ledger, run.question.text
    elsewhere = {} if by_model or context.views else await _elsewhere(items, ledger, critic)
    views = context.views or evidence_views(usable(ledger.evidence, ledger.documents), ledger.documents)
    passages = [PassageView(id=v.id, title=v.title, text=v.quote) for v in views]
    relevant = bool(relevant_passages(asked_for, passages))
    rationale = " ".join(s.text for s in sentences_of(sentences))

    async def one(number: int, item: _Item) -> Verdict:
        if item.verdict.label == GIVEN:
            return item.verdict
        if asked[number]:
            found = await _by_model(item, rationale, tuple(answer), run, context)
        else:
            shown = context.views or _quotes(item.sentence, ledger)
            found = _by_rule(item, items, ledger, on_topic(asked_for, item.sentence.text, shown), elsewhere.get(number))
        return found.model_copy(update={"error_source": error_source(found, relevant=relevant)})

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
    wrong = (verdict.category or "").startswith(("INCORRECT", "CORRECT-MISSING"))
    if not wrong and verdict.label not in ("not found", "contradicted"):
        return None
    return "generation" if relevant else "retrieval"


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
    labelled_so = verdict.model_copy(update=changed)
    if not output.category.startswith("INCORRECT"):
        return labelled_so
    said = f"labelled {output.category} by {by}"
    return noted(labelled_so, f"{said}: {reason}" if reason and verdict.note else said, INCORRECT)


def _by_rule(
    item: _Item,
    rationale: Sequence[_Item],
    ledger: Ledger,
    is_on_topic: bool,
    elsewhere: Literal["entails", "contradicts"] | None,
) -> Verdict:
    verdict = item.verdict
    if elsewhere == "contradicts":
        note = f"{verdict.critic} finds it contradicted by a quote that it does not cite"
        verdict = noted(verdict, note, CONTRADICTION)
    quote = next((e.quote for e in ledger.evidence if e.id == verdict.best), "")
    covered = words.coverage(words.terms(item.sentence.text), words.terms(quote))
    signals = Signals(
        relation=item.relation,
        judged=item.judged,
        coverage=1.0 if verdict.critic == "graph" else covered,
        flags=verdict.flags,
        on_topic=is_on_topic,
        opposed=_opposed(item, rationale, ledger),
        elsewhere=elsewhere,
    )
    category: Category | None = labelled(signals)
    if category is None:
        return verdict
    by = verdict.critic if item.judged and verdict.critic != "graph" else KEYLESS
    return verdict.model_copy(update={"category": category, "labelled_by": by})


async def _elsewhere(
    items: Sequence[_Item], ledger: Ledger, critic: Critic
) -> dict[int, Literal["entails", "contradicts"]]:
    """Judgements of unsupported statements against quotes that they do not cite, by position in the rationale."""
    if not Author(critic.name).is_model:
        return {}
    claims: dict[int, Claim] = {}
    for number, item in enumerate(items):
        others = [e for e in usable(ledger.evidence, ledger.documents) if e.id not in item.sentence.evidence]
        if item.judged and item.relation in ("related", "neutral") and others and item.verdict.critic != "graph":
            claims[number] = Claim(item.sentence.text, evidence_views(others[:MOST_QUOTES], ledger.documents))
    found = await critic.judge(list(claims.values())) if claims else []
    return {
        number: judgement.relation
        for number, judgement in zip(claims, found, strict=True)
        if judgement.relation == "entails" or judgement.relation == "contradicts"
    }


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
