"""Check each statement against the evidence that it cites, or against the passages of a context, and label it."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

from medground.answering.read.evidence import evidence_views
from medground.answering.run import Run
from medground.answering.verify.context import (
    AROUND,
    FOREIGN,
    SUBJECT,
    Context,
    cited_evidence,
    context_of,
    numbers_traced,
    off_subject,
    on_subject,
    repeats_of_context,
    usable,
)
from medground.answering.verify.critic import (
    CITATION,
    Checked,
    Claim,
    Critic,
    Judgement,
    by_citation,
    marked,
    sound,
    verdict_of,
)
from medground.answering.verify.critics import AnswerJudgement, OperatorCritic, open_critic
from medground.answering.verify.judges import domain, has_last_word, may_judge
from medground.answering.verify.labelling import label_all
from medground.answering.verify.marks import facts_of
from medground.answering.verify.named import unfounded
from medground.answering.verify.orders import speaks_to_readers
from medground.answering.verify.overclaim import OWN_WORDS, Overclaim, doubts, weighed, with_word_filters
from medground.answering.verify.reporting import TITLE, asks, why_not_finding
from medground.answering.verify.rules import settles
from medground.corpus.retraction import RETRACTED
from medground.language import words
from medground.models.operators.base import EvidenceView, Operator
from medground.models.operators.checking import check
from medground.models.operators.verifying import label
from medground.values.document import Document, Hit
from medground.values.evidence import Evidence, Ledger, Sentence
from medground.values.statement import Verdict
from medground.values.steps import Judging

CHECKING: tuple[Operator[Any, Any], ...] = (check, label)
"""The operators that checking may use; a recipe that checks its statements declares them."""

Views = tuple[EvidenceView, ...]
GraphCheck = Callable[[Sentence], bool]
"""Whether the stored relation behind a sentence entails it."""


async def check_each(
    sentences: Sequence[Sentence],
    run: Run,
    graph: GraphCheck | None = None,
    *,
    context: Sequence[Hit] = (),
    cited: bool = True,
) -> list[Checked]:
    """Check each sentence; results are in order. Sentences that need the critic go to it in one call.

    Args:
        graph: says whether a stored relation entails a sentence.
        context: passages, best first. If given, each statement is compared with the first `verify.context` passages and
            not only with its citations; the closest sentence of the deciding passage is added to the ledger as a quote.
        cited: False for statements that have no citations by design, such as a user's claim: only the context decides.

    Raises SourceUnavailable: a document of the context can no longer be fetched; BudgetExhausted: the run reached one
    of its limits.
    """
    return (await check_with_answer(sentences, (), run, graph=graph, context=context, cited=cited))[0]


async def check_with_answer(
    sentences: Sequence[Sentence],
    answer: Sequence[str],
    run: Run,
    doubts: Sequence[str] = (),
    *,
    graph: GraphCheck | None,
    context: Sequence[Hit],
    cited: bool = True,
    leads_to: Sequence[str] = (),
) -> tuple[list[Checked], AnswerJudgement | None]:
    """The checked sentences, and what the same call says of the short answer that they lead to.

    The sentences may include items and absences; `doubts` are about the answer; `leads_to` is the answer for the
    labeller; the rest as for `check_each`. The second value is None if there is no answer, another critic than a
    language model judges, or nobody can tell.

    Raises: as `check_each`.
    """
    asked, ledger = run.question, run.ledger
    given = asked.text if cited else ""  # what a claim quotes is in the claim
    facts = [_without_critic(one, ledger, given, graph, context=False) for one in sentences if graph and not context]
    stated = [Checked(fact) for fact in facts if fact is not None and fact.critic == "graph"]
    if facts and len(stated) == len(sentences) and not run.settings.verify.taxonomy:
        return stated, None  # a critic takes a second to open, and has nothing to judge
    critic = open_critic(run)
    shared = await context_of(context, run, reads=critic.reads)
    decides = has_last_word(critic.name, run.settings.verify)
    known = [_without_critic(one, ledger, given, graph, context=bool(context)) for one in sentences]
    sentences = [facts_of(sentence) for sentence in sentences]
    told, said = False, None
    if isinstance(critic, OperatorCritic) and critic.is_model:
        told = decides  # of what it cites
        checked, said = await _in_one_call(sentences, known, answer, critic, shared, run, doubts, context=bool(context))
    else:
        known = [
            v or (Verdict(label="not judged", critic=critic.name) if s.kind != "statement" else None)
            for s, v in zip(sentences, known, strict=True)
        ]
        waiting = [sentence for sentence, found in zip(sentences, known, strict=True) if found is None]
        judged = iter(await _judged(waiting, critic, shared, run, context=bool(context), cited=cited))
        checked = [next(judged) if found is None else Checked(found) for found in known]
        checked = with_word_filters(sentences, checked, ledger, decides=decides)
    said_of = {one.judgement.relation for one in checked if one.judgement}
    if not said_of.isdisjoint(("entails", "contradicts")) and (on := domain(critic.name, run.settings)):
        run.warn(f"{critic.name} was measured on {on}; it may be wrong more often on other texts")
    checked = [numbers_traced(*pair, ledger, asked) for pair in zip(sentences, checked, strict=True)]
    checked = [
        one if (told and sentence.evidence) or sentence.kind != "statement" else on_subject(sentence, one, ledger)
        for sentence, one in zip(sentences, checked, strict=True)
    ]
    checked = repeats_of_context(sentences, checked, asked.context)
    if run.settings.verify.taxonomy:
        checked = await label_all(sentences, checked, run, critic, shared, leads_to)
    return checked, said


async def _in_one_call(
    sentences: Sequence[Sentence],
    known: Sequence[Verdict | None],
    answer: Sequence[str],
    critic: OperatorCritic,
    shared: Context,
    run: Run,
    doubted: Sequence[str],
    *,
    context: bool,
) -> tuple[list[Checked], AnswerJudgement | None]:
    """The sentences judged against all quotes or the context, with what word filters noticed; and the short answer.

    A judge with the last word reads what they noticed; over another it stands. A verbatim quote is judged only if they
    doubt that it reports a finding.
    """
    ledger, decides = run.ledger, has_last_word(critic.name, run.settings.verify)
    cited = {evidence for one in sentences for evidence in one.evidence}
    quotes = evidence_views(usable([e for e in ledger.evidence if e.id in cited], ledger.documents), ledger.documents)
    around, foreign = AROUND if decides else 0, bool(run.question.original)  # the filters read English alone
    noticed = [() if foreign else _noticed(sentence, ledger, run.question.text, around) for sentence in sentences]
    asked, beside = [], []
    for n, verdict in enumerate(known):
        if verdict is None or (decides and verdict.label == "quoted" and noticed[n]):
            asked.append(n)
        elif verdict.label != "not found":
            beside.append(sentences[n].text)
    premises = shared.views if context else quotes
    claims = [_claim(sentences[n], noticed[n] if decides else (), premises, shared, ledger) for n in asked]
    found, said = await critic.judge_answer(claims, answer, beside, doubted)
    checked = [Checked(verdict or Verdict(label="not judged", critic=critic.name)) for verdict in known]
    for n, judgement in zip(asked, map(sound, claims, found), strict=True):
        checked[n] = _of_claim(sentences[n], known[n], judgement, critic.name, shared, run)
        if noticed[n] and known[n] is None:
            stands = decides and judgement.relation == "entails" and not judgement.flags
            settled = settles(judgement.settles, [e.quote for e in cited_evidence(sentences[n], ledger)])
            told = weighed(checked[n].verdict, noticed[n], stands=stands, settled=settled)
            checked[n] = replace(checked[n], verdict=told)
    return checked, said and replace(said, rests_on=tuple(asked[n] for n in said.rests_on))


def _of_claim(
    sentence: Sentence, quoted: Verdict | None, judgement: Judgement, judge: str, shared: Context, run: Run
) -> Checked:
    """A sentence with the judge's verdict; `quoted` is that on a verbatim quote, which the judge can clear of doubt."""
    if quoted is not None:
        if judgement.relation == "failed":
            return Checked(Verdict(label="unverified", critic=judge, best=quoted.best, note=judgement.note))
        stands = judgement.relation == "entails" and not judgement.flags
        return Checked(quoted.replace(flags=(), note=OWN_WORDS) if stands else quoted)
    best = judgement.best
    foreign = bool(best and sentence.evidence) and not _is_cited(best or "", sentence, shared, run.ledger)
    told = replace(judgement, best=shared.evidence(judgement.best, sentence, run.ledger))
    verdict = verdict_of(told, judge, validated=may_judge(judge, run.settings.verify))
    if foreign and told.relation == "entails":
        verdict = marked(verdict, CITATION, "the retrieved passages support it, but the evidence cited does not")
    return Checked(verdict, told)


