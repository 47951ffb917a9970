"""NLI models in torch: any sequence-classification model of transformers, by folder or hub name (extra `torch`)."""

from __future__ import annotations

import inspect
import pickle
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from tokenizers import Tokenizer
from transformers import AutoConfig, AutoModelForSequenceClassification, AutoTokenizer

from medground.answering.verify.nli_model import Integers, NliModel, read_labels
from medground.errors import ConfigError, ModelFailed, first_line
from medground.models.embedders import is_away

_UNLOADABLE = (OSError, ValueError, KeyError, RuntimeError, ImportError, EOFError, SafetensorError, pickle.PickleError)
"""What transformers raises if a model cannot be found, is damaged, or needs a package that is missing."""


class TorchNetwork:
    """A transformers model in float32, on the GPU if available, else on the CPU."""

    def __init__(self, name: str, model: Any) -> None:
        self._name = name
        self._device = _device()
        self._model = model.float().eval().to(self._device)
        self._takes_types = "token_type_ids" in inspect.signature(model.forward).parameters

    def __call__(self, ids: Integers, mask: Integers, types: Integers) -> NDArray[np.float32]:
        """Logits of shape (pairs, labels).

        Raises ModelFailed: out of memory, or a token that the model does not know.
        """
        arrays = {"input_ids": ids, "attention_mask": mask} | ({"token_type_ids": types} if self._takes_types else {})
        try:
            with torch.inference_mode():
                tensors = {key: torch.from_numpy(array).to(self._device) for key, array in arrays.items()}
                found: NDArray[np.float32] = self._model(**tensors).logits.float().cpu().numpy()
        except (RuntimeError, IndexError, ValueError, TypeError) as error:
            raise ModelFailed(f"torch: {first_line(error)}", model=self._name) from None
        return found


def open_torch(name: str) -> NliModel:
    """Load a model; it is downloaded from a hub if it is not on this machine yet.

    Raises ConfigError: the model cannot be found or read, was not trained to classify, or its labels do not fit.
    """
    try:
        # Never run code that comes with a model, and never ask whether to.
        how: dict[str, Any] = {"trust_remote_code": False, "local_files_only": is_away(name)}
        config = AutoConfig.from_pretrained(name, **how)
        read_labels(name, config.id2label)  # before gigabytes of weights are downloaded
        reader = AutoTokenizer.from_pretrained(name, **how)
        model, about = AutoModelForSequenceClassification.from_pretrained(
            name, config=config, output_loading_info=True, **how
        )
    except _UNLOADABLE as error:
        raise ConfigError(f"cannot load the NLI model {name!r}: {first_line(error)}") from None
    if missing := sorted(about["missing_keys"]):
        raise ConfigError(f"NLI model {name!r} was not trained to classify: its weights lack {missing[0]}")
    if not reader.is_fast:
        raise ConfigError(f"NLI model {name!r} has no fast tokenizer (tokenizer.json)")
    tokenizer = Tokenizer.from_str(reader.backend_tokenizer.to_str())
    about_model = {**config.to_dict(), "id2label": config.id2label}
    return NliModel(name, about_model, tokenizer, TorchNetwork(name, model), reader.model_max_length)


def _device() -> str:
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"
