"""Medground answers biomedical questions from the literature and proves every sentence.

from medground import ask
print(ask("Is ectopia lentis a feature of Marfan syndrome?").rationale)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from medground.version import __version__

if TYPE_CHECKING:
    from medground import errors
    from medground.engine.blocking import BlockingEngine, ask, ask_again, resume
    from medground.engine.engine import Engine
    from medground.home.settings import Settings
    from medground.values.answer import Answer
    from medground.values.question import Question

__all__ = [
    "Answer",
    "BlockingEngine",
    "Engine",
    "Question",
    "Settings",
    "__version__",
    "ask",
    "ask_again",
    "errors",
    "resume",
]

_PLACES = {
    "Answer": "medground.values.answer",
    "BlockingEngine": "medground.engine.blocking",
    "Engine": "medground.engine.engine",
    "Question": "medground.values.question",
    "Settings": "medground.home.settings",
    "ask": "medground.engine.blocking",
    "ask_again": "medground.engine.blocking",
    "resume": "medground.engine.blocking",
}


def __getattr__(name: str) -> Any:
    # Loaded on first use: `import medground` and `medground --help` stay fast.
    if name == "errors":
        return import_module("medground.errors")
    if name in _PLACES:
        return getattr(import_module(_PLACES[name]), name)
    raise AttributeError(f"module 'medground' has no attribute {name!r}")
