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
    from medground.answer import Answer
    from medground.blocking import BlockingEngine, ask, ask_again, resume
    from medground.engine import Engine
    from medground.question import Question
    from medground.settings import Settings

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
    "Answer": "medground.answer",
    "BlockingEngine": "medground.blocking",
    "Engine": "medground.engine",
    "Question": "medground.question",
    "Settings": "medground.settings",
    "ask": "medground.blocking",
    "ask_again": "medground.blocking",
    "resume": "medground.blocking",
}


def __getattr__(name: str) -> Any:
    # Loaded on first use: `import medground` and `medground --help` stay fast.
    if name == "errors":
        return import_module("medground.errors")
    if name in _PLACES:
        return getattr(import_module(_PLACES[name]), name)
    raise AttributeError(f"module 'medground' has no attribute {name!r}")
