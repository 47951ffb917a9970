"""Self-MedRAG: retrieve, answer and check; add unsupported statements to the query, and repeat.

`docs/recipes/self-medrag.md` maps each equation and algorithm line of the paper to the function that implements it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from medground.answering.conclude.compose import compose, unanswered
from medground.answering.conclude.finish import finish
from medground.answering.rank.fuse import distinct
from medground.answering.run import Run
from medground.answering.trace import Span
from medground.answering.verify.check import CHECKING, check_each
from medground.answering.verify.context import GIVEN
from medground.answering.verify.critic import Checked
from medground.answering.write.draft import Draft, statements
from medground.answering.write.reason import reasoned
from medground.errors import ConfigError, MedgroundError, ModelFailed, SourceUnavailable
from medground.home.settings import Settings
from medground.language import words
from medground.models.operators.reasoning import PastRound, reason
from medground.recipes.base import Recipe, fused, readable_texts
from medground.recipes.settings import SelfMedRagSettings
from medground.sources.base import Source
from medground.values.answer import Answer
from medground.values.document import Hit
from medground.values.evidence import Evidence
from medground.values.lookup import Lookup, Ranker
from medground.values.query import Query, Words
from medground.values.question import Question
from medground.values.steps import RoundBegun, RoundEnded

_RANKERS: dict[str, tuple[Ranker, ...]] = {"bm25": (Ranker.LEXICAL,), "dense": (Ranker.DENSE,)}


async def self_medrag(question: Question, run: Run) -> Answer:
    """Answer a question. It fails if its first round does."""
    history = await _rounds(question, run)
    if not history:
        return compose(run, unanswered(""))
    number = _returned(history, run.settings)
    returned = history[number]
    with run.trace.span("best round", number=number + 1, rounds=len(history)):
        verdicts = [checked.verdict for checked in returned.checked]
        draft = returned.draft
        return await finish(question, draft, returned.evidence, run, context=returned.context, verdicts=verdicts)


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
                if not context and (history or not run.answers_anyway(reason)):
                    span.set(ended="nothing found")
                    break
                this = await answer_round(question, query, context, history, run)  # (A_i, Rat_i), S_i, U_i
                history.append(this)  # H = H u {(Q_i, C_i, A_i, Rat_i)}
                revision = revised(question, query, this.unsupported, settings.drift)  # Q_{i+1} = Q_i u U_i
                counts = {"statements": len(this.checked), "drifted": len(revision.drifted)}
                run.end(span, RoundEnded(answer=this.draft.answer, steering_score=this.score, **counts))
                span.text(unsupported=this.unsupported, drifted=revision.drifted)
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
    found = await readable_texts(fused(await run.look_up(asked), run), run)
    # A round with the same query gave no answer, so the passages after its own are read.
    before = [past for past in history if settings.returned == "best" and past.query.key == query.key]
    read = {hit.passage.key for past in before for hit in past.context}
    fresh = (hit for hit in distinct(found) if hit.passage.key not in read)
    context = list(islice(fresh, settings.passages))
    span.text(query=query.text)
    span.set(
        documents=list(dict.fromkeys(hit.passage.document_id for hit in context)),
        passages=[hit.passage.key for hit in context],
    )
    return context


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
    dense = Lookup.words("any").replace(rankers=(Ranker.DENSE,))
    if retrieval in ("hybrid", "dense") and sources and not any(source.accepts(dense) for source in sources):
        yield ConfigError(
            f"self_medrag.retrieval is {retrieval}, but no source has vectors; build a corpus with "
            "[[--embed minilm|vectors|vectors]], or set self_medrag.retrieval to bm25, which searches words alone"
        )


# The score that decides whether a loop searches again. Readers never see it.


def holds(checked: Checked, tau: float) -> bool:
    """Whether a statement counts as supported for the loop; `tau` is the least probability of entailment."""
    found = checked.judgement
    if found is None:  # not judged: a quote, a stored relation, or no citation
        return checked.verdict.label in ("quoted", "supported")
    if found.relation == "related":
        return not checked.verdict.judged_by_model and not found.flags
    return found.relation == "entails" and (found.entailment is None or found.entailment >= tau)


def failed(checked: Checked) -> bool:
    """Whether the critic failed, so that the statement is neither supported nor unsupported."""
    return checked.verdict.label == "unverified"


def steering_score(statements: Sequence[Checked], tau: float) -> float | None:
    """`S_i`: share of statements that hold, 0 to 1. None if none claims anything or the critic failed on all."""
    statements = [one for one in statements if one.verdict.label != GIVEN]  # the question's context, repeated
    if all(map(failed, statements)):
        return None
    return sum(holds(statement, tau) for statement in statements) / len(statements)


@dataclass(frozen=True)
class LoopQuery:
    """`Q_i` as an ordered set: the question, then unsupported statements, without duplicates."""

    parts: tuple[str, ...]

    @property
    def text(self) -> str:
        """The query as text, for dense rankers and for display."""
        return " ".join(self.parts)

    @property
    def key(self) -> frozenset[str]:
        """Equal for queries that differ only in order, case, white space or punctuation."""
        return frozenset(map(_normal, self.parts))

    def tree(self, question: Question) -> Query:
        """The query for rankers by words, always with the options of a choice question."""
        return Words(text=" ".join([*self.parts, *(option.text for option in question.options)]))


@dataclass(frozen=True)
class Revision:
    """The next query, and the statements that were left out because they drifted from the question."""

    query: LoopQuery
    drifted: tuple[str, ...]


def first_query(question: Question) -> LoopQuery:
    """`Q_0`."""
    return LoopQuery((question.text,))


def revised(question: Question, query: LoopQuery, unsupported: Sequence[str], least: float) -> Revision:
    """`Q_{i+1} = Q_i u U_i`, without statements whose closeness to the question is below `least`."""
    about = " ".join([question.text, *(option.text for option in question.options)])
    added: dict[str, str] = {}
    drifted: list[str] = []
    for statement in unsupported:
        if closeness(about, statement) < least:
            drifted.append(statement)
        elif _normal(statement) not in query.key:
            added.setdefault(_normal(statement), statement)
    return Revision(LoopQuery((*query.parts, *added.values())), tuple(drifted))


def closeness(one: str, other: str) -> float:
    """Cosine similarity of two texts over their content words, weighted by rarity: 0 to 1.

    It is 0 if a text has no content words. Only words count, so a paraphrase without a shared word scores 0. On
    PubMedQA's training split, adding MeSH names to the words did not separate an abstract's own sentences from others
    any better.
    """
    weights = [{term: words.weight(term) for term in set(words.terms(text))} for text in (one, other)]
    lengths = [math.hypot(*sorted(weight.values())) for weight in weights]
    shared = sorted(weights[0].keys() & weights[1].keys())
    product = sum(weights[0][term] ** 2 for term in shared)
    return min(1.0, product / (lengths[0] * lengths[1])) if all(lengths) else 0.0


def _normal(text: str) -> str:
    return " ".join(words.tokens(text))


@dataclass(frozen=True)
class Round:
    """One element of the history: `Q_i`, `C_i`, `A_i` with `Rat_i`, and the critic's judgement of each statement.

    `abstains`: a language model read the context and gave no answer. Word statistics never do, so they never abstain.
    """

    query: LoopQuery
    context: tuple[Hit, ...]
    draft: Draft
    evidence: tuple[Evidence, ...]
    checked: tuple[Checked, ...]
    score: float | None
    unsupported: tuple[str, ...]
    abstains: bool = False

    def shown(self, *, context: bool) -> PastRound:
        """What the next generator sees of it: `Q_i`, `A_i` and `Rat_i`, and `C_i` where it is wanted."""
        passages = tuple(f"{hit.passage.title}\n{hit.passage.text}".strip() for hit in self.context)
        return PastRound(
            query=self.query.text,
            passages=passages if context else (),
            rationale=" ".join(sentence.text for sentence in self.draft.sentences),
            answer=self.draft.answer,
            unsupported=self.unsupported,
        )


async def answer_round(
    question: Question, query: LoopQuery, context: Sequence[Hit], history: Sequence[Round], run: Run
) -> Round:
    """`(A_i, Rat_i) = G(Q_i, C_i, H)`, and the share of the rationale that the critic finds in the context.

    With `self_medrag.contexts` the generator sees the passages of earlier rounds too.
    """
    contexts = run.settings.section(SelfMedRagSettings).contexts
    written = await reasoned(question, context, run, history=[past.shown(context=contexts) for past in history])
    parts = statements(written.draft.sentences, written.evidence)
    checked = await check_each(parts, run, context=context)
    tau = run.settings.verify.entailment
    return Round(
        query=query,
        context=tuple(context),
        draft=written.draft,
        evidence=written.evidence,
        checked=tuple(checked),
        score=steering_score(checked, tau),  # S_i = SR(Rat_i, C_i)
        unsupported=tuple(  # U_i
            part.text
            for part, one in zip(parts, checked, strict=True)
            if one.verdict.label != GIVEN and not holds(one, tau) and not failed(one)
        ),
        abstains=not written.draft.answer and run.answerer(reason).is_model,
    )


SELF_MEDRAG = Recipe(
    name="self-medrag",
    run=self_medrag,
    operators=(reason, *CHECKING),
    writers=(reason,),
    settings=SelfMedRagSettings,
    steered_by_verdicts=lambda settings: settings.section(SelfMedRagSettings).critic,
    check=_check,
)
