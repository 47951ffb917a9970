"""The default recipe: stored facts first, then hybrid search, reading in batches, writing, and checking each sentence.

From PubMed Reasoner it takes batches with early stopping (Algorithm 2), from Self-MedRAG fusion of BM25 and dense
ranks (section 3.2), from Reason and Verify the rationale first and the check of each statement (Algorithm 1).
"""

from __future__ import annotations

from collections.abc import Sequence

from medground.answer import Answer
from medground.conclude.compose import compose, unanswered
from medground.conclude.finish import finish
from medground.document import Hit
from medground.evidence import Evidence
from medground.plan.question import words_query
from medground.question import Question
from medground.rank.fuse import fuse
from medground.rank.merge import merge_duplicates
from medground.rank.rerank import rerank
from medground.read.extract import extract_evidence, is_sufficient, screen_batch
from medground.read.graph import GraphAnswer, ask_graphs
from medground.read.order import batches, reading_list
from medground.read.standing import readable
from medground.run import Run
from medground.verify.check import check_all
from medground.write.graph import graph_draft
from medground.write.rationale import write_draft


async def ground(question: Question, run: Run) -> Answer:
    """Answer a question.

    Raises:
        SourceUnavailable: no source could be searched.
        ModelFailed: a model gave no usable output.
        BudgetExhausted: a limit of the run was reached.
    """
    word = await ask_graphs(question, run)
    if word is not None and word.facts:
        return await _from_graph(question, word, run)

    found = await run.search(words_query(question), text=question.text)
    fused = fuse([ranking for result in found for ranking in result.rankings], k=run.settings.retrieval.fusion_k)
    hits = await rerank(question, merge_duplicates(await readable(fused, run)), run)
    await run.retrieve([hit.passage.document_id for hit in hits])

    evidence = await _read(question, hits, run)
    if not evidence:
        return compose(run, unanswered(word.finding.note if word else ""))
    draft = await write_draft(question, evidence, run)
    return await finish(question, draft, evidence, run)


async def _read(question: Question, hits: Sequence[Hit], run: Run) -> list[Evidence]:
    evidence: list[Evidence] = []
    for batch in batches(reading_list(hits, run.settings.retrieval.keep), run.settings.recipe.batch):
        with run.trace.span("read batch", documents=[r.document_id for r in batch]):
            useful = await screen_batch(question, batch, run)
            evidence += await extract_evidence(question, useful, run)
            if await is_sufficient(question, evidence, run):
                break
    return evidence


async def _from_graph(question: Question, word: GraphAnswer, run: Run) -> Answer:
    draft = graph_draft(question, word)
    verdicts = await check_all(draft.sentences, run, graph=lambda sentence: word.entails(sentence.text))
    return compose(run, draft, verdicts)
