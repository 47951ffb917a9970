"""Statements that were judged against a whole context are judged against their own citations too.

A judge that reads several passages names one of them, and which one is often a matter of chance. So its choice decides
neither what is quoted nor whether the citation is right: the citation is asked about by itself, whoever judges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from medground.answer import Verdict
from medground.read.extract import evidence_views
from medground.run import Run
from medground.sentence import Sentence
from medground.verify.checked import Checked
from medground.verify.context import Context, cited_evidence
from medground.verify.critics.base import Claim, Critic, Judgement, sound
from medground.verify.last_word import has_last_word

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
        sentence: the statement.
        critic: who judged.
        context: the premises; none if the statement was compared with its citations in the first place.
        run: the run, with its ledger.
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

    Args:
        checked: against the context.
        of_citation: against the citations alone.
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
    """The verdict of a statement that the context supports."""
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
