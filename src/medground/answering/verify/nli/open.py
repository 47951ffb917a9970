"""Open an NLI model by its name in the settings. Heavy libraries are imported only when a model is opened."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from medground.errors import ConfigError

if TYPE_CHECKING:
    from medground.answering.verify.nli.model import NliModel

GRAPH = "model.onnx"
"""A folder with this file is opened with onnxruntime."""


@lru_cache(maxsize=2)
def open_nli(name: str) -> NliModel:
    """Load an NLI model and cache it. This blocks and may download from a hub.

    Args:
        name: a folder with `model.onnx`, a folder that transformers can load, or a name on a hub.

    Raises:
        ConfigError: an extra is not installed, no model has that name, or it is not an NLI model.
    """
    folder = Path(os.path.expanduser(name))  # noqa: PTH111  # Path.expanduser raises for an unknown user
    if (folder / GRAPH).is_file():
        try:
            from medground.answering.verify.nli.with_onnx import open_onnx
        except ImportError as error:
            raise _missing(name, "dense", error) from None
        return open_onnx(name, folder)
    if not folder.is_dir() and _is_path(name):
        raise ConfigError(f"no folder {name!r} with an NLI model; check verify.critic")
    try:
        from medground.answering.verify.nli.with_torch import open_torch
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
