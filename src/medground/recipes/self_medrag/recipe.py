"""Self-MedRAG: retrieve, answer and check; add unsupported statements to the query, and repeat.

`docs/recipes/self-medrag.md` maps each equation and algorithm line of the paper to the function that implements it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from medground.answering.conclude.compose import compose, unanswered
from medground.answering.conclude.finish import finish
from medground.answering.rank.fuse import distinct, fuse
from medground.answering.read.readable import readable, texts
from medground.answering.run import Run
from medground.answering.trace import Span
from medground.answering.verify.check import CHECKING
from medground.errors import ConfigError, MedgroundError, ModelFailed, SourceUnavailable
from medground.home.settings import Settings
from medground.models.operators.reasoning import reason
from medground.recipes.base import Recipe
from medground.recipes.self_medrag.rounds import (
    LoopQuery,
    Revision,
    Round,
    answer_round,
    first_query,
    note_round,
    revised,
)
from medground.recipes.self_medrag.settings import SelfMedRagSettings
from medground.sources.base import Source
from medground.values.answer import Answer
from medground.values.document import Hit
from medground.values.lookup import Lookup, Ranker
from medground.values.question import Question
from medground.values.steps import RoundBegun

_RANKERS: dict[str, tuple[Ranker, ...]] = {"bm25": (Ranker.LEXICAL,), "dense": (Ranker.DENSE,)}


async def self_medrag(question: Question, run: Run) -> Answer:
    """Answer a question.

    Raises:
        SourceUnavailable: no source could be searched in the first round.
        ModelFailed: a model gave no usable output in the first round.
    """
    history = await _rounds(question, run)
    if not history:
        return compose(run, unanswered(""))
    number = _returned(history, run.settings)
    returned = history[number]
    with run.trace.span("best round", number=number + 1, rounds=len(history)):
        verdicts = [checked.verdict for checked in returned.checked]
        return await finish(question, returned.draft, returned.evidence, run, verdicts=verdicts)


async def _rounds(question: Question, run: Run) -> list[Round]:
    """Algorithm 1. If a later round fails, the history ends with the round before it."""
    settings = run.settings.section(SelfMedRagSettings)
    most = settings.rounds if settings.critic else 1
    history: list[Round] = []
    query = first_query(question)  # Q_0
    try:
        while len(history) < most:
            with run.step(RoundBegun(number=len(history) + 1, of=most)) as span:
                context = await _context(question, query, history, run, span)  # C_i = R(Q_i)
                if not context:
                    span.set(ended="nothing found")
                    break
                this = await answer_round(
                    question, query, context, history, run, contexts=settings.contexts
                )  # (A_i, Rat_i), S_i, U_i
                history.append(this)  # H = H u {(Q_i, C_i, A_i, Rat_i)}
                revision = revised(question, query, this.unsupported, settings.drift)  # Q_{i+1} = Q_i u U_i
                note_round(span, this, revision, run)
                if ended := _enough(this, revision, run.settings):  # S_i >= theta
                    span.set(ended=ended)
                    break
                query = revision.query
    except (ModelFailed, SourceUnavailable) as error:
        if not history:
            raise
        run.warn(f"round {len(history) + 1} failed, so the answer is from an earlier round: {error}")
    return history


async def _context(question: Question, query: LoopQuery, history: Sequence[Round], run: Run, span: Span) -> list[Hit]:
    """`C_i`: the first passages of the fused BM25 and dense rankings (Eq. 1), without retracted papers."""
    settings = run.settings.section(SelfMedRagSettings)
    asked = Lookup(asked=query.tree(question), text=query.text, rankers=_RANKERS.get(settings.retrieval, ()))
    rankings = [ranking for found in await run.look_up(asked) for ranking in found.rankings]
    fused = texts(fuse(rankings, k=run.settings.retrieval.fusion_k))
    standing = await readable(fused, run, retractions=run.settings.recipe.retractions)
    read = _read(query, history) if settings.returned == "best" else frozenset()
    fresh = (hit for hit in distinct(standing) if hit.passage.key not in read)
    context = list(islice(fresh, settings.passages))
    span.text(query=query.text)
    span.set(
        documents=list(dict.fromkeys(hit.passage.document_id for hit in context)),
        passages=[hit.passage.key for hit in context],
    )
    return context


def _read(query: LoopQuery, history: Sequence[Round]) -> frozenset[str]:
    """The passages of earlier rounds with the same query. Such a round gave no answer, so the next ones are read."""
    return frozenset(hit.passage.key for past in history if past.query.key == query.key for hit in past.context)


def _enough(this: Round, revision: Revision, settings: Settings) -> str | None:
    """Why the loop ends after this round, or None. Queries only grow, so only the previous one can repeat."""
    if _reaches(this, settings) and (not this.abstains or _as_published(settings)):
        return "supported"
    if _as_published(settings):
        return None
    if this.score is None and (this.checked or not this.abstains):
        return "nothing to judge"
    return "query repeats" if revision.query.key == this.query.key and not this.abstains else None


def _returned(history: Sequence[Round], settings: Settings) -> int:
    """The place of the round to return: an answer that reaches theta, else the highest score; the earliest of equals.

    Of equal scores, a round that answers comes before one that does not. In the paper it is the last round.
    """
    if _as_published(settings):
        return len(history) - 1

    def worth(place: int) -> tuple[bool, float, bool]:
        past = history[place]
        answers = not past.abstains
        return answers and _reaches(past, settings), -1.0 if past.score is None else past.score, answers

    return max(range(len(history)), key=worth)


def _reaches(past: Round, settings: Settings) -> bool:
    return past.score is not None and past.score >= settings.verify.support


def _as_published(settings: Settings) -> bool:
    return settings.section(SelfMedRagSettings).returned == "last"


def _check(settings: Settings, sources: Sequence[Source]) -> Iterator[MedgroundError]:
    retrieval = settings.section(SelfMedRagSettings).retrieval
    dense = Lookup.words("any").model_copy(update={"rankers": (Ranker.DENSE,)})
    if retrieval in ("hybrid", "dense") and sources and not any(source.accepts(dense) for source in sources):
        yield ConfigError(
            f"self_medrag.retrieval is {retrieval}, but no source has vectors; make them with medground corpus build "
            "NAME PATH --embed minilm, or search words alone with --set self_medrag.retrieval=bm25"
        )


SELF_MEDRAG = Recipe(
    name="self-medrag",
    run=self_medrag,
    operators=(reason, *CHECKING),
    writers=(reason,),
    settings=SelfMedRagSettings,
    check=_check,
)
