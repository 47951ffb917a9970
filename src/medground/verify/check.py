"""Each statement against the evidence that it cites.

A sentence that repeats its source letter by letter is `quoted`; one that states a stored relation is checked against
the graph; all others go to the `entail` operator, whose word counts only when its model may judge (`judges`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from medground.answer import Verdict
from medground.errors import ModelFailed
from medground.evidence import Evidence
from medground.operators.verifying import EntailInput, EntailOutput, entail
from medground.read.extract import evidence_views
from medground.run import Run
from medground.verify.judges import may_judge
from medground.write.draft import Sentence

GraphCheck = Callable[[Sentence], bool]
"""Whether the stored relation behind a sentence entails it."""


async def check_all(sentences: Sequence[Sentence], run: Run, graph: GraphCheck | None = None) -> list[Verdict]:
    """One verdict per sentence, in order; all are checked together."""
    return list(await asyncio.gather(*(check(sentence, run, graph) for sentence in sentences)))


async def check(sentence: Sentence, run: Run, graph: GraphCheck | None = None) -> Verdict:
    """The verdict on one sentence. Retracted papers are not asked, so they support nothing."""
    cited = [e for e in run.ledger.evidence if e.id in sentence.evidence]
    standing = [e for e in cited if run.ledger.documents[e.document_id].retraction != "retracted"]
    if cited and not standing:
        return Verdict(label="not found", critic="retraction", note="every cited paper is retracted")
    if not standing:
        return Verdict(label="not found", critic="citation", note="the sentence cites nothing")
    if graph is not None and all(e.origin == "graph" for e in standing):
        return _graph_verdict(graph(sentence), standing[0])
    if same := next((e for e in standing if _normal(e.quote) == _normal(sentence.text)), None):
        return Verdict(label="quoted", critic="verbatim", best=same.id, note="the source's own words")
    return await _judged(sentence, standing, run)


def _graph_verdict(entailed: bool, evidence: Evidence) -> Verdict:
    if entailed:
        return Verdict(label="supported", critic="graph", best=evidence.id, note="the stored relation states it")
    return Verdict(label="not found", critic="graph", note="the stored relation does not state it")


async def _judged(sentence: Sentence, standing: Sequence[Evidence], run: Run) -> Verdict:
    try:
        output = await run.ask(entail, EntailInput(statement=sentence.text, evidence=evidence_views(standing, run)))
    except ModelFailed as failed:
        run.warn(f"a sentence could not be verified: {failed}")
        return Verdict(label="unverified", critic=failed.model, note=failed.reason)
    critic = run.answered_by[entail.name]
    return _verdict(output, critic, proven=may_judge(critic, run.settings.verify))


def _verdict(output: EntailOutput, critic: str, *, proven: bool) -> Verdict:
    if output.relation == "neutral":
        return Verdict(label="not found", critic=critic, best=output.best, flags=output.flags)
    if output.relation == "related":
        return Verdict(label="related", critic=critic, best=output.best, flags=output.flags)
    if not proven:
        said = "entails" if output.relation == "entails" else "contradicts"
        note = f"{critic} says that the quote {said} it, but has not proved itself as a judge"
        return Verdict(label="not judged", critic=critic, best=output.best, flags=output.flags, note=note)
    if output.relation == "contradicts":
        return Verdict(label="contradicted", critic=critic, best=output.best, flags=output.flags)
    return Verdict(label="partly" if output.flags else "supported", critic=critic, best=output.best, flags=output.flags)


def _normal(text: str) -> str:
    return " ".join(text.split())