def _noticed(sentence: Sentence, ledger: Ledger, asked: str, around: int) -> tuple[Overclaim, ...]:
    """What word filters notice about a sentence and its quotes, with so much around them that may name its subject."""
    said, cited = words.terms(sentence.text), cited_evidence(sentence, ledger)
    if not cited:
        return ()
    nearest = max(cited, key=lambda quote: words.coverage(said, words.terms(quote.quote)))
    found = doubts(sentence, nearest, ledger)
    if not (missing := off_subject(sentence, cited, ledger, True, around)):
        return found
    # What the question asks for, or the sentence begins with, must be in the text around its quotes.
    decisive = {*words.terms(asked), *words.terms(sentence.text)[:1]}
    foreign = missing if around else off_subject(sentence, cited, ledger, True, AROUND)
    kind = SUBJECT if decisive.isdisjoint(words.terms(" ".join(foreign))) else FOREIGN
    return (*found, Overclaim(kind, " or ".join(missing)))


def _claim(sentence: Sentence, noticed: Sequence[Overclaim], premises: Views, shared: Context, ledger: Ledger) -> Claim:
    """A sentence with all premises, and which of them it cites."""
    told = tuple(f"it {one.note}" for one in noticed)
    own = tuple(view.id for view in premises if _is_cited(view.id, sentence, shared, ledger))
    return Claim(sentence.text, premises, told, own, sentence.kind)


