"""Write graphs to files, in float32 and in int8."""

from __future__ import annotations

from pathlib import Path

import onnx


def saved(model: onnx.ModelProto, path: Path) -> Path:
    """Write a graph and return its path."""
    # The graph already contains its shapes; without this flag, the quantiser warns that it might need preprocessing.
    onnx.helper.set_model_props(model, {"onnx.quant.pre_process": "onnxruntime.quant"})
    onnx.save(model, path)
    return path


def quantised(graph: Path, path: Path) -> Path:
    """Write the graph with matrix products in int8 and return the path.

    Weights have one scale per output channel, activations one per call, so the other texts of a batch slightly
    influence a vector (block-wise int8 avoids this, but was no faster than float32 when measured). Weights use 7 of the
    8 bits: processors without VNNI add products in 16 bits, which full-range weights would overflow, and a graph may
    be used on a different machine from the one that its results were measured on.
    """
    from onnxruntime.quantization import QuantType, quantize_dynamic

    quantize_dynamic(
        graph,
        path,
        op_types_to_quantize=["MatMul"],
        per_channel=True,
        reduce_range=True,
        weight_type=QuantType.QInt8,
        extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT},  # the type of onnxruntime's own operators
    )
    return path
