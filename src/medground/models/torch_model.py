"""Load a model of transformers from a folder or a hub (extra `torch`), and hash what was loaded."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import torch
import transformers
from safetensors import SafetensorError

from medground.errors import ConfigError
from medground.models.hub import is_away


def load_model(name: str, task: str, what: str) -> tuple[Any, Any]:
    """A model, ready to be asked, and its tokenizer.

    Args:
        name: a folder, or a name on a hub that this machine can reach.
        task: the class that loads it, such as `AutoModel`.
        what: what the model is in an error, such as `the reranker`.

    Raises:
        ConfigError: the model does not exist or cannot be read.
    """
    logs: Any = transformers.utils.logging  # it has types only where it is installed
    logs.disable_progress_bar()
    try:
        local = is_away(name)
        tokenizer = transformers.AutoTokenizer.from_pretrained(name, local_files_only=local)
        loader = getattr(transformers, task)
        model, told = loader.from_pretrained(name, local_files_only=local, output_loading_info=True)
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
        reason = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise ConfigError(f"cannot load {what} {name!r}: {reason[:200]}") from None
    # What the files lack would be random numbers. A pooler is not asked.
    if lacking := sorted(key for key in told["missing_keys"] if not key.startswith("pooler.")):
        raise ConfigError(f"cannot load {what} {name!r}: its weights lack {lacking[0]}; use another model")
    return model.to("cuda" if torch.cuda.is_available() else "cpu").eval(), tokenizer


def longest(model: Any, tokenizer: Any, wanted: int = 1 << 20) -> int:
    """How many tokens the model can read, at most `wanted`."""
    return min(wanted, int(tokenizer.model_max_length), int(model.config.max_position_embeddings))


def weights_hash(models: Iterable[Any]) -> str:
    """SHA-256 (16 hex digits) of the names, types and values of all weights of these models, in their order."""
    digest = hashlib.sha256()
    for model in models:
        for name, tensor in sorted(model.state_dict().items()):
            value = tensor.detach().cpu().contiguous()
            digest.update(f"{name}{tuple(value.shape)}{value.dtype}".encode())
            digest.update(value.view(torch.uint8).numpy().tobytes() if value.dim() else value.numpy().tobytes())
    return digest.hexdigest()[:16]
