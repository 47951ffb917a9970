"""Medground in a notebook.

    from medground.faces.notebook import ask

    ask("Is ectopia lentis a feature of Marfan syndrome?")

shows the steps while the question is answered, then the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from medground.engine.blocking import BlockingEngine
from medground.faces.joining import joining
from medground.faces.notebook.answer import ShownSteps
from medground.home.settings import Settings
from medground.language.risk.notices import notice_first
from medground.values.answer import Answer
from medground.values.question import Question


def ask(
    question: str | Question,
    *,
    context: str = "",
    corpora: str | Sequence[str] | None = None,
    settings: Settings | None = None,
    **chosen: Any,
) -> Answer:
    """Answer one question and show its steps below the cell. For several questions keep a `BlockingEngine` open.

    Args:
        context: a passage or a patient's case that it is about.
        corpora: names of the corpora to search.
        settings: `Settings.load()` by default.
        chosen: what else `Engine.ask` takes, such as `recipe` or `model`.

    Raises what `Engine.open` and `Engine.ask` raise, and `ConfigError` where IPython is not installed.
    """
    shown = ShownSteps()
    text = question if isinstance(question, str) else question.text
    with (
        notice_first(text, context),
        BlockingEngine(settings, corpora=corpora, progress=shown.progress) as engine,
    ):
        return engine.ask(question, context=context, on_step=shown, **chosen)


def __getattr__(name: str) -> Any:
    """`show_runs` and `ShownRuns`, plots of evaluation runs, which are of the other package."""
    if (point := joining("medground.notebook").get(name)) is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return point.load()
