"""The default recipe: stored facts first, then hybrid search, reading in batches, writing, and checking each sentence.

Batches with early stopping come from PubMed Reasoner (Algorithm 2), the fusion of BM25 and dense ranks from Self-MedRAG
(section 3.2), the rationale first and the check of each statement from Reason and Verify (Algorithm 1).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from medground.answer import Answer
from medground.conclude.compose import compose, unanswered
from medground.conclude.finish import finish
from medground.document import Hit
from medground.errors import MedgroundError
from medground.evidence import Evidence
from medground.operators.reading import extract, screen, sufficient
from medground.operators.writing import write
from medground.plan.question import words_lookup
from medground.question import Question
from medground.rank.fuse import fuse
from medground.rank.merge import merge_duplicates
from medground.rank.rerank import rerank, reranker_problems
from medground.read.extract import extract_evidence, is_sufficient, screen_batch
from medground.read.facts import GraphAnswer, ask_for_facts
from medground.read.order import batches, best_first, reading_list
from medground.read.standing import readable, texts
from medground.recipes.base import Recipe
from medground.run import Run
from medground.settings import Settings
from medground.sources.base import Source
from medground.verify.check import CHECKING, check_all
from medground.write.graph import graph_draft
from medground.write.rationale import write_draft


async def ground(question: Question, run: Run) -> Answer:
    """Answer a question.

    Raises:
        SourceUnavailable: no source could be searched.
        ModelFailed: a model gave no usable output.
        BudgetExhausted: a limit of the run was reached.
    """
    stored = await ask_for_facts(question, run)
    if stored is not None and stored.facts:
        return await _from_facts(question, stored, run)

    found = await run.look_up(words_lookup(question))
    fused = fuse([ranking for result in found for ranking in result.rankings], k=run.settings.retrieval.fusion_k)
    hits = await rerank(question, merge_duplicates(await readable(texts(fused), run)), run)
    await run.retrieve([hit.passage.document_id for hit in hits])

    evidence = await _read(question, hits, run)
    if not evidence:
        return compose(run, unanswered(stored.finding.note if stored else ""))
    draft = await write_draft(question, evidence, run)
    return await finish(question, draft, evidence, run)


async def _read(question: Question, hits: Sequence[Hit], run: Run) -> list[Evidence]:
    evidence: list[Evidence] = []
    readings = best_first(question, reading_list(hits, run.settings.retrieval.keep))
    for batch in batches(readings, run.settings.recipe.batch):
        with run.step(batch.step):
            useful = await screen_batch(question, batch.readings, run)
            evidence += await extract_evidence(question, useful, run)
            if await is_sufficient(question, evidence, run):
                break
    return evidence


async def _from_facts(question: Question, stored: GraphAnswer, run: Run) -> Answer:
    draft = graph_draft(question, stored)
    verdicts = await check_all(draft.sentences, run, graph=lambda sentence: stored.entails(sentence.text))
    return compose(run, draft, verdicts)


def _check(settings: Settings, sources: Sequence[Source]) -> Iterator[MedgroundError]:
    yield from reranker_problems(settings.retrieval.reranker)


GROUND = Recipe(
    name="ground",
    run=ground,
    operators=(screen, extract, sufficient, write, *CHECKING),
    writers=(write,),
    reader=extract,
    check=_check,
)
