"""Ctrl-C during training: the step is finished, a checkpoint is written, and the same call resumes from it."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from medground.train.planning.libraries import Libraries


@dataclass
class Stopping:
    """Whether the user has asked to stop."""

    asked: bool = False


@contextlib.contextmanager
def stop_between_steps(trainer: Any, libs: Libraries) -> Iterator[Stopping]:
    """Let a first Ctrl-C end training after the step, with a checkpoint; a second one interrupts at once."""
    stopping = Stopping()

    class StopCallback(libs.transformers.TrainerCallback):  # type: ignore[misc, name-defined]
        """Saves and ends training once that is asked for."""

        def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> Any:
            if stopping.asked:
                control.should_save = control.should_training_stop = True
            return control

    trainer.add_callback(StopCallback())
    if threading.current_thread() is not threading.main_thread():  # only there can a signal be handled
        yield stopping
        return
    before = signal.getsignal(signal.SIGINT)

    def ask(number: int, frame: Any) -> None:
        if stopping.asked:
            raise KeyboardInterrupt
        stopping.asked = True

    signal.signal(signal.SIGINT, ask)
    try:
        yield stopping
    finally:
        signal.signal(signal.SIGINT, before)
