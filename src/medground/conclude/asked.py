"""A closed question that a measured critic answers: the question as a statement, judged against the quotes shown.

Only for a critic that was measured on questions (`verify.judges.may_decide`), where no language model writes. It says
yes or no only if one quote decides, no other says the opposite, and the statement claims no more than the quote.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from medground.evidence import Evidence
from medground.question import Question
from medground.read.concepts import unmentioned
from medground.read.extract import evidence_views
from medground.run import Run
from medground.sentence import Sentence
from medground.text.statement import as_statement
from medground.verify.context import usable
from medground.verify.critics.base import Claim, Judgement, sound
from medground.verify.critics.open import open_critic
from medground.verify.judges import may_decide
from medground.verify.last_word import has_last_word
from medground.verify.overclaim import overclaims
from medground.verify.reporting import why_not_finding

_VALUES: dict[str, Literal["yes", "no"]] = {"entails": "yes", "contradicts": "no"}


@dataclass(frozen=True)
class Judged:
    """What a critic says of a question.

    Attributes:
        value: its answer; None if it gives none.
        probability: of that answer, if the critic measures it.
        reason: one line: what was judged, by whom, and why there is no answer if there is none.
        quotes: ids of the quotes that it rests on.
    """

    value: Literal["yes", "no"] | None
    reason: str
    probability: float | None = None
    quotes: tuple[str, ...] = ()


async def judged(question: Question, evidence: Sequence[Evidence], run: Run) -> Judged | None:
    """The critic's answer to a closed question; None if it does not apply.

    Args:
        question: the question.
        evidence: the quotes that the answer shows, best first.
        run: the run, with its ledger.

    Raises:
        BudgetExhausted: the run reached one of its limits.
    """
    if question.task not in ("yes-no", "yes-no-maybe") or run.writer is None or run.writer.is_model:
        return None
    critic = open_critic(run)
    statement = as_statement(question.text) if may_decide(critic.name, run.settings.verify) else None
    quotes = [e for e in usable(evidence, run) if _may_decide(e, run)]
    if statement is None or not quotes:
        return None
    if unmentioned(question, quotes, run):  # they are about something else, and the answer says so
        return None
    claim = Claim(statement, evidence_views(quotes, run))
    with run.trace.span("asked", statement=statement, critic=critic.name):
        found = sound(claim, (await critic.judge([claim]))[0])
    value = _VALUES.get(found.relation)
    if value is None:
        return Judged(None, found.note) if found.relation == "unsure" else None
    by = f"as judged by {critic.name}"
    if doubt := _doubt(statement, found, critic.name, quotes, run):
        return Judged(None, f"“{statement}” is not answered: {doubt}")
    said = "supported" if value == "yes" else "contradicted"
    return Judged(value, f"“{statement}” is {said} by a quote below, {by}", found.probability, (found.best or "",))


def _may_decide(evidence: Evidence, run: Run) -> bool:
    """Whether a quote is a finding of a research paper: that is what was measured."""
    document = run.ledger.documents[evidence.document_id]
    return evidence.origin == "text" and document.kind == "research" and not why_not_finding(evidence.quote, document)


def _doubt(statement: str, found: Judgement, critic: str, quotes: Sequence[Evidence], run: Run) -> str:
    """Why a judgement is no answer; empty if it is one."""
    if found.note:  # one quote entails it and another contradicts it
        return found.note
    if found.flags:
        return f"it may differ from the quote in {', '.join(found.flags)}"
    if found.relation != "entails" or has_last_word(critic, run.settings.verify):
        return ""
    best = next(e for e in quotes if e.id == found.best)
    more = overclaims(statement, best.quote, run.ledger.documents[best.document_id])
    return "; ".join(f"it {one.note}" for one in more)


def rests_on(judged: Judged, kept: Sequence[tuple[Sentence, object]]) -> bool:
    """Whether released sentences show the quotes that an answer rests on."""
    cited = {quote for sentence, _ in kept for quote in sentence.evidence}
    return cited.issuperset(judged.quotes)
