"""A network that reads two texts: the file of differences from a public checkpoint that ships, and running it.

Each pair is computed alone, so its result never depends on its company.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, PositiveFloat
from safetensors.numpy import load
from tokenizers import Encoding, Tokenizer

from medground.corpus.manifest import hash_file
from medground.errors import ConfigError, ModelFailed, first_line
from medground.models.catalogue import CONFIG, GRAPH, HEAD, MADE, TOKENIZER
from medground.models.padding import softmax
from medground.models.pair_reader import PairReader
from medground.models.sessions import ONNX_ERRORS, open_session
from medground.values.document import Proportion

Tensors = dict[str, NDArray[np.float32]]


class About(BaseModel):
    """What a network is, beside its numbers.

    Attributes:
        base: the public checkpoint, such as `all-mpnet-base-v2`.
        labels: its outputs, in order.
        max_length: most tokens of a pair.
        temperature: logits are divided by it, so that their softmax is calibrated.
        order: the premise (a passage) comes before the hypothesis (a statement).
        abstain_below: a probability below this decides nothing.
        trained_on: one line about the data.
        version: of the weights.
    """

    model_config = ConfigDict(frozen=True)

    base: str
    kind: Literal["critic"]
    labels: tuple[str, ...]
    max_length: int = Field(ge=8, le=512)
    temperature: PositiveFloat = Field(allow_inf_nan=False)
    order: Literal["premise,hypothesis"]
    abstain_below: Proportion
    trained_on: str
    version: str


@dataclass(frozen=True)
class Differences:
    """A trained network as its difference from a checkpoint: low-rank changes, and a head."""

    about: About
    tensors: Tensors


def read(content: bytes) -> Differences:
    """The differences in the bytes of a file whose hash has been checked (`Shipped.content`)."""
    size = int.from_bytes(content[:8], "little")
    given = json.loads(content[8 : 8 + size])["__metadata__"]
    about = About.model_validate({**given, "labels": json.loads(given["labels"])})
    return Differences(about, {key: value.astype(np.float32) for key, value in load(content).items()})


def joined(base: Mapping[str, NDArray[Any]], differences: Differences) -> Tensors:
    """The weights of the trained network, calibrated: the temperature is part of the head.

    Products are summed in float64, so that the result is the same on every machine. `NAME.A` and `NAME.B` are the
    factors of a change of the weight `NAME`, `NAME.S` evens out its inputs, and other names replace a weight.
    """
    found: Tensors = {key: np.asarray(value, np.float32) for key, value in base.items() if value.dtype.kind == "f"}
    given = differences.tensors
    for key, value in given.items():
        name = key[:-2]
        if key.endswith(".A"):
            change = given[f"{name}.B"].astype(np.float64) @ value.astype(np.float64)
            found[name] = np.asarray(found[name] + change, np.float32)
        elif not key.endswith(".B"):
            found[key] = value
    for part in ("weight", "bias"):
        found[f"{HEAD[1]}.{part}"] = found[f"{HEAD[1]}.{part}"] / np.float32(differences.about.temperature)
    return found


Pair = tuple[str, str]
"""A premise (a passage) and a hypothesis (a statement)."""


class PairNetwork(PairReader):
    """A network with its tokenizer. Thread-safe.

    Attributes:
        name: as in the settings.
        about: labels, lengths, thresholds.
        identity: hash of the graph.
    """

    def __init__(self, name: str, about: About, identity: str, session: Any, tokenizer: Tokenizer) -> None:
        super().__init__(name, tokenizer, about.max_length)
        self.about, self.identity = about, identity
        self._session = session
        self._special = tokenizer.num_special_tokens_to_add(is_pair=True)

    @classmethod
    def open(cls, name: str, folder: Path) -> Self:
        """Load a network from its folder, and check that it is still the graph that was made.

        Raises ConfigError: a file is missing or damaged.
        """
        remedy = f"run: medground models remove {name} && medground models fetch {name}"
        try:
            about = json.loads((folder / CONFIG).read_bytes())["about"]
            made = json.loads((folder / MADE).read_bytes())
            digest = hash_file(folder / GRAPH)
            tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
            if digest != made["graph"]:
                raise ConfigError(f"{folder / GRAPH} was changed since it was made; {remedy}")
            session = open_session(folder / GRAPH)
            return cls(name, About.model_validate(about), digest, session, tokenizer)
        except ConfigError:
            raise
        except Exception as error:  # noqa: BLE001  # tokenizers and onnxruntime raise nothing narrower
            raise ConfigError(f"cannot load {name} from {folder} ({first_line(error)}); {remedy}") from None

    def probabilities(self, pairs: Sequence[Pair], stopped: Callable[[], bool] = lambda: False) -> NDArray[np.float64]:
        """Calibrated probabilities, shape (pairs, labels).

        A premise that is too long is cut at the end; callers choose the sentences that matter. Rows are NaN where the
        network gave numbers that are not finite, or once `stopped` is true, which is asked before each pair.

        Raises ModelFailed: the network could not run.
        """
        rows = np.full((len(pairs), len(self.about.labels)), np.nan)
        for row, pair in enumerate(pairs):
            if stopped():
                break
            rows[row] = self._logits(pair)
        return softmax(rows)

    def _logits(self, pair: Pair) -> NDArray[np.float64]:
        encoding = self._encoded(*pair)
        rows = {"input_ids": encoding.ids, "attention_mask": encoding.attention_mask}
        try:
            found = self._session.run(["logits"], {name: np.array([row], np.int64) for name, row in rows.items()})[0][0]
        except ONNX_ERRORS as error:
            raise ModelFailed(f"onnxruntime: {first_line(error)}", model=self.name) from None
        return np.asarray(found, np.float64)

    def _encoded(self, premise: str, hypothesis: str) -> Encoding:
        said, read = self._tokenizer.encode_batch([hypothesis, premise], add_special_tokens=False)
        said.truncate(max(self.about.max_length - self._special - 1, 1))
        read.truncate(max(self.about.max_length - self._special - len(said.ids), 1))
        return self._tokenizer.post_process(read, said)


@lru_cache(maxsize=4)
def open_network(name: str, folder: Path) -> PairNetwork:
    """`PairNetwork.open`, once for each folder."""
    return PairNetwork.open(name, folder)
