"""Sessions of onnxruntime."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import onnxruntime
from onnxruntime.capi import onnxruntime_pybind11_state as onnxruntime_errors

ONNX_ERRORS = tuple(
    getattr(onnxruntime_errors, name)
    for name in (
        *("Fail", "InvalidArgument", "InvalidGraph", "InvalidProtobuf"),
        *("NoSuchFile", "NotImplemented", "RuntimeException"),
    )
)
"""What onnxruntime raises where a graph cannot be loaded or run."""
CPU = "CPUExecutionProvider"


def open_session(graph: Path, threads: int | None = None, providers: Sequence[str] = (CPU,)) -> Any:
    """A session of onnxruntime.

    Args:
        graph: the ONNX file.
        threads: threads inside one operation; None lets onnxruntime use the physical cores.
        providers: what may run it, the best first.
    """
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads or 0
    # Threads that spin while waiting take the cores from other processes (measured on a busy machine: without
    # spinning, MiniLM reads 1.3 times as many passages, and a query takes a third of the time).
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(graph), options, providers=[*providers])
