"""From checked sentences to the `Answer`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from pydantic import TypeAdapter

from medground.answer import Answer, Decision, SourceDocument, Statement, Status, Verdict
from medground.document import Document
from medground.question import Question
from medground.run import Run
from medground.verify.judges import may_judge
from medground.verify.policy import UNSUPPORTED, release
from medground.write.draft import Draft, Sentence
from medground.write.lean import Lean
from medground.write.rationale import Mark, evidence_mark, joined

_DECISION: TypeAdapter[Decision] = TypeAdapter(Decision)


def compose(
    run: Run,
    draft: Draft,
    verdicts: Sequence[Verdict] = (),
    *,
    lean: Lean | None = None,
    shown: Sequence[str] = (),
    stopped: str | None = None,
    mark: Mark = evidence_mark,
    uncited: bool = False,
) -> Answer:
    """Put the answer together from what the policy lets through.

    Args:
        run: the run, with its ledger.
        draft: the written sentences.
        verdicts: one per sentence of the draft.
        lean: statistics' word for a closed question that nobody decided.
        shown: ids of documents to list besides the cited ones, such as retracted papers that were set aside.
        stopped: why the run ended early.
        mark: how citations are written in the rationale.
        uncited: the recipe has no evidence by design; its sentences are shown as supported by nothing.
    """
    kept, dropped = release(draft.sentences, verdicts, run.settings.verify, uncited=uncited)
    rationale, spans = joined([sentence for sentence, _ in kept], run.ledger.evidence, mark)
    cited = {e for sentence, _ in kept for e in sentence.evidence}
    evidence = tuple(e for e in run.ledger.evidence if e.id in cited)
    rests_on = [lean.document] if lean is not None and lean.value is not None and lean.document else []
    listed = dict.fromkeys([*(e.document_id for e in evidence), *rests_on, *shown])
    snapshots = tuple(s.snapshot for s in run.sources if s.snapshot is not None)
    founded = uncited or any(verdict.label not in UNSUPPORTED for _, verdict in kept)
    decision = _decision(run, draft, lean, bool(kept) or (uncited and bool(draft.answer)), founded)
    return Answer(
        id=_answer_id(run.question, run.settings.hash, [s.hash for s in snapshots]),
        question=run.question,
        decision=decision,
        rationale=rationale,
        statements=tuple(
            Statement(text=sentence.text, start=start, end=end, evidence=sentence.evidence, verdict=verdict)
            for (sentence, verdict), (start, end) in zip(kept, spans, strict=True)
        ),
        evidence=evidence,
        documents=tuple(_listed(run.ledger.documents[i], run.origins.get(i, "")) for i in listed),
        dropped=tuple(dropped),
        searches=tuple(run.searches),
        warnings=tuple(run.warnings),
        recipe=run.settings.recipe.name,
        models=dict(sorted(run.answered_by.items())),
        usage=run.report(),
        settings_hash=run.settings.hash,
        snapshots=snapshots,
        trace_id=run.trace.id,
        created=run.now(),
        stopped=stopped,
    )


def _decision(run: Run, draft: Draft, lean: Lean | None, has_sentences: bool, founded: bool) -> Decision:
    if not has_sentences:
        reason = draft.reason or "no source that was searched has evidence on this question"
        if draft.sentences:
            return _made(run.question, "not judged", reason="no sentence of the rationale passed verification")
        return _made(run.question, "unanswerable", reason=reason)
    if draft.answer and not founded:
        said = f"{_writer(run)} answers {', '.join(draft.answer)[:80]!r}"
        return _made(run.question, "not judged", reason=f"{said}, and none of its sentences is found in the evidence")
    if draft.answer:
        if draft.basis == "model" and not may_judge(writer := _writer(run), run.settings.verify):
            run.warn(f"the decision is the word of {writer}, which has not proved itself as a judge of evidence")
        return _made(run.question, "decided", draft.answer, basis=draft.basis, reason=draft.reason)
    if lean is not None and lean.value is not None:
        return _made(
            run.question,
            "lean",
            (lean.value,),
            basis="lean",
            probability=lean.probability,
            reason=f"statistics of the words of {lean.document}; nobody able has read it",
        )
    return _made(run.question, "not judged", reason="evidence was found; nobody able has judged it")


def _writer(run: Run) -> str:
    """The model that wrote the answer."""
    return next(
        (run.answered_by[name] for name in ("respond", "write", "recall") if name in run.answered_by), "a model"
    )


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
    chosen = run.ledger.evidence[:most]
    return Draft(sentences=tuple(Sentence(text=" ".join(e.quote.split()), evidence=(e.id,)) for e in chosen))
