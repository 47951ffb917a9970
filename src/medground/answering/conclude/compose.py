"""From checked sentences to the `Answer`."""

import hashlib
import json
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from typing import Any

from medground.answering.captions import NOTHING_FOUND
from medground.answering.conclude.critic_reading import CriticReading
from medground.answering.conclude.decision import decide
from medground.answering.conclude.policy import OWN_KNOWLEDGE, Verdicted, release
from medground.answering.explanation import FirstLine, tell_first_line
from medground.answering.run import Run
from medground.answering.verify.context import AROUND, as_read, usable
from medground.answering.verify.rationale import faithfulness, quoted_share, support_score
from medground.answering.write.draft import Draft, Mark, evidence_mark, joined
from medground.language.follow_up import questions_in
from medground.sources.base import DescribedSource, TermsSource
from medground.values.answer import Answer, SourceDocument
from medground.values.decision import AnswerCheck, Decision
from medground.values.document import Document
from medground.values.evidence import Evidence, Sentence, by_sentence, sentences_of
from medground.values.question import Question
from medground.values.source_plan import SourceDescription
from medground.values.statement import Conflict, Dropped, Statement, Verdict
from medground.version import __version__

_MOST_REFERENCES = 50
_NEAREST = 2
"""Maximum sentences that are shown of what is about something else."""
_LATER_LIMITS = frozenset(["date_from", "date_to", "where"])


def compose(
    run: Run,
    draft: Draft,
    verdicts: Sequence[Verdict] = (),
    *,
    question: Question | None = None,
    conflicts: Sequence[Conflict] = (),
    answered: CriticReading | None = None,
    check: AnswerCheck | None = None,
    left_out: Sequence[Dropped] = (),
    stopped: str | None = None,
    elsewhere: Collection[str] = (),
    missing: str = "",
    mark: Mark = evidence_mark,
) -> Answer:
    """Compose the answer from the sentences that the policy releases.

    Its scores cover the rationale as it was written, including the sentences that were dropped.

    Args:
        draft: the written sentences, or the statements that they were split into.
        verdicts: one per sentence or statement of the draft, in order.
        question: what is answered, if that is not the question of the run as it stands, such as a choice of two.
        conflicts: sources that disagree; a conflict with evidence that was never quoted is left out.
        left_out: parts of the answer besides its sentences that did not pass the check.
        stopped: why the run ended early.
        elsewhere: things of the question that no quote names, though other documents of its sources do.
        missing: what is missing in what was read, as the model that read last said.

    Raises UnknownCitation: a sentence or a verdict cites evidence that this run never quoted.
    """
    best = [verdict.best for verdict in verdicts if verdict.best is not None]
    run.ledger.cite(*(e for sentence in draft.sentences for e in sentence.evidence), *best)
    kept, dropped = release(draft.sentences, verdicts, run.settings.verify, uncited=not run.recipe.needs_evidence)
    question = question or run.question
    # first, because it may add a warning
    decision = decide(question, run, draft, kept, verdicts, answered, check, elsewhere)
    kept = _shown(kept, draft, decision, run) if run.settings.verify.gate else kept
    tell_first_line(_first_line(decision, kept, run), run)
    rationale, statements = _written(kept, run, mark)
    quoted = {e.id for e in run.ledger.evidence}
    disagreeing = tuple(conflict for conflict in conflicts if quoted.issuperset(_sides(conflict)))
    evidence = _used(statements, disagreeing, run)
    return Answer(
        decision=decision,
        rationale=rationale,
        statements=statements,
        evidence=evidence,
        documents=listed_documents(run, [*(e.document_id for e in evidence), *run.shown]),
        dropped=(*dropped, *left_out),
        read=len(run.read.keys() - {e.document_id for e in evidence}),
        conflicts=disagreeing,
        support=support_score(verdicts, run.settings.verify),
        faithfulness=faithfulness(verdicts),
        quoted=quoted_share(verdicts),
        stopped=stopped,
        missing=missing,
        **_circumstances(question, run)
        | ({"needs_evidence": False} if _from_memory(decision, evidence, kept, run) else {}),
    )


