"""The libraries of the extra `train`, imported late, and their warnings about each other."""

from __future__ import annotations

import contextlib
import importlib
import os
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from medground.errors import ConfigError

_PACKAGES = ("torch", "transformers", "peft", "trl", "datasets", "accelerate")
_OURS_TO_THEM = r"(transformers|peft|trl|accelerate|datasets|torch)\b"


@dataclass(frozen=True)
class Libraries:
    """The modules by name."""

    torch: Any
    transformers: Any
    peft: Any
    trl: Any
    datasets: Any


def libraries() -> Libraries:
    """Import the libraries of the extra `train`. Nothing is sent anywhere by importing or using them.

    Raises:
        ConfigError: one of them is missing.
    """
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    found: dict[str, Any] = {}
    with quiet():
        for name in _PACKAGES:
            try:
                found[name] = importlib.import_module(name)
            except ImportError as error:
                raise ConfigError(
                    f'training a planner needs the extra "train" ({error.name or name} is missing); '
                    'run: pip install "medground[train]"'
                ) from None
        found["transformers"].utils.logging.set_verbosity_error()
        found["transformers"].utils.logging.disable_progress_bar()
        found["datasets"].disable_progress_bars()
    del found["accelerate"]
    return Libraries(**found)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Ignore what these libraries say of one another's deprecated names: a user can do nothing about it.

    Warnings that our own calls cause are not ignored, and nothing else is.
    """
    with warnings.catch_warnings():
        for category in (FutureWarning, DeprecationWarning, PendingDeprecationWarning):
            warnings.filterwarnings("ignore", category=category, module=_OURS_TO_THEM)
        yield


def device(torch: Any) -> tuple[str, str]:
    """Where training runs, `cuda` or `cpu`, and a line that says so."""
    if torch.cuda.is_available():
        name, number = torch.cuda.get_device_name(0), torch.cuda.device_count()
        return "cuda", f"device: {number} x {name}, bfloat16" if number > 1 else f"device: {name}, bfloat16"
    return "cpu", f"device: CPU, {torch.get_num_threads()} threads, float32; no GPU was found, so this is slow"
