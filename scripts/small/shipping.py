"""The file of a trained model: what differs from its base, in float16, with how to use it in the metadata."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file

from small.bases import BASES, weights_of
from small.network import CrossEncoder, Low


def write(path: Path, network: CrossEncoder, about: Mapping[str, str]) -> None:
    """Write a model, atomically.

    For each changed matrix W of the base: `W.A` and `W.B`, and W becomes W + B A; the head as `head.N.weight` and
    `head.N.bias`: linear, GELU, linear over the first token and the mean. `about` is the metadata.
    """
    tensors = {name: t for low in network.modules() if isinstance(low, Low) for name, t in low.differences().items()}
    tensors |= {f"head.{name}": t for name, t in network.head.state_dict().items()}
    kept = {name: t.detach().cpu().to(torch.float16).contiguous() for name, t in tensors.items()}
    fresh = path.with_name(f".{path.name}")
    save_file(kept, fresh, {"base": network.base.name, **about})
    fresh.chmod(0o644)
    fresh.replace(path)


def go_on(network: CrossEncoder, path: Path) -> None:
    """Put a model's differences and head into a network of the same shape, to train on from it.

    Raises:
        KeyError: the file lacks a difference of the network.
    """
    tensors = {name: tensor.float() for name, tensor in load_file(path).items()}
    with torch.no_grad():
        for low in network.modules():
            if isinstance(low, Low) and low.rank:
                low.down.copy_(torch.cat([tensors[f"{name}.weight.A"] for name in low.names]))
                for up, name in zip(low.up, low.names, strict=True):
                    up.copy_(tensors[f"{name}.weight.B"])
    network.head.load_state_dict({n: tensors[f"head.{n}"] for n in network.head.state_dict()})


def metadata(path: Path) -> dict[str, str]:
    """The metadata of a model."""
    with safe_open(path, "pt") as file:
        return dict(file.metadata())


def read(path: Path, folder: Path) -> CrossEncoder:
    """A model joined with its base's checkpoint in `folder`; its differences are added to the weights."""
    weights, differences = weights_of(folder), load_file(path)
    for name in [n.removesuffix(".A") for n in differences if n.endswith(".A")]:
        weights[name] = weights[name] + differences[f"{name}.B"].float() @ differences[f"{name}.A"].float()
    head = {n.removeprefix("head."): t.float() for n, t in differences.items() if n.startswith("head.")}
    network = CrossEncoder(BASES[metadata(path)["base"]], weights, len(head["2.bias"]), 0, hidden=len(head["0.bias"]))
    network.head.load_state_dict(head)
    return network