def _used(statements: Sequence[Statement], conflicts: Sequence[Conflict], run: Run) -> tuple[Evidence, ...]:
    """The quotes that statements and conflicts rest on, in the order in which statements cite them."""
    used = {e for s in statements for e in (*s.evidence, s.verdict.best)}.union(*map(_sides, conflicts))
    order = list(dict.fromkeys(e for statement in statements for e in statement.evidence))
    shown = (e for e in run.ledger.evidence if e.id in used)
    return tuple(sorted(shown, key=lambda e: order.index(e.id) if e.id in order else len(order)))


def _first_line(decision: Decision, kept: Sequence[Verdicted], run: Run) -> FirstLine:
    """What stands on top: the decision and the first sentence that is shown."""
    lost, reason = list(decision.unmentioned), decision.reason
    if reason == NOTHING_FOUND and run.searches:
        lost = [thing.said for thing in run.asked.deciding]
    if lost:
        reason = f"no quote mentions {' or '.join(lost)}"
    text = kept[0][0].text if kept and decision.status != "unanswerable" else ""
    return FirstLine(decision.status, text, reason)


def _shown(kept: Sequence[Verdicted], draft: Draft, decision: Decision, run: Run) -> list[Verdicted]:
    """The released statements on the question's subject, else the nearest; and what stands beside them."""
    own = [pair for pair in kept if pair[0] not in draft.beside]
    shown = _nearest(own, run) if decision.unmentioned and decision.check is None else _on_subject(own, draft, run)
    return [pair for pair in kept if pair in shown or pair[0] in draft.beside]


def _nearest(kept: Sequence[Verdicted], run: Run) -> list[Verdicted]:
    """The first whole sentences whose quotes name something of what was asked, where none is on all of it."""
    found = [pairs for pairs, read in _with_quotes(kept, run) if run.asked.names_any(" ".join(read))]
    return [pair for pairs in found[:_NEAREST] for pair in pairs]


def _on_subject(kept: list[Verdicted], draft: Draft, run: Run) -> list[Verdicted]:
    """Without quotes on something else, where others are on all that one question asks; what a network read stays."""
    asked, quoted = run.asked, all(verdict.label == "quoted" for _, verdict in kept)
    is_one = quoted and not asked.comparison and len(questions_in(asked)) == 1
    sentences = list(_with_quotes(kept, run, AROUND)) if is_one else []
    on_it = [any(not (asked.unnamed([one]) or asked.uncovered([one])) for one in read) for _, read in sentences]
    if not any(on_it):
        return kept
    on_it[0] |= draft.read_as_answer
    return [pair for (pairs, _), is_on in zip(sentences, on_it, strict=True) if is_on for pair in pairs]


def _with_quotes(kept: Sequence[Verdicted], run: Run, around: int = 0) -> Iterator[tuple[list[Verdicted], list[str]]]:
    """The statements of each sentence, and its quotes as they are read, with so many characters around them."""
    documents, quotes, left = run.ledger.documents, {e.id: e for e in run.ledger.evidence}, iter(kept)
    for group in by_sentence([statement for statement, _ in kept]):
        cited = [quotes[e] for e in dict.fromkeys(e for one in group for e in one.evidence)]
        yield list(islice(left, len(group))), [as_read(one, documents[one.document_id], around) for one in cited]


def _from_memory(decision: Decision, evidence: Sequence[Evidence], kept: Sequence[Verdicted], run: Run) -> bool:
    """Whether a rationale is the model's own knowledge, without evidence. It decides only without `verify.gate`."""
    decided = decision.status == "decided" and not run.settings.verify.gate
    return not evidence and (decided or any(OWN_KNOWLEDGE in verdict.flags for _, verdict in kept))


def _circumstances(question: Question, run: Run) -> dict[str, Any]:
    snapshots = tuple(dict.fromkeys(s.state for s in run.sources if s.state is not None))
    return {
        "id": answer_id(question, run.settings.hash, [s.hash for s in snapshots]),
        "question": question,
        "notice": run.notice,
        "searches": tuple(run.searches),
        "warnings": tuple(run.warnings),
        "recipe": run.recipe.name,
        "needs_evidence": run.recipe.needs_evidence,
        "made_by": f"medground {__version__}",
        "models": dict(sorted(run.answered_by.items())),
        "usage": run.report(),
        "settings_hash": run.settings.hash,
        "snapshots": snapshots,
        "trace_id": run.trace.id,
        "created": run.now(),
    }


