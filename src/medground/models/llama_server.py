"""The llama.cpp server inside this process, at an address that only this process can use.

openvino-genai takes 0.7 times as long per question on the same file (docs/benchmarks.md). xllamacpp was chosen because
it speaks the same protocol as all other served models, grammar included, so only this file depends on it, and because
it loads faster.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import secrets
from pathlib import Path
from typing import Any

CONTEXT = 8192
"""Maximum tokens of prompt and answer together."""

LONGEST_ANSWER = 1024
"""Maximum tokens of an answer. With a grammar alone, a weak model may never end a string."""

_WAITING = "OMP_WAIT_POLICY"


class LlamaServer:
    """A GGUF model behind an OpenAI-compatible address: loopback only, on a free port, with a random key.

    Creating it reads the whole file and takes seconds.

    Raises:
        RuntimeError: llama.cpp cannot read the file.
    """

    def __init__(self, path: Path) -> None:
        self.key = secrets.token_urlsafe(24)
        engine = _engine()
        params = engine.CommonParams()
        params.model.path = str(path)
        params.hostnames = ["127.0.0.1"]
        params.port = 0
        params.api_keys = [self.key]
        params.ui = params.endpoint_slots = params.endpoint_props = params.endpoint_metrics = False
        params.offline = True
        params.n_ctx = CONTEXT
        params.n_parallel = 1
        params.n_predict = LONGEST_ANSWER
        params.verbosity = -1
        self._server: Any = engine.Server(params)
        self.address = f"{self._server.listening_address}/v1"

    def stop(self) -> None:
        """Stop the server and free its memory. Safe to call twice."""
        self._server = None


def engine_identity() -> str:
    """Name, version and limits of the engine; another version may give a different answer."""
    return f"xllamacpp-{importlib.metadata.version('xllamacpp')}-{CONTEXT}-{LONGEST_ANSWER}"


def _engine() -> Any:
    """Import xllamacpp with threads that sleep while they wait for each other.

    By default they spin, which loses most of the speed when another process uses the same cores (measured: 0.3 to 0.7
    tokens per second instead of 2 to 4). OpenMP reads the variable once, when the library is loaded.
    """
    before = os.environ.get(_WAITING)
    os.environ.setdefault(_WAITING, "passive")
    try:
        return importlib.import_module("xllamacpp")
    finally:
        if before is None:
            os.environ.pop(_WAITING, None)