def _is_cited(premise: str, sentence: Sentence, shared: Context, ledger: Ledger) -> bool:
    """Whether a sentence cites a premise, or a quote within it."""
    place = shared.places.get(premise)
    return premise in sentence.evidence if place is None else any(map(place.holds, cited_evidence(sentence, ledger)))


async def _judged(
    sentences: Sequence[Sentence], critic: Critic, shared: Context, run: Run, *, context: bool, cited: bool
) -> list[Checked]:
    """The statements judged against the context, or against their citations, which may correct the former."""
    by_citations = [
        Claim(s.text, evidence_views(cited_evidence(s, run.ledger), run.ledger.documents), within=s.within)
        for s in sentences
    ]
    claims = [Claim(s.text, shared.views, within=s.within) for s in sentences] if context else by_citations
    with run.step(Judging(done=0, of=len(claims))) if claims else nullcontext():
        found = await _sound(claims, critic)
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
        critic = "retraction" if held.flag == RETRACTED else "citation"
        best = ledger.quote(*held.place).id if held.place and not sentence.evidence else None
        return Verdict(label="not found", critic=critic, best=best, flags=(held.flag,), note=held.reason)
    if sentence.evidence and not cited:
        return Verdict(label="not found", critic="retraction", note="it cites only retracted papers or notices")
    if asks(sentence.text):
        return Verdict(label="not found", critic="form", note="it is a question, not a statement")
    if context or cited or sentence.kind != "statement":
        return None
    return Verdict(label="not found", critic="citation", note="the sentence has no citation")


def _quoted(evidence: Evidence, document: Document) -> Verdict:
    if told := speaks_to_readers(evidence.quote):
        doubt = Overclaim("ordered", told)
        return Verdict(label="not found", critic="form", best=evidence.id, flags=(doubt.kind,), note=f"it {doubt.note}")
    flag, word = why_not_finding(evidence.quote, document) or ("", "")
    note = OWN_WORDS
    if flag:
        note += f", but only {word}" if flag == TITLE else f", which report no finding (`{word}`)"
    return Verdict(label="quoted", critic="verbatim", best=evidence.id, flags=(flag,) if flag else (), note=note)
