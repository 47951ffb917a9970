"""What the papers that a sentence cites say of it: the kind of each finding, with the sentence that it rests on.

Code judges first: the references, quotations, absences, numbers, denials and sides of comparisons. What is left goes to
the critic, all sentences in one batch. Nothing counts as supported over a doubt of the code.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from medground.answering.run import Run
from medground.answering.verify.critic import Claim, Judgement
from medground.answering.verify.critics import open_critic
from medground.answering.verify.judges import may_judge
from medground.checking.absences import absence_in, is_absence
from medground.checking.comparing import (
    absent_numbers,
    compared,
    compares,
    doubts,
    in_digits,
    misplaced,
    names_no_outcome,
    of_other_side,
    opposed,
)
from medground.checking.joining import Joined
from medground.checking.quoting import misquoted, repeats
from medground.checking.sentences import CitingSentence
from medground.checking.sources import Quote, Source, Told, heading, nearest, source_of, told
from medground.corpus.retraction import RETRACTED, why_aside
from medground.models.operators.base import EvidenceView
from medground.models.operators.differences import NEGATION
from medground.values.finding import Finding, FindingEvidence
from medground.values.lookup import Lookup, Ranker
from medground.values.query import Words

_NEAR = 0.5
"""Least share of a claim, by weight, in a sentence that is about the same."""
_NEARER = 0.2
"""How much nearer a sentence of another paper must be, to be what the claim is from."""
_VERY_NEAR = 0.6
"""The same, where more rests on it."""
_OTHER_SUBJECT, _FAR = 0.4, 0.45
"""Share of a claim in a whole text below which that is on another subject, and in its nearest sentence."""
_LEAST_WORDS = 4
"""Stems of a claim that tell what it is about."""
_SUPPORTS, _WITH_SHARE, _OPPOSES = 0.6, 1.25, 0.75
"""The least probabilities of support, alone and added to the share of the claim, and of contradiction. The critic's own
bar is for claims whose paper is unknown; here it is known, and code has read numbers, denials and sides."""
_LEANS = 0.3
"""The least probability of support that counts at all."""
_NEUTRAL, _PARTLY = 0.85, 0.62
"""Above the first, as the probability of neither, a claim is far from its source already below the second share."""
_OF_ALL = frozenset(["number", "silent", "elsewhere", "fabricated_quote"])
"""Kinds of what no paper that is cited says."""
_OTHERS = 5
"""Other papers that a search by the words of a claim returns."""


@dataclass
class SentenceToJudge:
    """A sentence and the entries that it cites; `papers` are all papers of its text, by id."""

    sentence: CitingSentence
    cited: Sequence[Joined]
    papers: Mapping[str, Source]

    def __post_init__(self) -> None:
        """Its sources and the other papers; what it says, and the same with its numbers in digits."""
        own = {document.id: 1 for entry in self.cited for document in entry.documents}
        self.sources = [self.papers[name] for name in own]
        self.others = [source for name, source in self.papers.items() if name not in own]
        self.said = self.sentence.claim
        self.claim = in_digits(self.said)

    @cached_property
    def near(self) -> list[Quote]:
        """The sentences that are nearest to it, of each text that it cites: of one paper the abstract and the whole."""
        found = [quote for source in self.sources for quote in nearest(self.claim, [source])]
        return sorted(found, key=lambda quote: -quote.share)

    @cached_property
    def share(self) -> float:
        """The share of it, by weight, that stands anywhere in what it cites."""
        return max((source.share(self.claim) for source in self.sources), default=0.0)

    @cached_property
    def windows(self) -> list[Quote]:
        """What the critic reads: the nearest sentences, and the first with its neighbours."""
        source = next(one for one in self.sources if one.document.id == self.near[0].document.id)
        return [*self.near, *source.beside(self.near[0])]


async def findings_of(file: str, asked: Sequence[SentenceToJudge], run: Run) -> list[Finding]:
    """One finding for each sentence, in order.

    Raises SourceUnavailable: a corpus cannot be searched; BudgetExhausted: the run reached one of its limits.
    """
    await _find_others(asked, run)
    first = await asyncio.to_thread(lambda: [_by_code(one) for one in asked])  # other questions go on meanwhile
    judged = iter(await _judged([one for one, said in zip(asked, first, strict=True) if said is None], run))
    said = [_by_critic(one, next(judged)) if known is None else known for one, known in zip(asked, first, strict=True)]
    return [_finding(file, one, _with_unread(one, what)) for one, what in zip(asked, said, strict=True)]


async def _find_others(asked: Sequence[SentenceToJudge], run: Run) -> None:
    """Add stored papers to the others of each sentence that is near to nothing in what it cites."""
    await asyncio.to_thread(lambda: [one.near for one in asked])
    far = [one for one in asked if one.near and not one.sentence.carried and one.near[0].share < _NEAR]
    corpora = tuple(source.name for source in run.sources if source.state is not None)
    how = {"sources": corpora, "rankers": (Ranker.LEXICAL,), "limit": _OTHERS}
    found = await asyncio.gather(*(run.look_up(Lookup(asked=Words(text=one.claim), **how)) for one in far))
    ids = [{hit.passage.document_id: 1 for of in each for ranking in of.rankings for hit in ranking} for each in found]
    await run.retrieve(list({name: 1 for names in ids for name in names}))
    held = {name: source_of(document) for name, document in run.ledger.documents.items()}
    for one, names in zip(far, ids, strict=True):
        known = {source.document.id for source in (*one.sources, *one.others)}
        one.others += [held[name] for name in names if name in held and name not in known]


async def _judged(waiting: Sequence[SentenceToJudge], run: Run) -> list[Judgement | None]:
    """What the critic says of each; None where nobody may judge."""
    critic = open_critic(run)
    if not may_judge(critic.name, run.settings.verify):
        return [None] * len(waiting)
    claims = [
        Claim(
            one.claim,
            tuple(EvidenceView(id=f"P1.S{n}", title=q.document.title, quote=q.text) for n, q in enumerate(one.windows)),
        )
        for one in waiting
    ]
    return list(await critic.judge(claims)) if claims else []


def _by_code(one: SentenceToJudge) -> Told | None:
    """What code alone says of a sentence; None where the critic is needed."""
    if wrong := next((entry for entry in one.cited if entry.wrong), None):
        return Told("wrong_reference", wrong.wrong, heading(wrong.documents[0]))
    gone = next((s.document for s in one.sources if why_aside(s.document) == RETRACTED), None)
    if gone is not None:
        return Told("retracted", f"{gone.id} was retracted", heading(gone))
    if quoted := misquoted(one.said, one.sources or one.others, cited=bool(one.sources)):
        return quoted
    few = len(set(told(one.claim))) < _LEAST_WORDS
    if not one.sentence.cites or (one.sentence.carried and (few or not one.near or one.near[0].share < _VERY_NEAR)):
        return Told("not_checked", "it cites nothing")
    if not one.sources or not one.near:
        reason = one.cited[0].reason if one.cited else "its mark leads to no entry of the references"
        return Told("not_checked", reason)
    if absence := absence_in(one.claim, one.sources):
        return _by_letter(one) or absence
    return _on_subject(one) or _by_numbers(one) or _by_meaning(one)


def _on_subject(one: SentenceToJudge) -> Told | None:
    """Whether another stored paper says it, or the cited text is on another subject."""
    away = nearest(one.claim, one.others, 1)
    if len(set(told(one.claim))) < _LEAST_WORDS:
        return None
    if away and away[0].share > max(_NEAR, one.near[0].share + _NEARER):
        paper = next(source for source in one.others if source.document.id == away[0].document.id)
        if not absent_numbers(one.claim, [paper]) and not opposed(one.claim, away[0]):
            return Told("elsewhere", f"the cited text does not say it; {paper.document.id} does", away[0])
    if one.share < _OTHER_SUBJECT and not one.sentence.carried:
        return Told("silent", f"the cited {one.sources[0].form} is on another subject")
    return None


def _by_numbers(one: SentenceToJudge) -> Told | None:
    best = one.near[0]
    if numbers := absent_numbers(one.claim, one.sources):
        if best.share < _FAR and len(set(told(one.claim))) >= _LEAST_WORDS:
            return Told("silent", f"the cited {one.sources[0].form} says nothing near to this, nor {numbers}")
        return Told("number", f"the cited {one.sources[0].form} has nowhere {numbers}", best)
    return _by_letter(one)


def _by_letter(one: SentenceToJudge) -> Told | None:
    held = repeats(one.said, one.near[0])
    return Told("supported", "the cited text says it letter by letter", one.near[0]) if held else None


def _by_meaning(one: SentenceToJudge) -> Told | None:
    for quote in one.near:
        if of_other_side(one.claim, quote):
            return Told("number", "the cited text gives these numbers the other way round", quote)
        is_near = quote.share == one.near[0].share or compared(one.claim, quote)
        if is_near and (why := opposed(one.claim, quote)):
            return Told("contradicted", why, quote)
    if one.near[0].share >= _NEAR and (why := misplaced(one.claim, one.near)):
        return Told("number", why, one.near[0])
    return None


def _by_critic(one: SentenceToJudge, said: Judgement | None) -> Told:
    """What the critic says counts only where code has no doubt, and of a comparison only with its sides."""
    if said is None:
        return Told("not_checked", "no judge: run medground models fetch critic", one.near[0])
    sure, leans, near = said.probability or 0.0, said.leans, one.near[0]
    form, entailment = one.sources[0].form, said.entailment or 0.0
    if compares(one.claim):
        sides = [quote for quote in one.near if compared(one.claim, quote) == "same" and not doubts(one.claim, quote)]
        if sides and leans != "contradicts":
            return Told("supported", "the cited text compares the same sides in the same way", sides[0])
    best = next((quote for n, quote in enumerate(one.windows) if said.best == f"P1.S{n}" and quote.stems), near)
    doubt = "it compares two sides that were not both found" if compares(one.claim) else doubts(one.claim, best)
    agrees = said.relation == "entails" or (
        leans == "entails" and sure >= _SUPPORTS and sure + near.share >= _WITH_SHARE
    )
    if agrees and not doubt:
        return Told("supported", f"the critic agrees ({max(sure, entailment):.0%})", best)
    opposes = leans == "contradicts" and sure >= _OPPOSES and not NEGATION.search(one.claim)
    if (opposes or said.relation == "contradicts") and not compares(one.claim):
        return Told("contradicted", f"the critic says that this is the opposite ({sure:.0%})", best)
    neutral = said.relation == "neutral" and sure > _NEUTRAL
    far = one.share < (_PARTLY if neutral else _FAR) and entailment < _LEANS
    if not one.sentence.carried and (far or names_no_outcome(one.claim, one.near, one.sources)):
        return Told("silent", f"the cited {form} does not say it")
    return Told("not_checked", doubt or f"whether the cited {form} says it could not be told", best)


def _with_unread(one: SentenceToJudge, said: Told) -> Told:
    """What is found, unless a paper that is cited too and could not be read may say otherwise."""
    unread = next((entry for entry in one.cited if not entry.documents), None)
    rests_on_all = said.kind in _OF_ALL or (said.kind == "supported" and is_absence(one.claim))
    if unread is None or not one.sources or not rests_on_all:
        return said
    return Told("not_checked", f"{unread.entry.mark or unread.entry.text} is not stored, and may say it", said.quote)


def _finding(file: str, one: SentenceToJudge, said: Told) -> Finding:
    quote, cited = said.quote, (entry.ref for entry in one.cited if entry.ref)
    return Finding(
        file=file,
        sentence=one.sentence.text,
        start=one.sentence.start,
        end=one.sentence.end,
        kind=said.kind,
        cited=tuple(dict.fromkeys(cited)),
        evidence=FindingEvidence(ref=quote.document.id, quote=quote.text or quote.document.title) if quote else None,
        reason=said.reason,
    )
