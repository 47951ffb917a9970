"""The verdict that follows from a critic's judgement, corrected for a statement's own citations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from medground.answering.read.evidence import evidence_views
from medground.answering.run import Run
from medground.answering.verify.context import Context, cited_evidence
from medground.answering.verify.critic import Claim, Critic, Judgement, sound
from medground.answering.verify.judges import NOT_VALIDATED, has_last_word
from medground.values.evidence import Sentence
from medground.values.statement import Assessed, Verdict

CONTRADICTION = "contradiction"
"""The flag of a statement that a judge which is not validated calls contradicted."""
INCORRECT = "incorrect"
"""The flag of a statement that a model labels as one of the four kinds of incorrect."""

_SAID = {
    "supported": "in line with the quote",
    "partly": "partly in line with the quote",
    "contradicted": "contradicted by the quote",
}
"""The word `supported` is kept for judges that have proved themselves."""


@dataclass(frozen=True)
class Checked:
    """A verdict with the judgement behind it.

    `judgement` is None if no critic was needed: the statement is a verbatim quote, was compared with a stored relation,
    or has no source at all.
    """

    verdict: Verdict
    judgement: Judgement | None = None


def verdict_of(found: Judgement, critic: str, *, validated: bool) -> Verdict:
    """The verdict that a critic's judgement comes to."""
    told = {name: getattr(found, name) for name in ("best", "flags", "probability", "note")}
    given: dict[str, Any] = {"critic": critic, **told}
    match found.relation:
        case "failed":
            return Verdict(label="unverified", critic=critic, note=found.note)
        case "unsure":
            return Verdict(label="not judged", critic=critic, best=found.best, note=found.note)
        case "neutral":
            return Verdict(label="not found", **given)
        case "related":
            return Verdict(label="related", **given)
    if not validated:
        return _assessed(found, given)
    if found.relation == "contradicts":
        return Verdict(label="contradicted", **given)
    return Verdict(label="partly" if found.flags else "supported", **given)


def _assessed(found: Judgement, given: dict[str, Any]) -> Verdict:
    """What a model says that is not a validated judge: told, but no label."""
    entailed = found.relation == "entails"
    assessed: Assessed = "contradicted" if not entailed else "partly" if found.flags else "supported"
    doubt = () if entailed else (CONTRADICTION,)  # not enough for a verdict, but worth a look
    note = "; ".join(filter(None, [f"assessed by {given['critic']} ({NOT_VALIDATED}): {_SAID[assessed]}", found.note]))
    changed = {"flags": (*found.flags, *doubt), "note": note}
    return Verdict(label="not judged", assessed=assessed, **(given | changed))


CITATION = "citation"
"""The flag of a statement that is supported, but not by the evidence that it cites."""

DISPUTED = "disputed"
"""The flag of a statement that its citation supports and another retrieved passage contradicts."""


async def judge_citations(sentences: Sequence[Sentence], critic: Critic, run: Run) -> list[Judgement]:
    """The critic's judgements of statements against their own citations alone."""
    claims = [Claim(s.text, evidence_views(cited_evidence(s, run), run)) for s in sentences]
    found = await critic.judge(claims) if claims else []
    return [sound(claim, judgement) for claim, judgement in zip(claims, found, strict=True)]


def asks_about_citation(found: Judgement, sentence: Sentence, critic: Critic, context: Context, run: Run) -> bool:
    """Whether a statement must be judged against its citations too.

    Args:
        found: the judgement against the context; its `best` is a premise of the context.
        context: the premises; none if the statement was compared with its citations in the first place.
    """
    if found.relation == "contradicts":
        asked = bool(sentence.evidence) and has_last_word(critic.name, run.settings.verify)
    else:
        asked = found.relation == "entails"
    return asked and not context.cites(found.best, sentence, run)


def by_citation(checked: Checked, of_citation: Checked) -> Checked:
    """A statement checked against the context, corrected for its own citations.

    If the cited quotes entail it, they are the ones to show, whatever another passage says. If only another passage, or
    another sentence of the passage, entails it, the citation is wrong and the statement is `partly` supported.
    """
    found, cited = checked.judgement, of_citation.judgement
    if found is None or cited is None:
        return checked
    if found.relation == "entails":
        return replace(checked, verdict=_supported(checked.verdict, cited))
    if cited.relation != "entails":
        return checked
    if found.relation == "contradicts":
        return replace(of_citation, verdict=_marked(of_citation.verdict, DISPUTED, "another passage contradicts it"))
    return of_citation


def _supported(verdict: Verdict, cited: Judgement) -> Verdict:
    if cited.relation == "entails":
        flags = tuple(dict.fromkeys([*verdict.flags, *cited.flags]))
        label = "partly" if flags and verdict.label == "supported" else verdict.label
        return verdict.model_copy(update={"best": cited.best, "flags": flags, "label": label})
    if cited.relation == "failed":
        return _marked(verdict, CITATION, f"whether the evidence cited supports it was not checked: {cited.note}")
    return _marked(verdict, CITATION, "the retrieved passages support it, but the evidence cited does not")


def _marked(verdict: Verdict, flag: str, note: str) -> Verdict:
    """The verdict with a flag and a note; `supported` becomes `partly`."""
    label = "partly" if verdict.label == "supported" else verdict.label
    notes = f"{verdict.note}; {note}" if verdict.note else note
    return verdict.model_copy(update={"label": label, "flags": (*verdict.flags, flag), "note": notes})
