"""What holds of a rationale as a whole: two published scores, sources that disagree, and a model's verdict."""

from collections.abc import Iterable, Mapping, Sequence

from medground.answering.run import Run
from medground.answering.verify.context import GIVEN, context_of, usable
from medground.answering.verify.judges import may_judge
from medground.answering.verify.reporting import why_not_finding
from medground.errors import ModelFailed
from medground.home.settings_groups import VerifySettings
from medground.models.operators.verifying import AssessInput, assess
from medground.values.document import Document, Hit
from medground.values.evidence import Evidence, Sentence, Stance, sentences_of
from medground.values.question import Question
from medground.values.statement import Assessment, Conflict, Side, Verdict
from medground.values.usage import Author

_GRAPH = "graph"


def support_score(verdicts: Sequence[Verdict], settings: VerifySettings | None = None) -> float | None:
    """S: the share of supported statements, from 0 to 1.

    `supported` statements count, and `quoted` ones that report a finding; a statement on which the critic failed does
    not. The score is None if no statement was assessed by a validated judge or a stored relation, or if one still needs
    a judge: it is `not judged`, or `related` according to a critic that is not a validated judge.
    """
    trust = settings or VerifySettings()
    verdicts = _claimed(verdicts)
    judges = {v.critic for v in verdicts if may_judge(v.critic, trust)}
    judged = any(v.label != "unverified" and v.critic in (*judges, _GRAPH) for v in verdicts)
    waiting = any(v.label == "not judged" or (v.label == "related" and v.critic not in judges) for v in verdicts)
    if not judged or waiting:
        return None
    supported = [v for v in verdicts if v.label == "supported" or (v.label == "quoted" and not v.flags)]
    return len(supported) / len(verdicts)


def quoted_share(verdicts: Sequence[Verdict]) -> float | None:
    """The share of statements that are verbatim quotes, from 0 to 1; None if there are no statements.

    It says where the words come from, not whether they answer the question.
    """
    return sum(v.label == "quoted" for v in verdicts) / len(verdicts) if verdicts else None


def faithfulness(verdicts: Sequence[Verdict]) -> float | None:
    """Faith(R): the share of statements with a CORRECT category, from 0 to 1.

    Every CORRECT category counts, including CORRECT-MISSING, as in the paper. A statement without a label counts as not
    correct. The score is None if only word statistics gave labels.
    """
    verdicts = _claimed(verdicts)
    if not any(v.category is not None and (v.labelled_by_model or v.critic == _GRAPH) for v in verdicts):
        return None
    return sum((v.category or "").startswith("CORRECT") for v in verdicts) / len(verdicts)


def _claimed(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """The verdicts of statements that claim something, which one that only repeats the question's context does not."""
    return [verdict for verdict in verdicts if verdict.label != GIVEN]


_SIDES: tuple[Stance, ...] = ("supports", "contradicts", "mixed")


def find_conflicts(
    about: str, evidence: Sequence[Evidence], documents: Mapping[str, Document], reader: Author | None
) -> list[Conflict]:
    """One conflict if papers support both sides; retracted papers and stored relations are left out.

    A paper with quotes for and against is mixed and on neither side. Quotes that no model extracted have no stance, so
    nothing is known of their sides.
    """
    if reader is None or not reader.is_model:
        return []
    texts = [e for e in usable(evidence, documents) if e.origin == "text"]
    findings = [e for e in texts if why_not_finding(e.quote, documents[e.document_id]) is None]
    stances: dict[str, set[Stance]] = {}
    for quote in findings:
        stances.setdefault(quote.document_id, set()).add(quote.stance)
    placed = {document: one_stance(given) for document, given in stances.items()}
    if not {"supports", "contradicts"} <= set(placed.values()):
        return []
    sides = [
        Side(stance=stance, evidence=ids)
        for stance in _SIDES
        if (ids := tuple(e.id for e in findings if placed[e.document_id] == stance and e.stance != "unknown"))
    ]
    return [Conflict(about=about, sides=tuple(sides), found_by=reader.name)]


def one_stance(stances: Iterable[Stance]) -> Stance:
    """The stance of a paper from those of its quotes: both for and against is mixed; quotes without one say nothing."""
    known = set(stances) - {"unknown"}
    return "mixed" if len(known) > 1 else next(iter(known), "unknown")


async def assessed(
    question: Question, sentences: Sequence[Sentence], answer: Sequence[str], evidence: Sequence[Hit], run: Run
) -> Assessment | None:
    """The model's assessment; None if no model answers the operator `assess`, or it failed, which is a warning.

    Raises SourceUnavailable: a document of the evidence can no longer be fetched; BudgetExhausted: the run reached one
    of its limits.
    """
    if not run.answerer(assess).is_model:
        return None
    context = await context_of(evidence, run)
    value = AssessInput(
        question=question.text,
        passages=context.views,
        rationale=" ".join(sentence.text for sentence in sentences_of(sentences)),
        answer=tuple(answer),
    )
    try:
        output = await run.ask(assess, value)
    except ModelFailed as failed:
        run.warn(f"the answer could not be assessed as a whole: {failed}")
        return None
    reason = " ".join(output.reason.split())
    return Assessment(
        verdict=output.verdict, quality=output.quality, assessed_by=run.answered_by[assess.name], reason=reason
    )
