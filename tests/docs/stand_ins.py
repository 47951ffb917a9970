"""What the lines of the documentation reach outside of this machine, replaced at its last door.

A hosted or local model answers as `keyless` does, under its own name; an NLI model finds every pair neutral; a model
from the package index is fetched at once, and MiniLM counts words. Connections to other machines fail. The linear
model of an audit learns for a few steps, and of many questions the first are asked.
"""

import socket
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import medground.answering.verify.critics as critics
import medground.models.hosted as hosted
import medground.models.local as local
import medground.models.wheels as wheels
import medground.recipes.reason_and_verify.demonstrations as shots
import medground_evaluate.auditing as audit
from medground.answering.verify.critic import Score
from medground.engine.engine import Engine
from medground.models.base import Keyless

sys.path.append(str(Path(__file__).parents[1] / "kits"))
from small_corpora import WordEmbedder

CONNECT = socket.socket.connect
OPEN_HOSTED = hosted.open_hosted


class Named(Keyless):
    """`keyless` under the name of the model for which it stands in."""

    def __init__(self, name: str) -> None:
        self.name = self.identity = name  # type: ignore[misc]


class Neutral:
    """An NLI model that finds no entailment and no contradiction."""

    name = "stand-in"

    def problem(self, statement: str) -> str | None:
        return None

    def score(self, pairs: Sequence[tuple[str, str]], stopped: Callable[[], bool] = lambda: False) -> list[Score]:
        return [Score(0.1, 0.1) for _ in pairs]


def install() -> None:
    """Put the stand-ins in place."""

    def here_only(self: socket.socket, address: Any) -> None:
        if self.family != socket.AF_UNIX and address[0] not in ("127.0.0.1", "::1", "localhost"):
            raise OSError(f"a line of the documentation reached for {address}")
        CONNECT(self, address)

    def checked(name: str, settings: Any) -> Named:
        OPEN_HOSTED(name, settings)  # its provider, key and address are checked
        return Named(name)

    def fetched(model: Any, folder: Path, **_: Any) -> Path:
        return folder / model.name

    def first(self: Engine, questions: Sequence[str], *, each: Any = Engine.ask_each, **chosen: Any) -> Any:
        return each(self, list(questions)[:20], **chosen)

    audit._STEPS = 5
    Engine.ask_each = first  # type: ignore[method-assign]
    socket.socket.connect = here_only  # type: ignore[method-assign]
    hosted.open_hosted = checked  # type: ignore[assignment]
    local.open_local = lambda name, settings: Named(name)  # type: ignore[assignment,return-value]
    shots.open_embedder = lambda name, home: WordEmbedder("minilm", 384, stems=True)  # type: ignore[assignment]
    critics.open_nli = lambda name: Neutral()  # type: ignore[assignment,return-value]
    wheels.fetch = fetched  # type: ignore[assignment]
