"""The default recipe: stored facts first, then hybrid search, reading in batches, writing, and checking each sentence.

Batches with early stopping come from PubMed Reasoner (Algorithm 2), the fusion of BM25 and dense ranks from Self-MedRAG
(section 3.2), the rationale first and the check of each statement from Reason and Verify (Algorithm 1).
"""

import asyncio
import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from medground.answering.captions import NOTHING_FOUND
from medground.answering.conclude.compose import compose
from medground.answering.conclude.finish import finish
from medground.answering.explanation import tell_judged
from medground.answering.rank.answer_network import network_of
from medground.answering.rank.fuse import distinct
from medground.answering.rank.rerank import rerank, reranker_problems
from medground.answering.read.evidence import coverage_check, extract_evidence, screen_batch, with_findings
from medground.answering.read.facts import GraphAnswer, NotUnderstood, about_the_same, ask_for_facts, beside_facts
from medground.answering.read.readable import readable, texts
from medground.answering.read.reading_list import WEIGHED, Reading, batches, best_first, reading_list
from medground.answering.run import Run, words_lookup
from medground.answering.verify.absence import refuting
from medground.answering.verify.check import CHECKING, check_each
from medground.answering.write.draft import Draft, best_quotes
from medground.answering.write.read_and_answer import Answered, answer_from, how_to_search
from medground.corpus.retraction import state_of
from medground.errors import MedgroundError, SourceUnavailable
from medground.home.settings import Settings
from medground.language import words
from medground.language.dates import latest
from medground.language.follow_up import questions_in
from medground.language.question_reading import Asked
from medground.language.statements import statements
from medground.language.subject import Subject
from medground.models.operators.answering import read_and_answer
from medground.models.operators.reading import extract, screen, sufficient
from medground.recipes.base import Recipe, fused
from medground.sources.base import Source
from medground.values.answer import Answer
from medground.values.document import Hit
from medground.values.evidence import Evidence, Sentence
from medground.values.graph import GraphFinding
from medground.values.lookup import Lookup
from medground.values.query import Everything, all_of
from medground.values.question import Question

MOST_READ = 20
"""Maximum documents of one call."""


def graph_draft(question: Question, stored: GraphAnswer) -> Draft:
    """The facts as a rationale, with the finding's answer if it has one."""
    finding = stored.finding
    sentences = tuple(Sentence(text=fact.sentence, evidence=(quote.id,)) for fact, quote in stored.facts)
    opened = finding.answer or " ".join(sentence.text for sentence in sentences)
    answer = opened if question.task == "free" else finding.closed
    if not answer:
        return Draft(sentences=sentences, reason=finding.note or "the stored facts do not decide it")
    return Draft(sentences=sentences, answer=(answer,), basis="graph fact", reason=finding.note)


def refusal(stored: GraphAnswer | NotUnderstood | None, run: Run, *, searched: bool) -> Draft:
    """Why there is no answer: the question was not understood, its relation is not recorded, or nothing was found.

    `stored` is what the sources of facts said; `searched`: whether texts were searched as well.
    """
    if stored is None or (isinstance(stored, NotUnderstood) and searched and not stored.wordings):
        # A question that names nothing of the graph has nothing to do with it.
        gone = ", ".join(name for name in run.shown if state_of(run.ledger.documents[name]) == "retracted")
        return Draft(reason=f"what was found on it is retracted: {gone}" if gone else NOTHING_FOUND)
    beside = "; the texts searched have no evidence on it" if searched else ""
    if isinstance(stored, NotUnderstood):
        asked = ", ".join(f"“{wording}”" for wording in stored.wordings)
        hint = f"; ask for example {asked}" if asked else ""
        return Draft(reason=f"the knowledge graph did not understand the question{beside}{hint}")
    return Draft(reason=f"{stored.finding.note}{beside}")


def by_author(asked: Asked, readings: Sequence[Reading], run: Run) -> tuple[Asked, Sequence[Reading]]:
    """The papers of the authors that a question names, and the question without them; both unchanged if none is."""
    names = [one.said for one in asked.subjects if one.said.istitle() and not one.heading]
    said = {stem for name in names for stem in words.terms(name) if words.weight(stem) >= words.MOST}
    authors = {r.document_id: words.terms(", ".join(run.ledger.documents[r.document_id].authors)) for r in readings}
    named = said.intersection(*[[stem for stems in authors.values() for stem in stems]])
    if not named:
        return asked, readings
    text = " ".join(word for word in asked.text.split() if named.isdisjoint(words.terms(word)))
    theirs = [reading for reading in readings if not named.isdisjoint(authors[reading.document_id])]
    return asked.reworded(text), theirs


