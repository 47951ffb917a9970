"""Each statement against the evidence that it cites, or against the passages of a context.

A sentence that repeats its source letter by letter is `quoted`; one that states a stored relation is checked against
the graph; all others go to the critic, whose word counts only when it may judge (`judges`). Whoever judged, a statement
that says more than its source is `partly` supported at most (`overclaim`), and each gets its label (`taxonomy`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

from medground.answer import Verdict
from medground.author import Author
from medground.document import Hit
from medground.evidence import Evidence
from medground.operators.base import Operator
from medground.operators.labelling import label
from medground.operators.verifying import entail
from medground.read.extract import evidence_views
from medground.run import Run
from medground.sentence import Sentence
from medground.steps import Judging
from medground.verify.checked import Checked
from medground.verify.context import Context, context_of, standing
from medground.verify.critics.base import Claim, Critic, Judgement, sound
from medground.verify.critics.open import open_critic
from medground.verify.judges import may_judge
from medground.verify.named import FLAG as REFERENCE
from medground.verify.named import unretrieved_references
from medground.verify.overclaim import excesses, held_back
from medground.verify.reporting import asks, why_not_finding
from medground.verify.taxonomy import label_all

__all__ = ["CHECKING", "Checked", "GraphCheck", "check_all", "check_each"]

CHECKING: tuple[Operator[Any, Any], ...] = (entail, label)
"""The operators that checking may ask; a recipe that checks its statements declares them."""

CITATION = "citation"
"""The flag of a statement that is supported, and not by what it cites."""

GraphCheck = Callable[[Sentence], bool]
"""Whether the stored relation behind a sentence entails it."""


async def check_all(
    sentences: Sequence[Sentence], run: Run, graph: GraphCheck | None = None, *, context: Sequence[Hit] = ()
) -> list[Verdict]:
    """One verdict per sentence, in order; as `check_each`."""
    return [checked.verdict for checked in await check_each(sentences, run, graph, context=context)]


async def check_each(
    sentences: Sequence[Sentence],
    run: Run,
    graph: GraphCheck | None = None,
    *,
    context: Sequence[Hit] = (),
    cited: bool = True,
) -> list[Checked]:
    """One checked statement per sentence, in order; all that need the critic go to it together.

    Args:
        sentences: statements with the evidence that each cites.
        run: the run, with its ledger.
        graph: tells whether a stored relation entails a sentence.
        context: passages, best first; given, each statement is compared with the first `verify.context` of them, not
            only with what it cites, and the nearest sentence of the deciding passage becomes a quote of the ledger.
        cited: False for statements that cite nothing by design, such as a user's claim: the context alone decides.

    Raises:
        SourceUnavailable: a document of the context can no longer be fetched.
        BudgetExhausted: a limit of the run was reached.
    """
    critic = open_critic(run)
    shared = await context_of(context, run, by_sentence=not Author(critic.name).is_model)
    settled = [_settled(sentence, run, graph, context=bool(context)) for sentence in sentences]
    waiting = [sentence for sentence, found in zip(sentences, settled, strict=True) if found is None]
    judged = iter(await _judged(waiting, critic, shared, run, context=bool(context), cited=cited))
    checked = [next(judged) if found is None else Checked(found) for found in settled]
    if not run.settings.verify.taxonomy:
        return checked
    return await label_all(sentences, checked, run, critic, shared)


async def _judged(
    sentences: Sequence[Sentence], critic: Critic, shared: Context, run: Run, *, context: bool, cited: bool
) -> list[Checked]:
    claims = [Claim(s.text, shared.views if context else evidence_views(_cited(s, run), run)) for s in sentences]
    with run.step(Judging(done=0, of=len(claims))) if claims else nullcontext():
        found = await critic.judge(claims) if claims else []
    proven = may_judge(critic.name, run.settings.verify)
    told = [sound(claim, said) for claim, said in zip(claims, found, strict=True)]
    judgements = [
        replace(said, best=shared.evidence(said.best, sentence, run))
        for sentence, said in zip(sentences, told, strict=True)
    ]
    verdicts = [_verdict(judgement, critic.name, proven=proven) for judgement in judgements]
    elsewhere = [
        place
        for place, verdict in enumerate(verdicts)
        if cited
        and verdict.label in ("supported", "partly")
        and not shared.cites(told[place].best, sentences[place], run)
    ]
    for place, said in zip(elsewhere, await _of_citations([sentences[p] for p in elsewhere], critic, run), strict=True):
        verdicts[place] = _by_citation(verdicts[place], said)
    return [
        Checked(_modest(verdict, sentence, run), judgement)
        for sentence, verdict, judgement in zip(sentences, verdicts, judgements, strict=True)
    ]


async def _of_citations(sentences: Sequence[Sentence], critic: Critic, run: Run) -> list[Judgement]:
    """What the critic says of statements against their own citations alone."""
    claims = [Claim(s.text, evidence_views(_cited(s, run), run)) for s in sentences]
    found = await critic.judge(claims) if claims else []
    return [sound(claim, said) for claim, said in zip(claims, found, strict=True)]


def _by_citation(verdict: Verdict, cited: Judgement) -> Verdict:
    """The verdict of a statement that its context supports, with what its own citations are worth.

    A passage may prove what another sentence of it, or another passage, says: the citation beside the statement is
    then wrong, and it is `partly` supported. Where a cited quote says so, that quote is the one to show.
    """
    if cited.relation == "entails":
        flags = tuple(dict.fromkeys([*verdict.flags, *cited.flags]))
        return verdict.model_copy(
            update={"best": cited.best, "flags": flags, "label": "partly" if flags else verdict.label}
        )
    note = "; ".join([*([verdict.note] if verdict.note else []), "its context states it, and what it cites does not"])
    return verdict.model_copy(update={"label": "partly", "flags": (*verdict.flags, CITATION), "note": note})


def _cited(sentence: Sentence, run: Run) -> list[Evidence]:
    return standing([e for e in run.ledger.evidence if e.id in sentence.evidence], run)


def _settled(sentence: Sentence, run: Run, graph: GraphCheck | None, *, context: bool) -> Verdict | None:
    """The verdict where no critic is needed. Retracted papers are not asked, so they support nothing."""
    cited = _cited(sentence, run)
    if graph is not None and cited and all(e.origin == "graph" for e in cited):
        return _by_graph(cited[0], entailed=graph(sentence))
    if same := next((e for e in cited if _normal(e.quote) == _normal(sentence.text)), None):
        return _quoted(same, run)
    if works := unretrieved_references(sentence.whole.text, run.ledger.documents.values()):
        note = f"it names {', '.join(works)[:120]}, which this run never retrieved"
        return Verdict(label="not found", critic="citation", flags=(REFERENCE,), note=note)
    if sentence.evidence and not cited:
        return Verdict(label="not found", critic="retraction", note="every cited paper is retracted, or a notice")
    if asks(sentence.text):
        return Verdict(label="not found", critic="form", note="a question states nothing")
    if context or cited:
        return None
    return Verdict(label="not found", critic="citation", note="the sentence cites nothing")


def _quoted(evidence: Evidence, run: Run) -> Verdict:
    """The source's own words, flagged where they report nothing."""
    found = why_not_finding(evidence.quote, run.ledger.documents[evidence.document_id])
    note = "the source's own words" + (f", which report nothing: `{found[1]}`" if found else "")
    return Verdict(label="quoted", critic="verbatim", best=evidence.id, flags=found[:1] if found else (), note=note)


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
        doubt = () if found.relation == "entails" else ("contradiction",)  # too little to say so, enough to look at
        return Verdict(label="not judged", **{**seen, "note": note, "flags": (*found.flags, *doubt)})
    if found.relation == "contradicts":
        return Verdict(label="contradicted", **seen)
    return Verdict(label="partly" if found.flags else "supported", **seen)


def _normal(text: str) -> str:
    return " ".join(text.split())
