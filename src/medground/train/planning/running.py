"""The run of a training question: it may ask the operators of exploring, judging and reading, and keeps no trace."""

from __future__ import annotations

import time
from typing import Any

from medground.engine import Engine
from medground.operators.answering import recall
from medground.operators.base import Operator
from medground.operators.exploring import explore, judge_found
from medground.operators.reasoning import reason_or_recall
from medground.question import Question
from medground.recipes.declaration import Declaration
from medground.run import Run
from medground.trace import Trace
from medground.train.planning.values import Asked

OPERATORS: tuple[Operator[Any, Any], ...] = (explore, judge_found, recall, reason_or_recall)


def run_of(engine: Engine, question: Question) -> Run:
    """A run with the engine's sources and models."""
    declared = Declaration(name="planner-training", operators=OPERATORS, settings=engine.recipe.settings)
    return Run(
        question,
        engine.settings,
        declared,
        engine.sources,
        engine.models,
        trace=Trace("planner", None),
        clock=time.monotonic,
    )


def question_of(asked: Asked) -> Question:
    """The question as it was asked."""
    return Question(text=asked.text, task=asked.task, options=asked.options, context=asked.context)
