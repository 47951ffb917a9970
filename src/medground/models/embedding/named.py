"""Embedding models by name. Heavy libraries are imported only when a model is opened."""

from __future__ import annotations

from pathlib import Path

from medground.corpus.embedder import Embedder
from medground.errors import ConfigError
from medground.models.hub import is_medcpt


def open_embedder(name: str, home: Path, *, threads: int | None = None) -> Embedder:
    """Open an embedding model.

    Args:
        name: `minilm` (int8), `minilm-fp32`, `medcpt`, `medcpt:FOLDER`, or a name or folder that sentence-transformers
            loads.
        home: the user's folder.
        threads: threads inside one operation; None leaves the choice to the library.

    Raises:
        ConfigError: the extra is not installed, the model has not been fetched, or no model has this name.
        StorageFailed: there is no space for the model's graph.
    """
    is_minilm = name in ("minilm", "minilm-fp32")
    try:
        if is_minilm:
            from medground.models.embedding.minilm import open_minilm
        else:
            from medground.models.embedding.torch_models import open_medcpt, open_transformer
    except ImportError as error:
        extra = "dense" if is_minilm else "torch"
        raise ConfigError(
            f"embedding model {name!r} needs the extra {extra!r} ({error.name} is missing);"
            f' run: pip install "medground[{extra}]"'
        ) from None
    if is_minilm:
        return open_minilm(home, "int8" if name == "minilm" else "fp32", threads)
    return open_medcpt(name, home, threads) if is_medcpt(name) else open_transformer(name, threads)
