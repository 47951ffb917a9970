"""From checked sentences to the `Answer`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from pydantic import TypeAdapter

from medground import __version__
from medground.answer import Answer, Conflict, Decision, SourceDocument, Statement, Status, Verdict
from medground.document import Document
from medground.evidence import Evidence
from medground.question import Question
from medground.run import Run
from medground.verify.context import standing
from medground.verify.judges import may_judge
from medground.verify.policy import UNSUPPORTED, Checked, release
from medground.verify.scores import faithfulness, support_score
from medground.write.draft import Draft, Sentence, by_sentence, sentences_of
from medground.write.lean import Lean
from medground.write.rationale import Mark, evidence_mark, joined

_DECISION: TypeAdapter[Decision] = TypeAdapter(Decision)
_WRITERS = ("respond", "write", "reason", "direct", "recall")


def compose(
    run: Run,
    draft: Draft,
    verdicts: Sequence[Verdict] = (),
    *,
    conflicts: Sequence[Conflict] = (),
    lean: Lean | None = None,
    stopped: str | None = None,
    mark: Mark = evidence_mark,
    uncited: bool = False,
) -> Answer:
    """Put the answer together from what the policy lets through.

    Its scores are those of the rationale as it was written, with the sentences that were dropped.

    Args:
        run: the run, with its ledger.
        draft: the written sentences, or the statements that they were cut into.
        verdicts: one per sentence or statement of the draft, in order.
        conflicts: sources that disagree; one that names evidence that was never quoted is left out.
        lean: statistics' word for a closed question that nobody decided.
        stopped: why the run ended early.
        mark: how citations are written in the rationale.
        uncited: the recipe has no evidence by design; its sentences are shown as supported by nothing.

    Raises:
        UnknownCitation: a sentence or a verdict cites evidence that this run never quoted.
    """
    _known(run, draft.sentences, verdicts)
    kept, dropped = release(draft.sentences, verdicts, run.settings.verify, uncited=uncited)
    rationale, statements = _written(kept, run, mark)
    quotes = {e.id for e in run.ledger.evidence}
    disagreeing = tuple(c for c in conflicts if quotes.issuperset(_quoted(c)))
    named = {e for s in statements for e in (*s.evidence, s.verdict.best)}.union(*map(_quoted, disagreeing))
    evidence = tuple(e for e in run.ledger.evidence if e.id in named)
    snapshots = tuple(s.snapshot for s in run.sources if s.snapshot is not None)
    decision = _decision(run, draft, kept, verdicts, lean, uncited=uncited)
    return Answer(
        id=_answer_id(run.question, run.settings.hash, [s.hash for s in snapshots]),
        question=run.question,
        decision=decision,
        rationale=rationale,
        statements=statements,
        evidence=evidence,
        documents=_documents(run, evidence, lean),
        dropped=tuple(dropped),
        conflicts=disagreeing,
        support=support_score(verdicts, run.settings.verify),
        faithfulness=faithfulness(verdicts),
        searches=tuple(run.searches),
        warnings=tuple(run.warnings),
        recipe=run.settings.recipe.name,
        made_by=f"medground {__version__}",
        models=dict(sorted(run.answered_by.items())),
        usage=run.report(),
        settings_hash=run.settings.hash,
        snapshots=snapshots,
        trace_id=run.trace.id,
        created=run.now(),
        stopped=stopped,
    )


def _known(run: Run, sentences: Sequence[Sentence], verdicts: Sequence[Verdict]) -> None:
    cited = dict.fromkeys(e for sentence in sentences for e in sentence.evidence)
    for evidence in [*cited, *(v.best for v in verdicts if v.best is not None)]:
        run.ledger.cite(evidence)


def _documents(run: Run, evidence: Sequence[Evidence], lean: Lean | None) -> tuple[SourceDocument, ...]:
    """What is quoted, what a lean rests on, and what is shown without being cited."""
    rests_on = [lean.document] if lean is not None and lean.value is not None and lean.document else []
    listed = dict.fromkeys([*(e.document_id for e in evidence), *rests_on, *run.shown])
    return tuple(_listed(run.ledger.documents[i], run.origins.get(i, "")) for i in listed)


def _quoted(conflict: Conflict) -> set[str]:
    return {e for side in conflict.sides for e in side.evidence}


def _written(kept: Sequence[Checked], run: Run, mark: Mark) -> tuple[str, tuple[Statement, ...]]:
    """The rationale, and its statements as slices of it."""
    sentences = [sentence for sentence, _ in kept]
    rationale, spans = joined(sentences_of(sentences), run.ledger.evidence, mark)
    starts = [start + s.start for (start, _), group in zip(spans, by_sentence(sentences), strict=True) for s in group]
    return rationale, tuple(
        Statement(text=s.text, start=start, end=start + len(s.text), evidence=s.evidence, verdict=verdict)
        for (s, verdict), start in zip(kept, starts, strict=True)
    )


def _decision(
    run: Run,
    draft: Draft,
    kept: Sequence[Checked],
    verdicts: Sequence[Verdict],
    lean: Lean | None,
    *,
    uncited: bool,
) -> Decision:
    if not kept and not (uncited and draft.answer):
        if draft.sentences:
            return _made(run.question, "not judged", reason="no sentence of the rationale passed verification")
        reason = draft.reason or "no source that was searched has evidence on this question"
        return _made(run.question, "unanswerable", reason=reason)
    if draft.answer:
        if not uncited and (doubt := _doubt(run, draft, kept, verdicts)):
            return _made(run.question, "not judged", reason=doubt)
        return _decided(run, draft, [sentence for sentence, _ in kept])
    if lean is not None and lean.value is not None:
        return _made(
            run.question,
            "lean",
            (lean.value,),
            basis="lean",
            probability=lean.probability,
            reason=f"statistics of the words of {lean.document}; nobody able has read it",
        )
    return _made(run.question, "not judged", reason=draft.reason or "evidence was found; nobody able has judged it")


def _decided(run: Run, draft: Draft, kept: Sequence[Sentence]) -> Decision:
    values = draft.answer
    if draft.basis == "model":
        writer = _writer(run)
        if not may_judge(writer, run.settings.verify):
            run.warn(f"the decision is the word of {writer}, which has not proved itself as a judge of evidence")
        if run.question.task == "free":  # what was checked is what is said: an answer beside it would be unchecked
            values = (" ".join(sentence.text for sentence in sentences_of(kept)),)
    return _made(run.question, "decided", values, basis=draft.basis, reason=draft.reason)


def _doubt(run: Run, draft: Draft, kept: Sequence[Checked], verdicts: Sequence[Verdict]) -> str | None:
    """Why an answer cannot stand on its rationale, or None when it can. A sentence that was dropped carries nothing."""
    who = _writer(run) if draft.basis == "model" else "the graph"
    said = f"{who} answers {', '.join(draft.answer)[:80]!r}"
    if any(verdict.label == "contradicted" for verdict in verdicts):
        return f"{said}, and its evidence contradicts a sentence of its rationale"
    if all(verdict.label in UNSUPPORTED for _, verdict in kept):
        return f"{said}, and none of its sentences is found in the evidence"
    if all(verdict.label in UNSUPPORTED or _differs(verdict) for _, verdict in kept):
        kinds = dict.fromkeys(flag for _, verdict in kept if _differs(verdict) for flag in verdict.flags)
        return f"{said}, and each of its sentences differs from the evidence ({', '.join(kinds)}) or is not found in it"
    return None


def _differs(verdict: Verdict) -> bool:
    """Whether words say that a sentence is not what its source says, and nobody able has said otherwise."""
    return bool(verdict.flags) and verdict.label in ("related", "not judged")


def _writer(run: Run) -> str:
    """The model that wrote the answer."""
    return next((run.answered_by[name] for name in _WRITERS if name in run.answered_by), "a model")


def _made(question: Question, status: Status, values: tuple[str, ...] = (), **rest: Any) -> Decision:
    content: dict[str, Any] = {"task": question.task, "status": status, **rest}
    if question.task == "multiple-choice":
        content["values"] = values or None
    else:
        content["value"] = values[0] if values else None
    return _DECISION.validate_python(content)


def _listed(document: Document, source: str) -> SourceDocument:
    return SourceDocument(
        id=document.id,
        title=document.title,
        kind=document.kind,
        year=document.year,
        journal=document.journal,
        url=document.url,
        publication_types=document.publication_types,
        references=document.references[:50],
        retraction=document.retraction,
        source=source,
    )


def _answer_id(question: Question, settings_hash: str, snapshots: Sequence[str]) -> str:
    """The same question with the same settings and snapshots has the same id."""
    content = json.dumps([question.model_dump(mode="json"), settings_hash, list(snapshots)], sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def unanswered(reason: str) -> Draft:
    """A draft that says nothing, and why."""
    return Draft(reason=reason)


def quotes_only(run: Run, most: int) -> Draft:
    """What is known when a run is cut short: the first quotes, in the sources' own words."""
    chosen = standing(run.ledger.evidence, run)[:most]
    return Draft(sentences=tuple(Sentence(text=" ".join(e.quote.split()), evidence=(e.id,)) for e in chosen))
