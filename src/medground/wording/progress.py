"""Steps of a run, phases of a build and what each recipe does, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from medground.corpus.manifest import Manifest
from medground.language.clean import clean, some
from medground.values.steps import (
    Asking,
    Judging,
    Kept,
    PlanningResearch,
    PlanningSources,
    PlanRated,
    PlanRound,
    QueryChosen,
    ReadingBatch,
    ResearchBegun,
    ResearchPlanned,
    RewriteTrigger,
    RoundBegun,
    Searched,
    Searching,
    SourcesPlanned,
    Step,
    SubQuestionBegun,
    SubQuestionDone,
    WritingReport,
)
from medground.values.usage import Author


def in_words(step: Step) -> str:
    """A step in a few words without a full stop; empty for a step that readers need not see."""
    match step:
        case Searching():
            return f"searching {clean(step.source)}"
        case Searched(status="failed"):
            return f"{clean(step.source)} could not be searched"
        case Searched():
            return f"found {some(step.found, 'result') if step.found else 'nothing'} in {clean(step.source)}"
        case ReadingBatch():
            return f"reading batch {step.number} of {step.of}"
        case Judging():
            return f"judging statement {min(step.done + 1, step.of)} of {step.of}"
        case RoundBegun():
            return f"round {step.number} of at most {step.of}"
        case PlanRound():
            return f"plan {step.number} of at most {step.of}"
        case PlanRated(score=int()):
            return f"plan {step.number} got {step.score} of 5 points"
        case QueryChosen():
            return "the query is chosen"
        case PlanningSources():
            return "planning what to ask each source"
        case SourcesPlanned():
            return f"planned {some(step.queries, 'query', 'queries')}" if step.queries else "planned to search nothing"
        case PlanningResearch():
            return "splitting the question"
        case ResearchPlanned():
            return f"planned {some(step.subquestions, 'sub-question')}"
        case RewriteTrigger(rewrite=True):
            return "too little was found; rewriting the question"
        case Asking():
            return f"waiting for {clean(step.model)} ({step.operator})" if Author(step.model).is_model else ""
        case ResearchBegun(resumed=True):
            return f"research {step.id} goes on"
        case SubQuestionBegun():
            return f"{step.id}: searching {', '.join(step.tools)}"
        case SubQuestionDone():
            failed = f"; {', '.join(step.failed)} could not be searched" if step.failed else ""
            return f"{step.id}: {some(step.kept, 'result')} kept{failed}"
        case WritingReport():
            return f"writing the report on {some(step.subquestions, 'sub-question')}"
        case Kept(stopped=str()):
            return f"stopped; what was found is kept as {step.trace_id}"
        case _:
            return ""


_PHASES = {
    "read": "reading documents",
    "join": "joining documents with their records",
    "index": "indexing passages",
    "embed": "computing vectors",
    "index vectors": "indexing vectors",
    "finish": "finishing",
}
_NAMED = 3


def phase(step: str) -> str:
    """A step of a build, such as `read`, as people read it."""
    if step in _PHASES:
        return _PHASES[step]
    verb, _, what = step.partition(" ")
    return f"{verb}ing {what}" if verb in ("read", "join", "index") else step


def built(manifest: Manifest, passed_over: Sequence[str]) -> str:
    """What a finished build made, with the first files that were passed over."""
    counts = manifest.counts
    said = f"{manifest.name}: {_many(counts.documents, 'document')}, {_many(counts.passages, 'passage')}"
    if not passed_over:
        return said
    names = ", ".join(passed_over[:_NAMED])
    more = f" and {len(passed_over) - _NAMED:,} more" if len(passed_over) > _NAMED else ""
    return f"{said}; {_many(len(passed_over), 'file')} passed over: {names}{more}"


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


ABOUT: Mapping[str, str] = {
    "biomedsearch": "Splits the question, searches literature, protein records and the web for each part, and writes a "
    "report.",
    "ground": "Answers from stored facts first, then from passages that are read in batches; each sentence is checked.",
    "model-only": "A model answers from memory, without evidence. A baseline.",
    "omni-rag": "Plans queries for each kind of source, searches them all, and answers from a fair share of each.",
    "pubmed-reasoner": "Writes a PubMed query, criticises and refines it before reading, then reads in batches.",
    "rag": "Searches once and answers. A baseline.",
    "reason-and-verify": "Searches by words, reranks, writes a cited rationale and labels each of its statements.",
    "self-medrag": "Answers, checks its statements, and searches again for those that lack support.",
    "self-reflection": "A model answers several times and reviews itself. A baseline.",
}
"""Name of a recipe to what it does."""
