"""The default recipe: stored facts first, then hybrid search, one score for each sentence, and a check of what is said.

The fusion of BM25 and dense ranks comes from Self-MedRAG (section 3.2), the rationale first and the check of each
statement from Reason and Verify (Algorithm 1).
"""

import asyncio
import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace

from medground.answering.conclude.compose import compose
from medground.answering.conclude.finish import finish
from medground.answering.rank.rerank import reranker_problems
from medground.answering.read.evidence import quotes_of
from medground.answering.read.facts import (
    GraphAnswer,
    about_the_same,
    ask_for_facts,
    beside_facts,
    graph_draft,
    only_retracted,
    refusal,
)
from medground.answering.read.reading_list import log_odds, reading_step
from medground.answering.run import Run, words_lookup
from medground.answering.verify.check import CHECKING, check_each
from medground.answering.write.draft import Draft, best_quotes, statements
from medground.answering.write.read_and_answer import Answered
from medground.errors import MedgroundError, SourceUnavailable
from medground.home.settings import Settings
from medground.language.quoting.judged import NO_ANSWER, none_answers
from medground.language.requests import latest
from medground.models.operators.answering import read_and_answer
from medground.recipes.base import Recipe
from medground.recipes.ground.by_model import by_model
from medground.recipes.ground.search import each_question, found_readings
from medground.sources.base import Source
from medground.values.answer import Answer
from medground.values.evidence import Evidence, Sentence
from medground.values.graph import GraphFinding
from medground.values.question import Question


async def ground(question: Question, run: Run) -> Answer:
    """Answer a question: in two calls where a model answers, four where it has to search again."""
    stored = await ask_for_facts(question, run)
    if isinstance(stored, GraphAnswer) and stored.facts:
        if stored.finding.chooses and question.task == "yes-no-maybe":
            question = question.replace(task="free")
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
        answered = await by_model(question, run, only)
        kept = {one.id for one in about_the_same(answered.evidence, finding, run)} if finding else None
        sentences = tuple(
            sentence for sentence in answered.draft.sentences if kept is None or kept >= set(sentence.evidence) > set()
        )
        return replace(answered, draft=answered.draft.replace(sentences=sentences)), True
    return await quoted(question, run, only, finding), True


async def quoted(question: Question, run: Run, only: Sequence[str] | None, finding: GraphFinding | None) -> Answered:
    """The best quotes of texts, without a model."""
    evidence, shown, is_answer = list[Evidence](), list[Sentence](), False
    for asked in each_question(question, run):
        asked, readings = await found_readings(asked, words_lookup(question, asked), run, only)
        if none_answers(asked, [one for reading in readings for one in reading.judged.values()]):
            continue
        with run.step(reading_step(readings)):
            found = [] if only_retracted(asked, readings, run) else quotes_of(asked, readings, run)
        if latest(asked.text):
            found.sort(key=lambda quote: -(run.ledger.documents[quote.document_id].year or 0))
        found = about_the_same(found, finding, run) if finding else found
        says = {quote.id: log_odds(quote, readings) for quote in found}
        sentences = best_quotes(asked, found, run)
        if sentences and says[sentences[0].evidence[0]] < NO_ANSWER:
            found = [quote for quote in found if says[quote.id] > 0]
            sentences = best_quotes(asked, found, run)
        is_answer = is_answer or bool(sentences and not shown and says[sentences[0].evidence[0]] > 0)
        evidence += found
        for sentence in sentences:
            if not any(sentence.text in other.text or other.text in sentence.text for other in shown):
                shown.append(sentence)
    return Answered(Draft(sentences=tuple(shown), read_as_answer=is_answer), tuple(evidence))


async def _from_facts(question: Question, stored: GraphAnswer, run: Run) -> Answer:
    """The facts, then what other texts say; the facts decide."""
    draft = graph_draft(question, stored)
    with contextlib.suppress(SourceUnavailable):  # the answer lists sources that failed
        answered, _ = await _answered(question, run, beside_facts(run), stored.finding)
        written = statements(answered.draft.sentences, answered.evidence)
        draft = draft.replace(sentences=(*draft.sentences, *written))
    checked = await check_each(draft.sentences, run, graph=lambda sentence: stored.entails(sentence.text))
    answered_as = run.question.replace(task=question.task)  # a choice of two has no yes and no
    return compose(run, draft, [one.verdict for one in checked], question=answered_as)


async def without_model(question: Question, run: Run, stopped: str) -> Answer:
    """What the sources say, quoted without the language model that failed or reached a limit, and why it ended."""
    run.without_model(GROUND)
    answer = await ground(question, run)
    return answer.replace(stopped=stopped)


def _check(settings: Settings, sources: Sequence[Source]) -> Iterator[MedgroundError]:
    yield from reranker_problems(settings.retrieval.reranker, settings.home / "models")


GROUND = Recipe(
    name="ground",
    run=ground,
    operators=(read_and_answer, *CHECKING),
    writers=(read_and_answer,),
    check=_check,
)
