"""Each statement against the evidence that it cites.

A sentence that repeats its source letter by letter is `quoted`; one that states a stored relation is checked against
the graph; all others go to the `entail` operator, whose word counts only when its model may judge (`judges`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from medground.answer import Verdict
from medground.evidence import Evidence
from medground.read.extract import evidence_views
from medground.run import Run
from medground.verify.critics.base import Claim, Judgement
from medground.verify.critics.open import open_critic
from medground.verify.judges import may_judge
from medground.write.draft import Sentence

GraphCheck = Callable[[Sentence], bool]
"""Whether the stored relation behind a sentence entails it."""


async def check_all(sentences: Sequence[Sentence], run: Run, graph: GraphCheck | None = None) -> list[Verdict]:
    """One verdict per sentence, in order; all that need the critic go to it together."""
    settled = [_settled(sentence, run, graph) for sentence in sentences]
    waiting = [sentence for sentence, verdict in zip(sentences, settled, strict=True) if verdict is None]
    critic = open_critic(run)
    claims = [Claim(s.text, evidence_views(_standing(s, run), run)) for s in waiting]
    judged = iter(await critic.judge(claims) if claims else [])
    proven = may_judge(critic.name, run.settings.verify)
    return [_verdict(next(judged), critic.name, proven=proven) if v is None else v for v in settled]


def _standing(sentence: Sentence, run: Run) -> list[Evidence]:
    cited = [e for e in run.ledger.evidence if e.id in sentence.evidence]
    return [e for e in cited if run.ledger.documents[e.document_id].retraction != "retracted"]


def _settled(sentence: Sentence, run: Run, graph: GraphCheck | None) -> Verdict | None:
    """The verdict where no critic is needed. Retracted papers are not asked, so they support nothing."""
    standing = _standing(sentence, run)
    if sentence.evidence and not standing:
        return Verdict(label="not found", critic="retraction", note="every cited paper is retracted")
    if not standing:
        return Verdict(label="not found", critic="citation", note="the sentence cites nothing")
    if graph is not None and all(e.origin == "graph" for e in standing):
        return _graph_verdict(graph(sentence), standing[0])
    if same := next((e for e in standing if _normal(e.quote) == _normal(sentence.text)), None):
        return Verdict(label="quoted", critic="verbatim", best=same.id, note="the source's own words")
    return None


def _graph_verdict(entailed: bool, evidence: Evidence) -> Verdict:
    if entailed:
        return Verdict(label="supported", critic="graph", best=evidence.id, note="the stored relation states it")
    return Verdict(label="not found", critic="graph", note="the stored relation does not state it")


def _verdict(found: Judgement, critic: str, *, proven: bool) -> Verdict:
    seen: dict[str, Any] = {
        "critic": critic,
        "best": found.best,
        "flags": found.flags,
        "probability": found.probability,
    }
    match found.relation:
        case "failed":
            return Verdict(label="unverified", critic=critic, note=found.note)
        case "neutral":
            return Verdict(label="not found", **seen)
        case "related":
            return Verdict(label="related", **seen)
    if not proven:
        said = "entails" if found.relation == "entails" else "contradicts"
        note = f"{critic} says that the quote {said} it, but has not proved itself as a judge"
        return Verdict(label="not judged", note=note, **seen)
    if found.relation == "contradicts":
        return Verdict(label="contradicted", **seen)
    return Verdict(label="partly" if found.flags else "supported", **seen)


def _normal(text: str) -> str:
    return " ".join(text.split())
