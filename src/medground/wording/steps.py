"""Steps of a run in words, the same in every face."""

from __future__ import annotations

from medground.author import Author
from medground.steps import (
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
from medground.text.clean import clean
from medground.text.english import some


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
