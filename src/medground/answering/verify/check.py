"""Check each statement against the evidence that it cites, or against the passages of a context; what word filters
notice is weighed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

from medground.answering.read.evidence import evidence_views
from medground.answering.run import Run
from medground.answering.verify.context import Context, cited_evidence, context_of
from medground.answering.verify.critic import Claim, Critic, Judgement, sound
from medground.answering.verify.critics import OperatorCritic, open_critic
from medground.answering.verify.judges import has_last_word, may_judge
from medground.answering.verify.labels import label_all
from medground.answering.verify.named import unfounded
from medground.answering.verify.overclaim import Overclaim, downgraded, overclaims, wrong_numbers
from medground.answering.verify.reporting import TITLE, asks, why_not_finding
from medground.answering.verify.statement_checks import numbers_traced, on_subject, repeats_of_context
from medground.answering.verify.verdicts import Checked, asks_about_citation, by_citation, judge_citations, verdict_of
from medground.models.operators.base import Operator
from medground.models.operators.verifying import check_answer, entail, label
from medground.values.document import Hit
from medground.values.evidence import Evidence, Sentence
from medground.values.statement import Verdict
from medground.values.steps import Judging

OWN_WORDS = "the source's own words"
"""The note of a verbatim quote."""


async def with_word_filters(
    sentences: Sequence[Sentence], checked: Sequence[Checked], critic: Critic, context: Context, run: Run
) -> list[Checked]:
    """The checked statements, after the doubts of word filters were weighed; results are in order.

    Raises:
        BudgetExhausted: the run reached one of its limits.
    """
    noticed = [_noticed(sentence, one, run) for sentence, one in zip(sentences, checked, strict=True)]
    asked = [n for n, doubts in enumerate(noticed) if doubts and _is_asked(sentences[n], checked[n], critic, run)]
    claims = [_claim(sentences[n], checked[n].verdict, noticed[n], context, run) for n in asked]
    found = await critic.judge(claims) if claims else []
    answers = {n: sound(claim, answer) for n, claim, answer in zip(asked, claims, found, strict=True)}
    validated = may_judge(critic.name, run.settings.verify)

    def weighed(n: int, one: Checked) -> Checked:
        answer = answers.get(n)
        if answer is None or answer.relation != "contradicts" or one.verdict.label == "quoted":
            return replace(one, verdict=_heard(one, noticed[n], answer, critic, run))
        taken_back = replace(answer, best=one.verdict.best)
        return Checked(verdict_of(taken_back, critic.name, validated=validated), taken_back)

    return [weighed(n, one) for n, one in enumerate(checked)]


def _noticed(sentence: Sentence, checked: Checked, run: Run) -> tuple[Overclaim, ...]:
    """What the filters notice about a judged statement, or a verbatim one, and the quote behind its verdict."""
    quote = next((e for e in run.ledger.evidence if e.id == checked.verdict.best), None)
    if quote is None:
        return ()
    document = run.ledger.documents[quote.document_id]
    if checked.verdict.label == "quoted":
        found = why_not_finding(quote.quote, document)
        return (Overclaim(*found),) if found else ()
    if checked.judgement is None:
        return ()
    quotes = [quote.quote, *(e.quote for e in cited_evidence(sentence, run))]
    return (
        *overclaims(sentence.text, quote.quote, document, sentence=sentence.whole.text),
        *wrong_numbers(sentence.text, quotes),
    )


def _is_asked(sentence: Sentence, checked: Checked, critic: Critic, run: Run) -> bool:
    """Whether the judge can read doubts and has the last word on this statement. A question is none, in any words."""
    reads = isinstance(critic, OperatorCritic) and has_last_word(critic.name, run.settings.verify)
    agrees = checked.verdict.label == "quoted" or _entails(checked.judgement)
    return reads and agrees and not asks(sentence.text)


def _claim(sentence: Sentence, verdict: Verdict, doubts: Sequence[Overclaim], context: Context, run: Run) -> Claim:
    best = next(e for e in run.ledger.evidence if e.id == verdict.best)
    cited = [e for e in cited_evidence(sentence, run) if e != best]
    around = [view for view in context.views if context.places[view.id].holds(best)]
    return Claim(
        sentence.text, (*evidence_views([best, *cited], run), *around), tuple(f"it {doubt.note}" for doubt in doubts)
    )


def _heard(
    checked: Checked, doubts: tuple[Overclaim, ...], answer: Judgement | None, critic: Critic, run: Run
) -> Verdict:
    """The verdict, given the doubts and what a judge that was asked about them says."""
    verdict, quoted = checked.verdict, checked.verdict.label == "quoted"
    if not doubts:
        return verdict
    noticed = " and ".join(f"it {doubt.note}" for doubt in doubts)
    if answer is None:
        stands = _entails(checked.judgement) and has_last_word(critic.name, run.settings.verify)
        return _noted(verdict, f"a word filter notices that {noticed}") if stands else downgraded(verdict, doubts)
    if answer.relation == "failed":
        if quoted:  # nobody has said whether it reports a finding
            return Verdict(label="unverified", critic=critic.name, best=verdict.best, note=answer.note)
        return _noted(verdict, f"a word filter notices that {noticed}, and {critic.name} failed when asked about it")
    if not _entails(answer):
        return downgraded(verdict, doubts)
    if quoted:
        verdict = verdict.model_copy(update={"flags": (), "note": OWN_WORDS})
    return _noted(verdict, f"{critic.name} was told that {noticed}, and keeps its verdict")


def _entails(found: Judgement | None) -> bool:
    return found is not None and found.relation == "entails" and not found.flags


def _noted(verdict: Verdict, note: str) -> Verdict:
    return verdict.model_copy(update={"note": f"{verdict.note}; {note}" if verdict.note else note})


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
        if graph(sentence):
            return Verdict(label="supported", critic="graph", best=cited[0].id, note="the stored relation states it")
        return Verdict(label="not found", critic="graph", note="the stored relation does not state it")
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
    found = why_not_finding(evidence.quote, run.ledger.documents[evidence.document_id])
    if found is None:
        return Verdict(label="quoted", critic="verbatim", best=evidence.id, note=OWN_WORDS)
    flag, word = found
    note = f"{OWN_WORDS}, but only {word}" if flag == TITLE else f"{OWN_WORDS}, which report no finding (`{word}`)"
    return Verdict(label="quoted", critic="verbatim", best=evidence.id, flags=(flag,), note=note)


def _normal(text: str) -> str:
    return " ".join(text.split())
