"""Each statement against the evidence that it cites, or against the passages of a context.

A sentence that repeats its source letter by letter is `quoted`; one that states a stored relation is checked against
the graph; all others go to the critic, whose word counts only when it may judge (`judges`). Whoever judged, a statement
that says more than its source is `partly` supported at most (`overclaim`), and each gets its label (`taxonomy`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from medground.answer import Verdict
from medground.document import Hit
from medground.evidence import Evidence
from medground.models.keyless import NAME as KEYLESS
from medground.read.extract import evidence_views
from medground.run import Run
from medground.verify.checked import Checked
from medground.verify.context import Context, context_of, standing
from medground.verify.critics.base import Claim, Critic, Judgement, sound
from medground.verify.critics.open import open_critic
from medground.verify.judges import may_judge
from medground.verify.overclaim import excesses, held_back
from medground.verify.taxonomy import label_all
from medground.write.draft import Sentence

__all__ = ["Checked", "GraphCheck", "check_all", "check_each"]

GraphCheck = Callable[[Sentence], bool]
"""Whether the stored relation behind a sentence entails it."""


async def check_all(
    sentences: Sequence[Sentence], run: Run, graph: GraphCheck | None = None, *, context: Sequence[Hit] = ()
) -> list[Verdict]:
    """One verdict per sentence, in order; as `check_each`."""
    return [checked.verdict for checked in await check_each(sentences, run, graph, context=context)]


async def check_each(
    sentences: Sequence[Sentence], run: Run, graph: GraphCheck | None = None, *, context: Sequence[Hit] = ()
) -> list[Checked]:
    """One checked statement per sentence, in order; all that need the critic go to it together.

    Args:
        sentences: statements with the evidence that each cites.
        run: the run, with its ledger.
        graph: tells whether a stored relation entails a sentence.
        context: passages, best first; given, each statement is compared with the first `verify.context` of them, not
            only with what it cites, and the nearest sentence of the deciding passage becomes a quote of the ledger.

    Raises:
        SourceUnavailable: a document of the context can no longer be fetched.
        BudgetExhausted: a limit of the run was reached.
    """
    critic = open_critic(run)
    shared = await context_of(context, run, by_sentence=critic.name == KEYLESS)
    settled = [_settled(sentence, run, graph, context=bool(context)) for sentence in sentences]
    waiting = [sentence for sentence, found in zip(sentences, settled, strict=True) if found is None]
    judged = iter(await _judged(waiting, critic, shared, run, context=bool(context)))
    checked = [next(judged) if found is None else Checked(found) for found in settled]
    if not run.settings.verify.taxonomy:
        return checked
    return await label_all(sentences, checked, run, critic, shared)


async def _judged(
    sentences: Sequence[Sentence], critic: Critic, shared: Context, run: Run, *, context: bool
) -> list[Checked]:
    claims = [Claim(s.text, shared.views if context else evidence_views(_cited(s, run), run)) for s in sentences]
    found = await critic.judge(claims) if claims else []
    proven = may_judge(critic.name, run.settings.verify)
    checked: list[Checked] = []
    for sentence, claim, said in zip(sentences, claims, found, strict=True):
        told = sound(claim, said)
        judgement = replace(told, best=shared.evidence(told.best, sentence, run))
        verdict = _modest(_verdict(judgement, critic.name, proven=proven), sentence, run)
        checked.append(Checked(verdict, judgement))
    return checked


def _cited(sentence: Sentence, run: Run) -> list[Evidence]:
    return standing([e for e in run.ledger.evidence if e.id in sentence.evidence], run)


def _settled(sentence: Sentence, run: Run, graph: GraphCheck | None, *, context: bool) -> Verdict | None:
    """The verdict where no critic is needed. Retracted papers are not asked, so they support nothing."""
    cited = _cited(sentence, run)
    if graph is not None and cited and all(e.origin == "graph" for e in cited):
        return _by_graph(cited[0], entailed=graph(sentence))
    if same := next((e for e in cited if _normal(e.quote) == _normal(sentence.text)), None):
        return Verdict(label="quoted", critic="verbatim", best=same.id, note="the source's own words")
    if sentence.evidence and not cited:
        return Verdict(label="not found", critic="retraction", note="every cited paper is retracted, or a notice")
    if sentence.text.rstrip().endswith("?"):
        return Verdict(label="not found", critic="form", note="a question states nothing")
    if context or cited:
        return None
    return Verdict(label="not found", critic="citation", note="the sentence cites nothing")


def _by_graph(evidence: Evidence, *, entailed: bool) -> Verdict:
    if entailed:
        return Verdict(label="supported", critic="graph", best=evidence.id, note="the stored relation states it")
    return Verdict(label="not found", critic="graph", note="the stored relation does not state it")


def _modest(verdict: Verdict, sentence: Sentence, run: Run) -> Verdict:
    """The verdict, held back where the statement says more than its best quote."""
    quote = next((e for e in run.ledger.evidence if e.id == verdict.best), None)
    if quote is None:
        return verdict
    document = run.ledger.documents[quote.document_id]
    return held_back(verdict, excesses(sentence.text, quote.quote, document, sentence=sentence.whole.text))


def _verdict(found: Judgement, critic: str, *, proven: bool) -> Verdict:
    seen: dict[str, Any] = {
        "critic": critic,
        "best": found.best,
        "flags": found.flags,
        "probability": found.probability,
        "note": found.note,
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
        return Verdict(label="not judged", **{**seen, "note": note})
    if found.relation == "contradicts":
        return Verdict(label="contradicted", **seen)
    return Verdict(label="partly" if found.flags else "supported", **seen)


def _normal(text: str) -> str:
    return " ".join(text.split())