async def ground(question: Question, run: Run) -> Answer:
    """Answer a question: in two calls where a model answers, four where it has to search again."""
    stored = await ask_for_facts(question, run)
    if isinstance(stored, GraphAnswer) and stored.facts:
        if stored.finding.chooses and question.task == "yes-no-maybe":
            question = run.question = question.model_copy(update={"task": "free"})
        return await _from_facts(question, stored, run)
    finding = stored.finding if isinstance(stored, GraphAnswer) else None
    await asyncio.to_thread(run.reading(question).read)  # it takes long, a stored fact needs none, the loop has others
    answered, searched = await _answered(question, run, beside_facts(run) if stored else None, finding)
    if finding is not None and answered.evidence:
        run.warn(finding.note)
    if not answered.draft.sentences:
        missing = " ".join(answered.draft.missing) or answered.missing
        return compose(run, refusal(stored, run, searched=searched), missing=missing)
    return await finish(question, answered.draft, answered.evidence, run, missing=answered.missing)


async def _answered(
    question: Question, run: Run, only: Sequence[str] | None, finding: GraphFinding | None
) -> tuple[Answered, bool]:
    """What texts say, and whether any source was searched.

    Args:
        only: the sources to search; None for all.
        finding: of a graph: then only what is about the same things counts.
    """
    if only is not None and not only:
        return Answered(), False
    if run.answerer(read_and_answer).is_model:
        answered = await _by_model(question, run, only)
        kept = {one.id for one in about_the_same(answered.evidence, finding, run)} if finding else None
        sentences = tuple(one for one in answered.draft.sentences if kept is None or kept >= set(one.evidence) > set())
        return replace(answered, draft=answered.draft.model_copy(update={"sentences": sentences})), True
    return await quoted(question, run, only, finding), True


async def quoted(question: Question, run: Run, only: Sequence[str] | None, finding: GraphFinding | None) -> Answered:
    """The best quotes of texts, without a model."""
    evidence: list[Evidence] = []
    shown: list[Sentence] = []
    missing = ""
    for one in _each(question, run):
        found, missing = await _quoted(one, words_lookup(question, one), run, only)
        found = about_the_same(found, finding, run) if finding else found
        evidence += found
        for quote in best_quotes(one, found, run):
            if not any(quote.text in other.text or other.text in quote.text for other in shown):
                shown.append(quote)
    return Answered(draft=Draft(sentences=tuple(shown)), evidence=tuple(evidence), missing=missing)


async def _by_model(question: Question, run: Run, only: Sequence[str] | None) -> Answered:
    """The model's answer. If what it read does not suffice, what its own query finds beside that is read once, and what
    reports what it says that nothing reports."""
    from medground.pubmed.normalize import normalize  # it brings MeSH
    from medground.pubmed.printer import to_pubmed

    asked = run.reading(question)
    parts = [await _readings(one, words_lookup(question, one), run, only) for one in _each(question, run)]
    found = [reading for part in parts for reading in part]
    first = {reading.document_id: reading for reading in sorted(found, key=lambda one: -one.rank)}
    likeliest = list(first.values())[::-1][:MOST_READ]  # whichever part of a question they were found for
    likeliest = with_findings(asked, likeliest, run.ledger.documents)
    search = await how_to_search(question, run) if first else ""
    answered = await answer_from(question, likeliest, run, search=search)
    more = await refuting(answered.draft.missing, run)
    query = normalize(answered.query, today=run.now().date()).query if answered.query else Everything()
    if not isinstance(query, Everything):
        again = Lookup(asked=query, text=" ".join([question.text, *answered.draft.missing]), shown=to_pubmed(query))
        with contextlib.suppress(SourceUnavailable):  # the answer lists it
            known = answered.whole.union(one.document_id for one in more)
            more += [one for one in await _readings(asked, again, run, only) if one.document_id not in known]
    return await answer_from(question, more, run, before=answered) if more else answered


def _each(question: Question, run: Run) -> list[Asked]:
    """Each of several questions in one text, which is searched by itself."""
    asked = run.reading(question)
    return [asked] if question.options else [one for _, one in questions_in(asked)]


