"""Check each statement against the evidence that it cites, or against the passages of a context.

A sentence that repeats its source verbatim is `quoted`; one that states a stored relation is checked against the
graph. All others go to the critic, whose verdict counts only if it is a validated judge (`judges`). Its citations are
asked about by themselves (`citations`), and what word filters notice is weighed (`doubts`). Each statement also gets a
label (`taxonomy`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

from medground.answer import Verdict
from medground.document import Hit
from medground.evidence import Evidence
from medground.operators.base import Operator
from medground.operators.labelling import label
from medground.operators.verifying import check_answer, entail
from medground.read.extract import evidence_views
from medground.run import Run
from medground.sentence import Sentence
from medground.steps import Judging
from medground.verify.checked import Checked, verdict_of
from medground.verify.citations import asks_about_citation, by_citation, judge_citations
from medground.verify.context import Context, cited_evidence, context_of
from medground.verify.critics.base import Claim, Critic, Judgement, sound
from medground.verify.critics.open import open_critic
from medground.verify.doubts import OWN_WORDS, with_word_filters
from medground.verify.given import repeats_of_context
from medground.verify.judges import may_judge
from medground.verify.named import unfounded
from medground.verify.numbers_traced import numbers_traced
from medground.verify.on_subject import on_subject
from medground.verify.reporting import TITLE, asks, why_not_finding
from medground.verify.taxonomy import label_all

__all__ = ["CHECKING", "Checked", "GraphCheck", "check_all", "check_each"]

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
        sentences: statements with the evidence that each cites.
        run: the run, with its ledger.
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
    without_critic = [_without_critic(sentence, run, graph, context=bool(context)) for sentence in sentences]
    waiting = [sentence for sentence, found in zip(sentences, without_critic, strict=True) if found is None]
    judged = iter(await _judged(waiting, critic, shared, run, context=bool(context), cited=cited))
    checked = [next(judged) if found is None else Checked(found) for found in without_critic]
    checked = await with_word_filters(sentences, checked, critic, shared, run)
    checked = [numbers_traced(sentence, one, run) for sentence, one in zip(sentences, checked, strict=True)]
    checked = [on_subject(sentence, one, run) for sentence, one in zip(sentences, checked, strict=True)]
    checked = repeats_of_context(sentences, checked, run.question.context)
    if not run.settings.verify.taxonomy:
        return checked
    return await label_all(sentences, checked, run, critic, shared, answer)


async def _judged(
    sentences: Sequence[Sentence], critic: Critic, shared: Context, run: Run, *, context: bool, cited: bool
) -> list[Checked]:
    claims = [
        Claim(s.text, shared.views if context else evidence_views(cited_evidence(s, run), run)) for s in sentences
    ]
    with run.step(Judging(done=0, of=len(claims))) if claims else nullcontext():
        found = await critic.judge(claims) if claims else []
    against_premises = [sound(claim, judgement) for claim, judgement in zip(claims, found, strict=True)]
    validated = may_judge(critic.name, run.settings.verify)

    def checked(judgement: Judgement) -> Checked:
        return Checked(verdict_of(judgement, critic.name, validated=validated), judgement)

    against = list(zip(sentences, against_premises, strict=True))
    results = [checked(replace(j, best=shared.evidence(j.best, sentence, run))) for sentence, j in against]
    asked = [n for n, (s, j) in enumerate(against) if cited and asks_about_citation(j, s, critic, shared, run)]
    of_citations = await judge_citations([sentences[n] for n in asked], critic, run)
    for n, judgement in zip(asked, of_citations, strict=True):
        results[n] = by_citation(results[n], checked(judgement))
    return results


def _without_critic(sentence: Sentence, run: Run, graph: GraphCheck | None, *, context: bool) -> Verdict | None:
    """The verdict if no critic is needed, else None. Retracted papers are left out, so they support nothing."""
    cited = cited_evidence(sentence, run)
    if graph is not None and cited and all(e.origin == "graph" for e in cited):
        return _by_graph(cited[0], entailed=graph(sentence))
    if same := next((e for e in cited if _normal(e.quote) == _normal(sentence.text)), None):
        return _quoted(same, run)
    documents = run.ledger.documents
    named = [documents[e.document_id] for e in cited]
    if held := unfounded(sentence.whole.text, named, documents.values(), run.question.text):
        return Verdict(label="not found", critic="citation", flags=held[:1], note=held[1])
    if sentence.evidence and not cited:
        return Verdict(label="not found", critic="retraction", note="it cites only retracted papers or notices")
    if asks(sentence.text):
        return Verdict(label="not found", critic="form", note="it is a question, not a statement")
    if context or cited:
        return None
    return Verdict(label="not found", critic="citation", note="the sentence has no citation")


def _quoted(evidence: Evidence, run: Run) -> Verdict:
    """The verdict of a verbatim quote, flagged if the quote reports no finding."""
    found = why_not_finding(evidence.quote, run.ledger.documents[evidence.document_id])
    if found is None:
        return Verdict(label="quoted", critic="verbatim", best=evidence.id, note=OWN_WORDS)
    flag, word = found
    note = f"{OWN_WORDS}, but only {word}" if flag == TITLE else f"{OWN_WORDS}, which report no finding (`{word}`)"
    return Verdict(label="quoted", critic="verbatim", best=evidence.id, flags=(flag,), note=note)


def _by_graph(evidence: Evidence, *, entailed: bool) -> Verdict:
    if entailed:
        return Verdict(label="supported", critic="graph", best=evidence.id, note="the stored relation states it")
    return Verdict(label="not found", critic="graph", note="the stored relation does not state it")


def _normal(text: str) -> str:
    return " ".join(text.split())
