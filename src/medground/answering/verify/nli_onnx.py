"""NLI models in onnxruntime, without torch: a folder with `model.onnx`, `tokenizer.json` and `config.json` (extra
`dense`), as `optimum-cli export onnx` and many hubs provide it."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Tokenizer

from medground.answering.verify.nli_model import LONGEST, Integers, NliModel
from medground.errors import ConfigError, ModelFailed, first_line
from medground.models.sessions import CPU, ONNX_ERRORS, open_session

_PROVIDERS = ("CUDAExecutionProvider", CPU)
_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_TYPES = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}


class OnnxNetwork:
    """An ONNX graph with the inputs of a transformers model, for any number of pairs and tokens.

    Raises ConfigError: the graph cannot be read, or has different inputs.
    """

    def __init__(self, name: str, graph: Path) -> None:
        self._name = name
        available = onnxruntime.get_available_providers()
        try:
            self._session = open_session(graph, None, [one for one in _PROVIDERS if one in available])
        except ONNX_ERRORS as error:
            raise ConfigError(f"cannot load the NLI model {name!r}: {first_line(error)}") from None
        self._inputs = {given.name: _TYPES.get(given.type) for given in self._session.get_inputs()}
        if "input_ids" not in self._inputs or not set(self._inputs) <= set(_INPUTS) or None in self._inputs.values():
            raise ConfigError(
                f"NLI model {name!r} has inputs {', '.join(self._inputs)}; it needs {', '.join(_INPUTS)} as integers"
            )
        outputs = [output.name for output in self._session.get_outputs()]
        self._output = "logits" if "logits" in outputs else outputs[0]

    def __call__(self, ids: Integers, mask: Integers, types: Integers) -> NDArray[np.float32]:
        """Logits of shape (pairs, labels).

        Raises ModelFailed: out of memory, or the graph was made for other shapes.
        """
        arrays = dict(zip(_INPUTS, (ids, mask, types), strict=True))
        given = {key: arrays[key].astype(kind) for key, kind in self._inputs.items()}
        try:
            found: NDArray[np.float32] = self._session.run([self._output], given)[0]
        except ONNX_ERRORS as error:
            raise ModelFailed(f"onnxruntime: {first_line(error)}", model=self._name) from None
        return found


def open_onnx(name: str, graph: Path) -> NliModel:
    """Load a model from the folder of its graph.

    Raises ConfigError: a file is missing or damaged, or the labels do not fit.
    """
    folder = graph.parent
    config = _read_json(name, folder / "config.json")
    limits = folder / "tokenizer_config.json"
    longest = _read_json(name, limits).get("model_max_length") if limits.is_file() else None
    path = folder / "tokenizer.json"
    if not path.is_file():
        raise ConfigError(f"NLI model {name!r} has no {path}; put it next to {graph.name}")
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # noqa: BLE001  # tokenizers raises nothing narrower
        raise ConfigError(f"NLI model {name!r}: cannot read {path}: {first_line(error)}") from None
    return NliModel(name, config, tokenizer, OnnxNetwork(name, graph), longest or LONGEST)


def _read_json(name: str, path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise ConfigError(f"NLI model {name!r}: cannot read {path}: {first_line(error)}") from None
    if not isinstance(content, dict):
        raise ConfigError(f"NLI model {name!r}: {path} is not a JSON object")
    return content