async def _quoted(asked: Asked, lookup: Lookup, run: Run, only: Sequence[str] | None) -> tuple[list[Evidence], str]:
    """Quotes of the texts found, and what is missing in them."""
    missing = ""
    readings, evidence = await _readings(asked, lookup, run, only), list[Evidence]()
    asked, _ = by_author(asked, readings, run)
    for batch in batches(readings, run.settings.recipe.batch):
        with run.step(batch.step):
            useful = await screen_batch(asked, batch.readings, run)
            evidence += await extract_evidence(asked, useful, run)
            said = await coverage_check(asked, evidence, (), run)
            missing = said.missing
            if said.sufficient:
                break
    if latest(asked.text):
        evidence.sort(key=lambda one: -(run.ledger.documents[one.document_id].year or 0))
    return evidence, missing


async def _readings(asked: Asked, lookup: Lookup, run: Run, only: Sequence[str] | None) -> list[Reading]:
    """The documents that a lookup finds, the likeliest to hold the best quote first."""
    retrieval, lookup = run.settings.retrieval, lookup.model_copy(update={"sources": tuple(only or ())})
    found = texts(fused(await run.look_up(lookup), run))
    hits = await rerank(retrieval.reranker, asked.text, distinct(await readable(found, run)), retrieval.keep, run)
    read = "\n".join(f"{hit.passage.title}\n{hit.passage.text}" for hit in hits)
    lost = asked.not_named(read) if hits else []
    if lost:
        with contextlib.suppress(SourceUnavailable):  # the answer lists it, and what was found before stands
            hits = [*_as_well_found(await _naming(lost, asked, lookup, run), hits), *hits][: retrieval.keep]
    await run.retrieve([hit.passage.document_id for hit in hits])
    listed = with_findings(asked, reading_list(hits, retrieval.keep, WEIGHED), run.ledger.documents)
    asked, theirs = by_author(asked, listed, run)
    ordered = await asyncio.to_thread(best_first, asked, theirs, await network_of(theirs, run))
    tell_judged(asked, ordered, run)
    return ordered


async def _naming(things: Sequence[Subject], asked: Asked, lookup: Lookup, run: Run) -> list[Hit]:
    """What names things that decide, where the words of the question alone found none of it."""
    from medground.language.question_query import alone  # it brings MeSH

    shown = ", ".join(one.said for one in things)
    named = {"asked": all_of([alone(one) for one in things]), "text": asked.text, "shown": shown}
    found = texts(fused(await run.look_up(lookup.model_copy(update=named)), run))
    return list(islice(distinct(await readable(found, run)), run.settings.retrieval.keep // 2))


def _as_well_found(named: Sequence[Hit], hits: Sequence[Hit]) -> list[Hit]:
    """Hits of another query, with the best one as well found by words as the best of the question's own hits."""
    best, top = (max((one.scores.get("bm25", 0.0) for one in some), default=0.0) for some in (named, hits))
    if not best:
        return list(named)
    share = top / best
    return [
        one.model_copy(update={"scores": {**one.scores, "bm25": one.scores.get("bm25", 0.0) * share}}) for one in named
    ]


async def _from_facts(question: Question, stored: GraphAnswer, run: Run) -> Answer:
    """The facts, then what other texts say; the facts decide."""
    draft = graph_draft(question, stored)
    with contextlib.suppress(SourceUnavailable):  # the answer lists sources that failed
        answered, _ = await _answered(question, run, beside_facts(run), stored.finding)
        written = statements(answered.draft.sentences, answered.evidence)
        draft = draft.model_copy(update={"sentences": (*draft.sentences, *written)})
    checked = await check_each(draft.sentences, run, graph=lambda sentence: stored.entails(sentence.text))
    return compose(run, draft, [one.verdict for one in checked])


async def without_model(question: Question, run: Run, stopped: str) -> Answer:
    """What the sources say, quoted without the language model that failed or reached a limit, and why it ended."""
    run.without_model(GROUND)
    answer = await ground(question, run)
    return answer.model_copy(update={"stopped": stopped})


def _check(settings: Settings, sources: Sequence[Source]) -> Iterator[MedgroundError]:
    yield from reranker_problems(settings.retrieval.reranker, settings.home / "models")


GROUND = Recipe(
    name="ground",
    run=ground,
    operators=(read_and_answer, screen, extract, sufficient, *CHECKING),
    writers=(read_and_answer,),
    reader=extract,
    check=_check,
)