def listed_documents(run: Run, ids: Sequence[str]) -> tuple[SourceDocument, ...]:
    """Retrieved documents as an answer lists them, each once, with the terms of the source that each is from."""
    described = {s.name: s.described for s in run.sources if isinstance(s, DescribedSource)}
    described |= {s.name: s.terms for s in run.sources if isinstance(s, TermsSource)}
    sources = {i: run.origins.get(i, "") for i in ids}
    return tuple(source_document(run.ledger.documents[i], name, described.get(name)) for i, name in sources.items())


def _sides(conflict: Conflict) -> set[str]:
    return {e for side in conflict.sides for e in side.evidence}


def _written(kept: Sequence[Verdicted], run: Run, mark: Mark) -> tuple[str, tuple[Statement, ...]]:
    """The rationale, and its statements as slices of it."""
    sentences = [sentence for sentence, _ in kept]
    rationale, spans = joined(sentences_of(sentences), run.ledger.evidence, mark)
    starts = [start + s.start for (start, _), group in zip(spans, by_sentence(sentences), strict=True) for s in group]
    return rationale, tuple(
        Statement(text=s.text, start=start, end=start + len(s.text), evidence=s.evidence, verdict=verdict)
        for (s, verdict), start in zip(kept, starts, strict=True)
    )


def source_document(document: Document, source: str, described: SourceDescription | None = None) -> SourceDocument:
    """A document as an answer lists it; `source` names where it came from, and `described` says under which terms."""
    terms = {"license": document.license or described.licence, "origin": described.origin} if described else {}
    shared = {name: getattr(document, name) for name in SourceDocument.model_fields if name in Document.model_fields}
    return SourceDocument(**shared | {"references": document.references[:_MOST_REFERENCES], "source": source} | terms)


def answer_id(question: Question, settings_hash: str, snapshots: Sequence[str]) -> str:
    """The same question with the same settings and snapshots gets the same id."""
    asked = question.model_dump(mode="json")
    if question.follows is None:  # answers from before there were follow-ups keep their id
        asked.pop("follows")
    if not question.context:  # nor were there contexts
        asked.pop("context")
    if typed := asked.pop("original"):  # of a translation, what was typed counts
        asked |= {"text": typed, "task": "free" if not question.options else question.task}
    if question.plan is None:  # nor plans
        asked.pop("plan")
    limits = asked["filters"]  # limits that are not set leave the id as it was before there were such limits
    asked["filters"] = {name: limit for name, limit in limits.items() if limit or name not in _LATER_LIMITS}
    content = json.dumps([asked, settings_hash, list(snapshots)], sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def not_searched(run: Run) -> Answer:
    """The answer to a question about self-harm or an emergency: the run's notice, and nothing from the sources."""
    reason = "someone may be at risk, so no source was searched and no model was called"
    return compose(run, unanswered(reason))


def unanswered(reason: str) -> Draft:
    """An empty draft with the reason why there is no answer."""
    return Draft(reason=reason)


ENDED_EARLY = "the run ended before it found evidence, so this says nothing of what the sources have"


def so_far(run: Run, stopped: str) -> Answer:
    """The answer of a run that ended early: its first quotes, verbatim and unchecked."""
    quotes = usable(run.ledger.evidence, run.ledger.documents)[: run.settings.recipe.sentences]
    sentences = tuple(Sentence(text=" ".join(quote.quote.split()), evidence=(quote.id,)) for quote in quotes)
    note = "the source's own words; the run ended before checking"
    verdicts = [Verdict(label="quoted", critic="verbatim", note=note) for _ in sentences]
    reason = "" if sentences else ENDED_EARLY
    return compose(run, Draft(sentences=sentences, reason=reason), verdicts, stopped=stopped)
