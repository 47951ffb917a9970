"""An NLI model by the name that settings give it. Nothing heavy is imported before a model is opened."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from medground.errors import ConfigError

if TYPE_CHECKING:
    from medground.verify.critics.nli.model import NliModel

GRAPH = "model.onnx"
"""The file that makes a folder one for onnxruntime."""


@lru_cache(maxsize=2)
def open_nli(name: str) -> NliModel:
    """Load an NLI model; the second time it is there already. It blocks, and may fetch from a hub.

    Args:
        name: a folder with `model.onnx`, a folder that transformers loads, or a name on a hub.

    Raises:
        ConfigError: an extra is not installed, nothing has that name, or the model is of another kind.
    """
    folder = Path(os.path.expanduser(name))  # noqa: PTH111  # Path's own raises for a user that is nowhere
    if (folder / GRAPH).is_file():
        try:
            from medground.verify.critics.nli.with_onnx import open_onnx
        except ImportError as error:
            raise _missing(name, "dense", error) from None
        return open_onnx(name, folder)
    if not folder.is_dir() and _is_path(name):
        raise ConfigError(f"there is no folder {name!r} with an NLI model")
    try:
        from medground.verify.critics.nli.with_torch import open_torch
    except ImportError as error:
        raise _missing(name, "torch", error) from None
    return open_torch(str(folder) if folder.is_dir() else name)


def _is_path(name: str) -> bool:
    """Names on a hub are `owner/model` or `model`."""
    return name.startswith((".", "~", os.sep)) or os.path.isabs(name)  # noqa: PTH117


def _missing(name: str, extra: str, error: ImportError) -> ConfigError:
    return ConfigError(
        f'NLI model {name!r} needs the extra "{extra}" ({error.name} is missing); run: pip install "medground[{extra}]"'
    )
