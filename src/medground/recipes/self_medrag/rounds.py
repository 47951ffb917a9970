"""One round of a loop that answers, checks its own answer and searches again.

Source: Self-MedRAG, Algorithm 1: the history `H` of queries, contexts, answers and rationales.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from medground.answering.run import Run
from medground.answering.trace import Span
from medground.answering.verify.check import check_each
from medground.answering.verify.context import GIVEN
from medground.answering.verify.critic import Checked
from medground.answering.write.draft import Draft
from medground.answering.write.reason import reasoned
from medground.language import words
from medground.language.statements import statements
from medground.models.operators.reasoning import PastRound, reason
from medground.values.document import Hit
from medground.values.evidence import Evidence
from medground.values.query import Query, Words
from medground.values.question import Question
from medground.values.steps import RoundEnded

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


def claims(checked: Checked) -> bool:
    """Whether a statement claims anything: one that only repeats the question's context does not."""
    return checked.verdict.label != GIVEN


def steering_score(statements: Sequence[Checked], tau: float) -> float | None:
    """`S_i`: share of statements that hold, 0 to 1. None if none claims anything or the critic failed on all."""
    statements = [statement for statement in statements if claims(statement)]
    if all(map(failed, statements)):
        return None
    return sum(holds(statement, tau) for statement in statements) / len(statements)


# The next query of a loop: the current query and the unsupported statements.


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


async def answer_round(
    question: Question,
    query: LoopQuery,
    context: Sequence[Hit],
    history: Sequence[Round],
    run: Run,
    *,
    contexts: bool,
) -> Round:
    """`(A_i, Rat_i) = G(Q_i, C_i, H)`, and the share of the rationale that the critic finds in the context.

    With `contexts` the generator sees the passages of earlier rounds too.
    """
    written = await reasoned(question, context, run, history=[_past(past, contexts=contexts) for past in history])
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
            if claims(one) and not holds(one, tau) and not failed(one)
        ),
        abstains=not written.draft.answer and run.answerer(reason).is_model,
    )


def note_round(span: Span, this: Round, revision: Revision, run: Run) -> None:
    """Record the result of a round in the trace, and which statements were left out of the next query."""
    run.end(
        span,
        RoundEnded(
            answer=this.draft.answer,
            steering_score=this.score,
            statements=len(this.checked),
            drifted=len(revision.drifted),
        ),
    )
    span.text(unsupported=this.unsupported, drifted=revision.drifted)


def _past(past: Round, *, contexts: bool) -> PastRound:
    return PastRound(
        query=past.query.text,
        passages=tuple(f"{hit.passage.title}\n{hit.passage.text}".strip() for hit in past.context) if contexts else (),
        rationale=" ".join(sentence.text for sentence in past.draft.sentences),
        answer=past.draft.answer,
        unsupported=past.unsupported,
    )
