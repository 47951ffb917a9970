"""The file that ships a trained network: low-rank differences from a public checkpoint, and a head (safetensors).

For each changed matrix `NAME` there are `NAME.A` (rank, in) and `NAME.B` (out, rank): the trained one is `W + B @ A`.
Changed vectors are there whole under their own name; so is the head. `NAME.S` (in,) evens out a product before it is
rounded to int8: inputs are divided by it and weights multiplied, which changes no product. Tensors are float16. The
metadata are those of `About`, as text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from safetensors import SafetensorError
from safetensors.numpy import load

from medground.errors import ConfigError
from medground.models.pairs.graph import HEAD

Tensors = dict[str, NDArray[np.float32]]

_HEAD = {f"{name}.{part}" for name in HEAD for part in ("weight", "bias")}


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
    temperature: float = Field(gt=0, allow_inf_nan=False)
    order: Literal["premise,hypothesis"]
    abstain_below: float = Field(ge=0, le=1)
    trained_on: str
    version: str


@dataclass(frozen=True)
class Differences:
    """A trained network as its difference from a checkpoint."""

    about: About
    tensors: Tensors


def read(content: bytes, name: str) -> Differences:
    """Read the bytes of such a file; `name` is for messages.

    Raises:
        ConfigError: it is damaged, a metadata entry is missing or wrong, or the head does not fit the labels.
    """
    try:
        tensors = {key: value.astype(np.float32) for key, value in load(content).items()}
    except (SafetensorError, ValueError, KeyError, TypeError) as error:
        raise _damaged(name, str(error).splitlines()[0]) from None
    about = _about(content, name)
    if missing := sorted(_HEAD - tensors.keys()):
        raise _damaged(name, f"it lacks {missing[0]}")
    if not all(np.isfinite(value).all() for value in tensors.values()):
        raise _damaged(name, "it has numbers that are not finite")
    if len(tensors[f"{HEAD[1]}.bias"]) != len(about.labels):
        raise _damaged(name, f"it has {len(tensors[f'{HEAD[1]}.bias'])} outputs and {len(about.labels)} labels")
    return Differences(about, tensors)


def joined(base: Mapping[str, NDArray[Any]], differences: Differences, name: str) -> Tensors:
    """The weights of the trained network, calibrated: the temperature is part of the head.

    Products are summed in float64, so that the result is the same on every machine.

    Raises:
        ConfigError: a difference does not fit the checkpoint.
    """
    found: Tensors = {key: np.asarray(value, np.float32) for key, value in base.items() if value.dtype.kind == "f"}
    for key, value in differences.tensors.items():
        if key in _HEAD:
            found[key] = value
        elif key.endswith(".A"):
            weight = key.removesuffix(".A")
            found[weight] = _moved(found.get(weight), value, differences.tensors.get(f"{weight}.B"), weight, name)
        elif key.endswith(".S"):
            found[key] = _evening(found.get(key.removesuffix(".S")), value, key, name)
        elif not key.endswith(".B"):
            if key not in found or found[key].shape != value.shape:
                raise _misfit(name, key)
            found[key] = value
        elif f"{key.removesuffix('.B')}.A" not in differences.tensors:
            raise _misfit(name, key)
    for part in ("weight", "bias"):
        found[f"{HEAD[1]}.{part}"] = found[f"{HEAD[1]}.{part}"] / np.float32(differences.about.temperature)
    return found


def _moved(
    weight: NDArray[np.float32] | None,
    down: NDArray[np.float32],
    up: NDArray[np.float32] | None,
    key: str,
    name: str,
) -> NDArray[np.float32]:
    if weight is None or up is None or (up.shape[0], down.shape[1]) != weight.shape or up.shape[1] != down.shape[0]:
        raise _misfit(name, key)
    return np.asarray(weight + up.astype(np.float64) @ down.astype(np.float64), np.float32)


def _evening(
    weight: NDArray[np.float32] | None, value: NDArray[np.float32], key: str, name: str
) -> NDArray[np.float32]:
    if weight is None or weight.ndim != 2 or value.shape != weight.shape[1:] or not (value > 0).all():
        raise _misfit(name, key)
    return value


def _about(content: bytes, name: str) -> About:
    size = int.from_bytes(content[:8], "little")
    given = json.loads(content[8 : 8 + size]).get("__metadata__") or {}
    try:
        return About.model_validate({**given, "labels": json.loads(given.get("labels", "null"))})
    except ValidationError as error:
        first = error.errors()[0]
        what = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    except ValueError as error:
        what = f"labels: {error}"
    raise _damaged(name, f"its metadata are wrong ({what})")


def _damaged(name: str, what: str) -> ConfigError:
    return ConfigError(f"the weights of {name} are damaged: {what[:200]}; reinstall medground")


def _misfit(name: str, key: str) -> ConfigError:
    return ConfigError(f"the weights of {name} do not fit their base: {key[:100]}; reinstall medground")
