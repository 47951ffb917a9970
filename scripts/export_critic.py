"""Export a trained critic to ONNX in int8: `python scripts/export_critic.py WORK/last.safetensors OUT.onnx`.

Inputs `ids`, `kinds` and `mask`, int64 of shape (pairs, tokens); output `logits`, float32 of shape (pairs, 3): entails,
contradicts, neutral. Matrix products are in int8, as in corpus/embedding/minilm.py, and so are word vectors.
"""

from __future__ import annotations

import argparse
import tempfile
import warnings
from pathlib import Path

import onnx
import torch
from cross_encoder import CrossEncoder
from onnxruntime.quantization import QuantType, quantize_dynamic
from pairing.tokens import model_folder
from safetensors.torch import load_file

NAMES = ("ids", "kinds", "mask")


def export(weights: Path, out: Path) -> None:
    """Write the graph."""
    model = CrossEncoder(model_folder())
    model.load_state_dict(load_file(weights))
    model.eval()
    example = tuple(torch.ones((2, 9), dtype=torch.long) for _ in NAMES)
    with tempfile.TemporaryDirectory() as scratch, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # from torch, about its next exporter
        exact = Path(scratch) / "exact.onnx"
        torch.onnx.export(
            model,
            example,
            str(exact),
            input_names=list(NAMES),
            output_names=["logits"],
            dynamic_axes={name: {0: "pairs", 1: "tokens"} for name in NAMES} | {"logits": {0: "pairs"}},
            opset_version=18,
            dynamo=False,
        )
        quantize_dynamic(
            exact,
            out,
            op_types_to_quantize=["MatMul", "Gemm", "Gather"],
            per_channel=True,
            reduce_range=True,
            weight_type=QuantType.QInt8,
            extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT},
        )


def main() -> None:
    """Write the file and print its size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weights", type=Path)
    parser.add_argument("out", type=Path)
    arguments = parser.parse_args()
    export(arguments.weights, arguments.out)
    print(f"{arguments.out}: {arguments.out.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
