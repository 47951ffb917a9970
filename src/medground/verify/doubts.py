"""What word filters notice about a statement and its source (`overclaim`, `reporting`) is weighed by whoever judges.

A judge with the last word (`last_word`) is asked again, with the doubts beside the same quotes, and decides. Any other
judge is overruled: `supported` becomes `partly`, and a quote that reports no finding supports nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from medground.answer import Verdict
from medground.read.extract import evidence_views
from medground.run import Run
from medground.sentence import Sentence
from medground.verify.checked import Checked, verdict_of
from medground.verify.context import Context, cited_evidence
from medground.verify.critics.base import Claim, Critic, Judgement, sound
from medground.verify.critics.operator import OperatorCritic
from medground.verify.judges import may_judge
from medground.verify.last_word import has_last_word
from medground.verify.overclaim import Overclaim, downgraded, overclaims, wrong_numbers
from medground.verify.reporting import asks, why_not_finding

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
    return [
        _taken_back(one, answers[n], critic, run)
        if n in answers and answers[n].relation == "contradicts" and one.verdict.label != "quoted"
        else replace(one, verdict=_heard(one, noticed[n], answers.get(n), critic, run))
        for n, one in enumerate(checked)
    ]


def _taken_back(checked: Checked, answer: Judgement, critic: Critic, run: Run) -> Checked:
    """A statement that its judge, asked about the doubts, calls contradicted."""
    found = replace(answer, best=checked.verdict.best)
    validated = may_judge(critic.name, run.settings.verify)
    return Checked(verdict_of(found, critic.name, validated=validated), found)


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
    if asks(sentence.text) or not (
        isinstance(critic, OperatorCritic) and has_last_word(critic.name, run.settings.verify)
    ):
        return False
    return checked.verdict.label == "quoted" or _entails(checked.judgement)


def _claim(sentence: Sentence, verdict: Verdict, doubts: Sequence[Overclaim], context: Context, run: Run) -> Claim:
    """The statement beside what it was compared with, and the doubts."""
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
    """Whether a judge finds a statement supported as it stands."""
    return found is not None and found.relation == "entails" and not found.flags


def _noted(verdict: Verdict, note: str) -> Verdict:
    return verdict.model_copy(update={"note": f"{verdict.note}; {note}" if verdict.note else note})
