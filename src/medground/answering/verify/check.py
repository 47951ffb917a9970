"""Check each statement against the evidence that it cites, or against the passages of a context, and label it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

from medground.answering.read.evidence import evidence_views
from medground.answering.run import Run
from medground.answering.verify.context import (
    Context,
    cited_evidence,
    context_of,
    numbers_traced,
    on_subject,
    repeats_of_context,
)
from medground.answering.verify.critic import (
    Checked,
    Claim,
    Critic,
    Judgement,
    by_citation,
    sound,
    verdict_of,
)
from medground.answering.verify.critics import open_critic
from medground.answering.verify.judges import domain, has_last_word, may_judge
from medground.answering.verify.labelling import label_all
from medground.answering.verify.named import unfounded
from medground.answering.verify.overclaim import OWN_WORDS, with_word_filters
from medground.answering.verify.reporting import TITLE, asks, why_not_finding
from medground.models.operators.base import Operator
from medground.models.operators.verifying import (
    check_answer,
    entail,
    label,
)
from medground.values.document import Document, Hit
from medground.values.evidence import Evidence, Ledger, Sentence
from medground.values.statement import Verdict
from medground.values.steps import Judging

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
        answer: the answer that the sentences lead to, for the labeller.

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
