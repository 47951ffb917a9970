"""What a measured critic reads in the quotes of a question that asks for yes or no."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from medground.answering.read.evidence import evidence_views
from medground.answering.run import Run
from medground.answering.verify.context import unmentioned, usable
from medground.answering.verify.critic import Claim, sound
from medground.answering.verify.critics import open_critic
from medground.answering.verify.judges import ONE, SEVERAL, decides_from, has_last_word, may_judge
from medground.answering.verify.overclaim import overclaims
from medground.answering.verify.reporting import why_not_finding
from medground.language import words
from medground.language.follow_up import questions_in
from medground.language.question_reading import Asked
from medground.models.catalogue import shipped
from medground.models.operators.differences import differences
from medground.values.decision import AnswerCheck
from medground.values.document import Document
from medground.values.evidence import Evidence

_TELLING = 3.0
"""Weight above which a word tells one thing from most others: `diabetes`, not `disease`."""


@dataclass(frozen=True)
class CriticReading:
    """What a critic reads in the quotes of a closed question.

    Attributes:
        reason: one line: what was judged, by whom, and how often such answers were right.
        probability: of the answer, if the critic measures it.
        quotes: ids of the quotes that it rests on, the best of each paper.
        decides: whether the critic has proved itself on answers of this kind; if not, it may only object.
    """

    value: Literal["yes", "no"]
    reason: str
    probability: float | None
    quotes: tuple[str, ...]
    decides: bool

    def objection_to(self, answer: tuple[str, ...], by: str) -> AnswerCheck:
        """The check of a short answer that the quotes deny."""
        found = {"result": "contradicted", "found": (self.value,), "reason": self.reason}
        return AnswerCheck(answer=answer, checked_by=by, **found)


async def judged(asked: Asked, evidence: Sequence[Evidence], run: Run) -> CriticReading | None:
    """The critic's reading of a closed question, quote by quote; None if it has none or the quotes do not agree.

    A quote counts for an answer if it is a finding of a research paper, names what the question is about, and is no
    weaker than the statement. Any quote counts against one.

    Args:
        evidence: the quotes that the answer shows, best first.

    Raises:
        BudgetExhausted: the run reached one of its limits.
    """
    critic, trust, documents = open_critic(run), run.settings.verify, run.ledger.documents
    statement, quotes = asked.statement, usable(evidence, documents)
    by_other = run.writer is not None and (critic.name in shipped() or not run.writer.is_model)
    closed = run.question.task in ("yes-no", "yes-no-maybe") and len(questions_in(asked)) == 1
    may = by_other and may_judge(critic.name, trust) and closed
    if not may or statement is None or not quotes:
        return None
    claims = [Claim(statement, (view,)) for view in evidence_views(quotes, documents)]
    with run.trace.span("asked", statement=statement, critic=critic.name):
        found = [sound(*pair) for pair in zip(claims, await critic.judge(claims), strict=True)]
    leaning = [(quote, one) for quote, one in zip(quotes, found, strict=True) if one.leans]
    values = {one.leans for _, one in leaning}
    filters = not has_last_word(critic.name, trust)
    if filters and any("negation" in differences(statement, quote.quote) for quote in quotes):
        values.add("contradicts")
    if len(values) != 1 or all(one.relation == "unsure" for _, one in leaning):
        return None
    papers: dict[str, tuple[float, str]] = {}
    for quote, one in leaning:
        document = documents[quote.document_id]
        weak = filters and one.leans == "entails" and overclaims(statement, quote.quote, document)
        lost = names_a_relative(asked, quote.quote) or unmentioned(asked, [quote], documents)
        if not (one.flags or weak or lost) and _is_finding(quote, document):
            held = one.probability or 0.0, quote.id
            papers[document.id] = max(papers.get(document.id, held), held)
    value: Literal["yes", "no"] = "yes" if values == {"entails"} else "no"
    return _of_papers(statement, value, sorted(papers.values(), reverse=True), critic.name, run)


def _is_finding(evidence: Evidence, document: Document) -> bool:
    """Whether a quote is a finding of a research paper: that is what was measured."""
    return evidence.origin == "text" and document.kind == "research" and not why_not_finding(evidence.quote, document)


def names_a_relative(asked: Asked, sentence: str) -> bool:
    """Whether a sentence is on something that shares a telling word with what is asked about, as diabetes mellitus does
    with diabetes insipidus; a wider name of it is none.
    """
    known = {one.heading for one in asked.deciding} | {""}
    others = [set(words.terms(one.said)) for one in Asked(sentence).subjects if one.heading not in known]
    own = [set(words.terms(one.said)) for one in asked.deciding]
    return any(
        any(words.weight(stem) > _TELLING for stem in name & other) and not (name <= other or other <= name)
        for name in own
        for other in others
    )


def _of_papers(
    statement: str, value: Literal["yes", "no"], papers: Sequence[tuple[float, str]], critic: str, run: Run
) -> CriticReading | None:
    """The reading that papers give, each with its probability and quote, the most probable first."""
    if not papers:
        return None
    least, right = decides_from(critic, SEVERAL if len(papers) > 1 else ONE, run.settings.verify)
    by_model = run.writer is not None and run.writer.is_model
    said, by = "supported" if value == "yes" else "contradicted", f"quotes of {len(papers)} papers"
    reason = f"“{statement}” is {said} by {by if len(papers) > 1 else 'a quote'} below, as judged by {critic}"
    return CriticReading(
        value,
        f"{reason}; {right}" if right else reason,
        papers[0][0] or None,
        tuple(quote for _, quote in papers),
        decides=least is not None and papers[0][0] >= least and not by_model,
    )
