"""Search critique in one call: three scores of a query and the next query.

Source: PubMed Reasoner, appendix E (self-critic prompt), behind the calls that its Table 3 counts.
"""

from __future__ import annotations

from collections.abc import Sequence

from medground.operators.searching import Candidate
from medground.operators.searching_at_once import SelfCriticInput, WriteQueryInput, self_critic, write_query
from medground.plan.critic import Attempt, Critique
from medground.plan.mesh import normalised
from medground.plan.relax import PubMedQuery
from medground.question import Question
from medground.run import Run


async def query_at_once(question: Question, run: Run) -> PubMedQuery:
    """The first query, without terms that are proposed and selected before (Eq. 1 to 3), normalised (Eq. 11).

    Raises:
        ModelFailed: the model gave no usable output.
    """
    return normalised((await run.ask(write_query, WriteQueryInput(question=question.text))).query, run)


class QueryCritic:
    """Asks for all equations at once, and for scores of the whole query in place of verdicts by term."""

    async def critique(
        self, question: Question, terms: Sequence[Candidate], history: Sequence[Attempt], run: Run
    ) -> Critique:
        """Scores of the last query (Eq. 6 to 8), and a better query (Eq. 9 and 10). Not known (-1) counts as 0."""
        value = SelfCriticInput(
            question=question.text,
            signals=history[-1].result.signals,
            history=tuple(tried for attempt in history for tried in attempt.tried),
        )
        said = await run.ask(self_critic, value)
        return Critique(
            covered=float(said.coverage == 1),
            aligned=float(said.alignment == 1),
            redundant=float(said.redundancy == 0),
            refined=said.query,
        )

    async def refine(
        self, question: Question, history: Sequence[Attempt], run: Run
    ) -> tuple[Sequence[Candidate], PubMedQuery]:
        """The query that came with the critique, normalised (Eq. 11)."""
        last = history[-1]
        return (), normalised(last.critique.refined, run) if last.critique else last.query
