"""Reason and Verify: BM25, reranking, rewriting if too little was found, a cited rationale, and its verification.

`docs/recipes/reason-and-verify.md` maps each line of Algorithm 1 to the function that implements it.
"""

from collections.abc import Iterator, Sequence
from itertools import islice

from pydantic import Field

from medground.answering.conclude.compose import compose, unanswered
from medground.answering.conclude.finish import finish
from medground.answering.rank.fuse import distinct
from medground.answering.rank.rerank import rerank, reranker_problems
from medground.answering.run import Run, words_lookup
from medground.answering.verify.check import CHECKING
from medground.answering.verify.rationale import assessed
from medground.answering.write.draft import statements
from medground.answering.write.reason import Reasoned, reasoned
from medground.errors import MedgroundError
from medground.home.settings import Settings
from medground.language import words
from medground.models.operators.base import InvalidOutput, OperatorInput, OperatorOutput, Untrusted, operator
from medground.models.operators.reasoning import direct, direct_or_recall, reason, reason_or_recall
from medground.models.operators.verifying import assess
from medground.recipes.base import Recipe, fused, readable_texts
from medground.recipes.reason_and_verify.demonstrations import demonstrations_for, open_pool
from medground.recipes.settings import ReasonAndVerifySettings
from medground.sources.base import Source
from medground.values.answer import Answer
from medground.values.document import Hit, Passage
from medground.values.lookup import Ranker
from medground.values.question import MAX_CHARACTERS, Question
from medground.values.steps import RewriteTrigger


class RewriteInput(OperatorInput):
    question: Untrusted
    found: tuple[Untrusted, ...] = Field(default=(), description="passages found with the question as it stands")


class RewriteOutput(OperatorOutput):
    question: str = Field(min_length=1, max_length=MAX_CHARACTERS, description="the question, rewritten, on one line")


def _says_something(value: RewriteInput, output: RewriteOutput) -> None:
    if not any(character.isalnum() for character in output.question):
        raise InvalidOutput("the rewritten question contains no words")


@operator(writes_queries=True, check=_says_something)
def rewrite(value: RewriteInput) -> RewriteOutput:
    """The question as it is."""
    return RewriteOutput(question=value.question)


async def rewritten(question: Question, hits: Sequence[Hit], run: Run) -> str:
    """The question in the words of the literature (q'), or unchanged if there are no better words."""
    found = tuple(f"{hit.passage.title}\n{hit.passage.text}".strip() for hit in hits)
    value = RewriteInput(question=question.text, found=found)
    output = await run.ask_for_part(rewrite, value, "the rewritten question")
    return " ".join(output.question.split())


def finds_too_little(question: Question, evidence: Sequence[Hit], run: Run) -> bool:
    """Whether to rewrite the question: E contains too few of its words, or has a low score (lines 5 to 7)."""
    choices = run.settings.section(ReasonAndVerifySettings)
    if not choices.rewrite:
        return False
    shared = overlap(question.text, [hit.passage for hit in evidence])
    reranks = choices.rerank and choices.reranker != "none"
    score = evidence_score(evidence) if reranks else None  # no reranker, no score
    low = shared < choices.overlap or (score is not None and score < choices.evidence)
    with run.step(RewriteTrigger(overlap=shared, evidence=score, rewrite=low)):
        return low


def overlap(question: str, passages: Sequence[Passage]) -> float:
    """Overlap(q, E): share of the question's content words that occur in the passages and their titles, 0 to 1.

    Words are compared by stem, as in the index. A question with only stop words has an overlap of 1.
    """
    asked = frozenset(words.terms(question))
    found = {term for passage in passages for term in words.terms(f"{passage.title}\n{passage.text}")}
    return len(asked & found) / len(asked) if asked else 1.0


def evidence_score(hits: Sequence[Hit]) -> float:
    """EvidenceScore(q, E): the mean score of the passages by the reranker; 0 without passages."""
    return sum(hit.score for hit in hits) / len(hits) if hits else 0.0


WRITING = (reason, direct, reason_or_recall, direct_or_recall)
"""The operators that write an answer; a run asks one of them."""


async def reason_and_verify(question: Question, run: Run) -> Answer:
    """Answer a question (Algorithm 1: lines 3 to 11, 12, 13 and 14)."""
    evidence = await find_evidence(question, run)
    own = run.settings.recipe.own_knowledge
    if not evidence and not own:
        return compose(run, unanswered("answer unavailable: the searched sources have no passage on this question"))
    rationale = run.settings.section(ReasonAndVerifySettings).rationale
    shown = await demonstrations_for(question, evidence, run) if rationale else ()
    at_once = not rationale
    written = await reasoned(question, evidence, run, demonstrations=shown, own_knowledge=own, at_once=at_once)
    return await _verified(question, evidence, written, run)


async def find_evidence(question: Question, run: Run) -> list[Hit]:
    """The passages of evidence E, best first. If they are too few or too weak, search again with a rewritten question.

    Raises ConfigError: the reranker cannot be opened.
    """
    evidence = await _retrieve_and_rerank(question.text, question, run)  # lines 3 and 4
    if not finds_too_little(question, evidence, run):  # lines 5 to 7
        return evidence
    better = await rewritten(question, evidence, run)  # line 8
    if better == question.text:
        return evidence
    # Lines 9 and 10. If the rewritten question finds nothing, keep the first evidence.
    return await _retrieve_and_rerank(better, question, run) or evidence


async def _retrieve_and_rerank(text: str, question: Question, run: Run) -> list[Hit]:
    """The first k passages by BM25, reduced to the best m by the reranker, without retracted papers by default."""
    choices = run.settings.section(ReasonAndVerifySettings)
    asked = words_lookup(question.replace(text=text))
    found = await run.look_up(asked.replace(rankers=(Ranker.LEXICAL,)))
    by_words = fused(found, run)  # one source keeps its own order
    candidates = islice(distinct(await readable_texts(by_words, run)), choices.candidates)
    return await rerank(choices.reranker if choices.rerank else "none", text, candidates, choices.passages, run)


async def _verified(question: Question, evidence: list[Hit], written: Reasoned, run: Run) -> Answer:
    """Check each statement of the rationale against E (CONTEXT-j: its first j passages)."""
    parts = statements(written.draft.sentences, written.evidence)
    wanted = run.settings.section(ReasonAndVerifySettings).assess and parts and evidence
    given = question.worded(written.draft.answer)
    whole = await assessed(question, parts, given, evidence, run) if wanted else None
    answer = await finish(question, written.draft, written.evidence, run, context=evidence)
    return answer.replace(assessment=whole)


def _check(settings: Settings, sources: Sequence[Source]) -> Iterator[MedgroundError]:
    choices = settings.section(ReasonAndVerifySettings)
    yield from reranker_problems(choices.reranker if choices.rerank else "none", settings.home / "models")
    try:
        open_pool(choices, settings.home)
    except MedgroundError as error:
        yield error


REASON_AND_VERIFY = Recipe(
    name="reason-and-verify",
    run=reason_and_verify,
    operators=(rewrite, *WRITING, assess, *CHECKING),
    writers=WRITING,
    settings=ReasonAndVerifySettings,
    check=_check,
)
