"""What the papers that a sentence cites say of it: the kind of each finding, with the sentence that it rests on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from medground.answering.run import Run
from medground.answering.verify import references
from medground.answering.verify.critic import Claim, Judgement
from medground.answering.verify.critics import open_critic
from medground.answering.verify.references import altered_quotations, quotations
from medground.checking.absences import certificate, denied_event, reported, thing_of
from medground.checking.comparing import absent_numbers, compared, compares, doubts, misplaced, opposed, stray_number
from medground.checking.joining import Joined
from medground.checking.sentences import CitingSentence
from medground.checking.sources import Quote, Source, nearest, source_of, told
from medground.answering.verify.numbers import missing_quantities
from medground.language.quantities import quantities
from medground.corpus.retraction import RETRACTED, why_aside
from medground.models.operators.base import EvidenceView
from medground.models.operators.differences import DENIED, HEDGE, NEGATION
from medground.values.document import Document
from medground.values.finding import Finding, FindingEvidence, FindingKind
from medground.values.lookup import Lookup, Ranker
from medground.values.query import Words

_NEAR = 0.5
_CARRIED = 0.6
_AWAY = 0.2
_SUPPORTS = 0.65
_OPPOSES = 0.75


@dataclass(frozen=True)
class Asked:
    """A sentence and the entries that it cites."""

    sentence: CitingSentence
    cited: tuple[Joined, ...]

    @property
    def sources(self) -> list[Source]:
        return [source_of(document) for entry in self.cited for document in entry.documents]


class Told(NamedTuple):
    """What is found of a sentence."""

    kind: FindingKind
    reason: str
    quote: Quote | None = None


@dataclass(frozen=True)
class Open:
    """A sentence that code alone could not judge: the nearest sentences of what it cites and of other papers."""

    claim: str
    near: list[Quote]
    away: list[Quote]
    sources: list[Source]
    carried: bool

    @property
    def quotes(self) -> list[Quote]:
        first = self.near[0]
        source = next(one for one in self.sources if one.document.id == first.document.id)
        return [first, *source.beside(first)[1:], *self.near[1:]]


async def findings_of(file: str, asked: Sequence[Asked], papers: Sequence[Document], run: Run) -> list[Finding]:
    """One finding for each sentence, in order; `papers` are all that the text cites."""
    every = [source_of(paper) for paper in papers]
    away = await _elsewhere(asked, run)
    found = [_by_code(one, [*every, *away.get(id(one), [])]) for one in asked]
    waiting = [one for one in found if isinstance(one, Open)]
    judged = iter(await _judged(waiting, run))
    told_of = [_by_critic(one, next(judged)) if isinstance(one, Open) else one for one in found]
    return [_finding(file, one, said) for one, said in zip(asked, told_of, strict=True)]


async def _elsewhere(asked: Sequence[Asked], run: Run) -> dict[int, list[Source]]:
    """Other stored papers for the sentences that are not near to any sentence of what they cite."""
    far = [one for one in asked if one.sources and not one.sentence.carried and nearest(one.sentence.claim, one.sources, 1)[0].share < _NEAR]
    corpora = tuple(source.name for source in run.sources if source.state is not None)
    lookups = [Lookup(asked=Words(text=one.sentence.claim), sources=corpora, rankers=(Ranker.LEXICAL,), limit=5) for one in far]
    results = await run.look_up(*lookups) if far else []
    found = {id(one): list(dict.fromkeys(hit.passage.document_id for ranking in got.rankings for hit in ranking)) for one, got in zip(far, results, strict=True)}
    await run.retrieve(list({name for names in found.values() for name in names}))
    papers = {name: source_of(paper) for name, paper in run.ledger.documents.items()}
    return {key: [papers[name] for name in names if name in papers] for key, names in found.items()}


async def _judged(waiting, run):
    critic = open_critic(run)
    claims = []
    for one in waiting:
        quotes = one.quotes
        claims.append(Claim(one.claim, tuple(EvidenceView(id=f"P1.S{i}", title=q.document.title, quote=q.text) for i, q in enumerate(quotes))))
    return await critic.judge(claims) if claims else []


def _by_code(one: Asked, papers: Sequence[Source]) -> Told | Open:
    sentence, sources, claim = one.sentence, one.sources, one.sentence.claim
    if wrong := next((entry for entry in one.cited if entry.wrong), None):
        return Told("wrong_reference", wrong.wrong, _title(wrong.documents[0]))
    if gone := next((s.document for s in sources if why_aside(s.document) == RETRACTED), None):
        return Told("retracted", f"{gone.id} was retracted", _title(gone))
    if quoted := _quotations(claim, sources or papers, cited=bool(sources)):
        return quoted
    if not sentence.cites:
        return Told("not_checked", "it cites nothing")
    if sentence.carried and sources and nearest(claim, sources, 1)[0].share < _CARRIED:
        return Told("not_checked", "it cites nothing")
    if not sources:
        return Told("not_checked", one.cited[0].reason if one.cited else "its mark leads to no entry of the references")
    near = nearest(claim, sources)
    others = [paper for paper in papers if paper.document.id not in {s.document.id for s in sources}]
    share = max(s.share(claim) for s in sources)
    away = nearest(claim, others, 1)
    info = f"cov {share:.2f} near {near[0].share:.2f} away {away[0].share if away else 0:.2f} "
    if thing := thing_of(claim):
        if quote := reported(thing, sources):
            return Told("false_absence", f"“{thing}” is reported", quote)
        if nearest(thing, sources, 1)[0].share >= 0.4:
            return Told("not_checked", info + f"no sentence reports “{thing}” in these words, but this one comes near", nearest(thing, sources, 1)[0])
        return Told("supported", certificate(thing, sources))
    if quote := denied_event(claim, sources):
        return Told("false_absence", "it is reported", quote)
    few = len(set(told(claim))) < 4
    if not few and away and away[0].share > _NEAR and away[0].share > near[0].share + _AWAY and not absent_numbers(claim, [source_of(away[0].document)]) and not opposed(claim, away[0]):
        return Told("elsewhere", info + "another stored paper says it", away[0])
    if share < 0.4 and not few and not sentence.carried:
        return Told("silent", info + "the text is on another subject")
    if numbers := absent_numbers(claim, sources):
        if near[0].share < 0.45 and not few: return Told("silent", info + "number & subject " + numbers)
        return Told("number", info + f"the source has nowhere {numbers}", near[0])
    if _repeated(claim, near[0]):
        return Told("supported", "letter by letter", near[0])
    if near[0].share >= 0.6 and (stray := stray_number(claim, near[0], sources)):
        return Told("number", info + f"stray {stray}", near[0])
    for q in near:
        if (q.share >= 0.6 or (q is near[0] and q.share > .5)) and (why := misplaced(claim, q)):
            return Told("number", info + why, q)
        roles = compared(claim, q)
        if roles == "exchanged" and quantities(claim) and not missing_quantities(claim, [q.text]):
            return Told("number", info + "these numbers are of the other side", q)
        if roles in ("exchanged", "opposite"):
            return Told("contradicted", info + roles, q)
        if (q.share >= 0.5 or q is near[0]) and (why := opposed(claim, q)):
            return Told("contradicted", info + why, q)
    return Open(claim, near, away, sources, sentence.carried)


def _by_critic(one: Open, j: Judgement) -> Told:
    share = max(s.share(one.claim) for s in one.sources)
    info = f"cov {share:.2f} near {one.near[0].share:.2f} critic {j.relation} {j.probability} e{j.entailment} {j.note}"
    best = one.quotes[int(j.best.rpartition("S")[2])] if j.best else one.near[0]
    best = best if best.stems else one.near[0]
    lean = j.probability or 0.0
    d = doubts(one.claim, best)
    comp = [compared(one.claim, q) for q in one.near]
    info += f" doubts {d} compares {compares(one.claim)} {comp}"
    if j.leans == "entails" and (j.relation == "entails" or (lean >= _SUPPORTS and lean + one.near[0].share >= 1.25)) and not d:
        return Told("supported", info, best)
    if compares(one.claim) and "same" in comp and not d and j.leans != "contradicts":
        return Told("supported", info, one.near[comp.index("same")])
    if j.relation == "contradicts" or (j.leans == "contradicts" and lean >= _OPPOSES and not NEGATION.search(one.claim)):
        return Told("contradicted", info, best)
    if (share < 0.45 or (share < 0.62 and j.relation=="neutral" and lean > .85)) and (j.entailment or 0) < 0.3 and not one.carried:
        return Told("silent", info)
    return Told("not_checked", info, best)


def _title(document: Document) -> Quote | None:
    return Quote(document, 0, 0, 0.0)


def _quotations(claim: str, sources: Sequence[Source], *, cited: bool) -> Told | None:
    texts = [source.document.text for source in sources]
    places = {q.text: q for s in sources for q in s.quotes("")}
    for passage in altered_quotations(claim, texts):
        if quote := references.nearest(passage, places):
            return Told("altered_quote", f"it quotes “{passage}”; the source has other words", places[quote])
        if cited:
            return Told("fabricated_quote", f"no sentence of the cited text is like “{passage}”")
    passages = quotations(claim)
    held = next((q for q in places.values() if passages and not altered_quotations(f"“{passages[0]}”", [q.text])), None)
    if held is None or not cited:
        return None
    at = held.text.casefold().find(passages[0].casefold()[:12].split("[")[0])
    before = held.text[max(0, at - 30) : max(at, 0)]
    rest = claim
    for passage in passages:
        rest = rest.replace(passage, " ")
    lost = next((m for form in (HEDGE, NEGATION) for m in form.finditer(before) if len(before[m.end():].split()) <= 2), None)
    if lost and not HEDGE.search(rest) and not NEGATION.search(rest):
        return Told("altered_quote", f"the quotation leaves out “{lost[0].strip()}” before it", held)
    return Told("supported", "quoted letter by letter", held)


def _repeated(claim: str, quote: Quote) -> bool:
    """Whether a claim is a sentence of its source, but for what stands in brackets there and a few words of its own."""
    bare = re.sub(r"\s*\([^()]*\)", "", quote.text)
    for text in (quote.text, bare):
        if len(text.split()) > 5 and not altered_quotations(f"“{text}”", [claim]):
            return len(told(claim)) - len(told(text)) <= 3
    return False


def _finding(file: str, one: Asked, said: Told) -> Finding:
    quote = said.quote
    evidence = FindingEvidence(ref=quote.document.id, quote=quote.text or quote.document.title) if quote else None
    cited = tuple(dict.fromkeys(entry.documents[0].id for entry in one.cited if entry.documents))
    place = {"start": one.sentence.start, "end": one.sentence.end}
    return Finding(file=file, sentence=one.sentence.text, kind=said.kind, cited=cited, evidence=evidence, reason=said.reason, **place)
