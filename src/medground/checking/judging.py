"""What the papers that a sentence cites say of it: the kind of each finding, with the sentence that it rests on.

Code judges first: the references, quotations, absences, numbers, denials and sides of comparisons. What is left goes to
the critic, all sentences in one batch. Nothing counts as supported over a doubt of the code.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from medground.answering.run import Run
from medground.answering.verify.arms import compares
from medground.answering.verify.critic import Critic, Judgement
from medground.answering.verify.critics import OperatorCritic, keyless_judge, open_critic
from medground.answering.verify.judges import may_judge
from medground.answering.verify.numbers import misplaced
from medground.answering.verify.opposition import compared, opposed
from medground.checking.absences import absence_in, is_absence
from medground.checking.comparing import (
    absent_numbers,
    doubts,
    in_digits,
    of_other_side,
)
from medground.checking.joining import Joined
from medground.checking.quoting import misquoted, repeats
from medground.checking.sentences import CitingSentence
from medground.checking.sources import Quote, Source, Told, heading, nearest, source_of, told, windows
from medground.checking.support import LEAST_WORDS, claim_on, features_of, likelihood, parts_of
from medground.corpus.banners import GONE
from medground.corpus.retraction import why_aside
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
_SUPPORTS, _OPPOSES = 0.6, 0.75
"""The least probabilities of support and of contradiction. The critic's own bar is for claims whose paper is unknown;
here it is known, and code has read numbers, denials and sides."""
_LIKELY = 0.6
"""How likely a text must say what the critic finds supported, without being sure."""
_UNLIKELY = {"text": 0.45, "abstract": 0.55}
"""How likely a text says what it is called silent on, at most; a whole text has more places to say it."""
_OF_ALL = frozenset(["number", "silent", "elsewhere", "fabricated_quote"])
"""Kinds of what no paper that is cited says."""
THE_CRITIC = "the critic"
"""The network that ships. It was measured on abstracts: of a whole text it often reads what is about something else."""
_OTHERS = 5
"""Other papers that a search by the words of a claim returns."""


@dataclass
class SentenceToJudge:
    """A sentence and the entries that it cites; `papers` are all papers of its text, by id."""

    sentence: CitingSentence
    cited: Sequence[Joined]
    papers: Mapping[str, Source]
    likelihood: float | None = None
    """How likely what it cites says it; None where no judge read both."""
    names: dict[str, str] = field(default_factory=dict)
    """The passages that a critic reads, and how they are named to it."""
    judge: str = THE_CRITIC
    unproven: bool = False
    """Whether its judge was not measured, so that it may take away and never give."""

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
        """What the critic reads of it."""
        return windows(self.claim, self.sources, self.near)


async def findings_of(
    file: str, asked: Sequence[SentenceToJudge], run: Run, *, weigh_all: bool = False
) -> list[Finding]:
    """One finding for each sentence, in order. With `weigh_all`, the critic also reads those that code settles.

    Raises SourceUnavailable: a corpus cannot be searched; BudgetExhausted: the run reached one of its limits.
    """
    await _find_others(asked, run)
    first = await asyncio.to_thread(lambda: [_by_code(one) for one in asked])  # other questions go on meanwhile
    waiting = [
        one
        for one, known in zip(asked, first, strict=True)
        if known is None or (weigh_all and one.sources and one.near)
    ]
    judged = {id(one): said for one, said in zip(waiting, await _judged(waiting, run), strict=True)}
    said = [known or _by_critic(one, judged[id(one)]) for one, known in zip(asked, first, strict=True)]
    return [_finding(file, one, _with_unread(one, what)) for one, what in zip(asked, said, strict=True)]


async def _find_others(asked: Sequence[SentenceToJudge], run: Run) -> None:
    """Add stored papers to the others of each sentence that is near to nothing in what it cites."""
    await asyncio.to_thread(lambda: [one.near for one in asked])
    far = [one for one in asked if one.near and not one.sentence.carried and one.near[0].share < _NEAR]
    corpora = tuple(source.name for source in run.sources if source.state is not None)
    if not corpora:
        return
    how = {"sources": corpora, "rankers": (Ranker.LEXICAL,), "limit": _OTHERS}
    found = await asyncio.gather(*(run.look_up(Lookup(asked=Words(text=one.claim), **how)) for one in far))
    ids = [{hit.passage.document_id: 1 for of in each for ranking in of.rankings for hit in ranking} for each in found]
    await run.retrieve(list({name: 1 for names in ids for name in names}))
    held = {name: source_of(document) for name, document in run.ledger.documents.items()}
    for one, names in zip(far, ids, strict=True):
        known = {source.document.id for source in (*one.sources, *one.others)}
        one.others += [held[name] for name in names if name in held and name not in known]


async def _judged(waiting: Sequence[SentenceToJudge], run: Run) -> list[Judgement | None]:
    """What a judge says of each; None where nobody may judge.

    A language model that the settings name reads them in as few calls as it can; where it fails, and where there is
    none, the network that ships reads them, and tells how likely each is.
    """
    critic = open_critic(run)
    if not isinstance(critic, OperatorCritic) or not critic.is_model:
        return await _by_network(waiting, critic if may_judge(critic.name, run.settings.verify) else None)
    names: dict[str, str] = {}
    for one in waiting:
        one.names = names
    found = await critic.judge([claim_on(one.claim, one.windows, names) for one in waiting])
    for one, said in zip(waiting, found, strict=True):
        if said.relation != "failed":
            one.judge, one.unproven = critic.name, not may_judge(critic.name, run.settings.verify)
    failed = [one for one, said in zip(waiting, found, strict=True) if said.relation == "failed"]
    if not failed:
        return [*found]
    network = keyless_judge(run)
    run.warn(f"{critic.name} did not judge {len(failed)} sentences; {network.name if network else 'code alone'} did")
    again = iter(await _by_network(failed, network))
    return [next(again) if said.relation == "failed" else said for said in found]


async def _by_network(waiting: Sequence[SentenceToJudge], critic: Critic | None) -> list[Judgement | None]:
    if critic is None:
        return [None] * len(waiting)
    parts = [parts_of(one.sentence.shown) for one in waiting]
    asked = [claim_on(one.claim, one.windows, one.names) for one in waiting]
    several = [(part, one) for one, own in zip(waiting, parts, strict=True) for part in own if own[1:]]
    asked += [claim_on(part, windows(part, one.sources)) for part, one in several]
    found = await critic.judge(asked) if asked else []
    of_parts = iter(found[len(waiting) :])
    for one, own, whole in zip(waiting, parts, found, strict=False):
        read = [next(of_parts) for _ in own] if own[1:] else [whole]
        if all(said.mean is not None or said.relation == "failed" for said in read):
            one.likelihood = likelihood(features_of(own, one.sources, read))
    return [*found[: len(waiting)]]


def _by_code(one: SentenceToJudge) -> Told | None:
    """What code alone says of a sentence; None where the critic is needed."""
    if wrong := next((entry for entry in one.cited if entry.wrong), None):
        return Told("wrong_reference", wrong.wrong, heading(wrong.documents[0]))
    gone = next((s.document for s in one.sources if why_aside(s.document) in GONE), None)
    if gone is not None:
        return Told("retracted", f"{gone.id} was {why_aside(gone)}", heading(gone))
    if quoted := misquoted(one.said, one.sources or one.others, cited=bool(one.sources)):
        return quoted
    few = len(set(told(one.claim))) < LEAST_WORDS
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
    if len(set(told(one.claim))) < LEAST_WORDS:
        return None
    if away and away[0].share > max(_NEAR, one.near[0].share + _NEARER):
        paper = next(source for source in one.others if source.document.id == away[0].document.id)
        if not absent_numbers(one.claim, [paper]) and not opposed(one.claim, away[0].text, away[0].document):
            return Told("elsewhere", f"the cited text does not say it; {paper.document.id} does", away[0])
    if one.share < _OTHER_SUBJECT and not one.sentence.carried:
        return Told("silent", f"the cited {one.sources[0].form} is on another subject")
    return None


def _by_numbers(one: SentenceToJudge) -> Told | None:
    best = one.near[0]
    if numbers := absent_numbers(one.claim, one.sources):
        if best.share < _FAR and len(set(told(one.claim))) >= LEAST_WORDS:
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
        sides = compared(one.claim, quote.text, quote.document)
        if (sides or quote.share == one.near[0].share) and (why := opposed(one.claim, quote.text, quote.document)):
            return Told("contradicted", why, quote)
        if sides == "same":  # what sentences less near say of the sides is of another outcome
            break
    if one.near[0].share >= _NEAR and (number := misplaced(one.claim, [quote.text for quote in one.near])):
        return Told("number", f"the source gives {number} for something else", one.near[0])
    return None


def _by_critic(one: SentenceToJudge, said: Judgement | None) -> Told:
    """What the critic says counts only where code has no doubt, and of a comparison only with its sides."""
    if said is None:
        return Told("not_checked", "no judge: run medground models fetch critic", one.near[0])
    sure, leans, near = said.probability or 0.0, said.leans, one.near[0]
    form, entailment = one.sources[0].form, said.entailment or 0.0
    if compares(one.claim):
        sides = [
            quote
            for quote in one.near
            if compared(one.claim, quote.text, quote.document) == "same" and not doubts(one.claim, quote)
        ]
        if sides and leans != "contradicts":
            return Told("supported", "the cited text compares the same sides in the same way", sides[0])
    best = next((quote for quote in one.windows if said.best == one.names[quote.text] and quote.stems), near)
    doubt = "it compares two sides that were not both found" if compares(one.claim) else doubts(one.claim, best)
    likely = said.mean is None or (one.likelihood or 0.0) >= _LIKELY
    agrees = said.relation == "entails" or (leans == "entails" and sure >= _SUPPORTS and likely)
    percent = f" ({max(sure, entailment):.0%})" if sure else ""
    if agrees and not doubt and not said.flags:
        if one.unproven:
            return Told("not_checked", f"{one.judge} agrees, and was not measured (medground judge measure)", best)
        return Told("supported", f"{one.judge} agrees{percent}", best)
    opposes = leans == "contradicts" and sure >= _OPPOSES and not NEGATION.search(one.claim)
    is_near = one.judge != THE_CRITIC or near.share >= (_NEAR if form == "abstract" else _VERY_NEAR)
    if (opposes or said.relation == "contradicts") and is_near and not compares(one.claim):
        return Told("contradicted", f"{one.judge} says that this is the opposite{percent}", best)
    far = said.relation == "neutral" or one.share < _FAR
    if said.mean and one.likelihood is not None:
        far = one.likelihood < _UNLIKELY[form]
    if not one.sentence.carried and far:
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
        likelihood=None if one.likelihood is None else round(one.likelihood, 3),
    )
