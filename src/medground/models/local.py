"""A GGUF model that runs inside this process: `local` or `local:PATH` (extra `local`)."""

from __future__ import annotations

import asyncio
import importlib
import importlib.metadata
import importlib.util
import os
import secrets
import time
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from medground.corpus.manifest import hash_file
from medground.errors import ConfigError, ModelFailed, needing
from medground.home.settings import Settings
from medground.home.settings_groups import ServerSettings
from medground.models.base import CallLimits, Reply
from medground.models.catalogue import QWEN
from medground.models.operators.base import I, O, Operator
from medground.models.wheels import require
from medground.values.usage import Usage

if TYPE_CHECKING:
    from medground.models.served import ServedModel


CONTEXT = 8192
"""Maximum tokens of prompt and answer together."""

LONGEST_ANSWER = 1024
"""Maximum tokens of an answer. With a grammar alone, a weak model may never end a string."""

_WAITING = "OMP_WAIT_POLICY"


class LlamaServer:
    """A GGUF model behind an OpenAI-compatible address: loopback only, on a free port, with a random key.

    Creating it reads the whole file and takes seconds.

    Raises RuntimeError: llama.cpp cannot read the file.
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


NAME = "local"
_MAGIC = b"GGUF"

REPLY_SECONDS = 600.0
"""Seconds for one reply if the settings do not set a timeout: reading a long prompt on few cores takes minutes."""


def open_local(name: str, settings: Settings) -> LocalModel:
    """Open the model `local` (the one that `medground models fetch` downloads) or `local:PATH`.

    It is loaded on the first call.

    Raises ConfigError: the extra is not installed, the model has not been fetched, or the file is not GGUF.
    """
    with needing("local", f"model {name!r}"):
        for package in ("xllamacpp", "pydantic_ai"):
            if importlib.util.find_spec(package) is None:
                raise ImportError(name=package)
    given = name.partition(":")[2]
    if given:
        return LocalModel(name, _checked(name, Path(given).expanduser()), settings.server_of(name))
    path = require(QWEN, settings.home / "models") / QWEN.weights
    return LocalModel(name, path, settings.server_of(name), sha256=QWEN.sha256)


class LocalModel:
    """A GGUF file run by llama.cpp, with a grammar that constrains its output to the operator's schema.

    Calls run one at a time, since each uses every core. Waiting counts against a call's limit of seconds, but not
    against the timeout of a reply. `sha256` is that of the file, if already known.
    """

    cacheable = True

    def __init__(self, name: str, path: Path, settings: ServerSettings, *, sha256: str | None = None) -> None:
        self.name = name
        self._path = path
        self._settings = settings
        self._sha256 = sha256
        self._turn = asyncio.Lock()
        self._running: tuple[LlamaServer, ServedModel] | None = None

    @cached_property
    def identity(self) -> str:
        """Hash of the weights, engine with its limits, temperature; not the path of the file or the port."""
        weights = self._sha256 or hash_file(self._path)
        engine = f"xllamacpp-{importlib.metadata.version('xllamacpp')}-{CONTEXT}-{LONGEST_ANSWER}"
        return f"local-{weights}-{engine}-t{self._settings.temperature:g}"

    async def answer(self, operator: Operator[I, O], value: I, limits: CallLimits) -> Reply[O]:
        """Answer one operator call. The first call loads the model.

        Raises what `Model.answer` raises, and ModelFailed if llama.cpp cannot load the file.
        """
        asked = time.monotonic()
        async with self._turn:
            served = await self._started()
            if limits.seconds is not None:
                limits = replace(limits, seconds=limits.seconds - (time.monotonic() - asked))
            return await served.answer(operator, value, limits)

    async def close(self) -> None:
        """Stop the server and free its memory. The next call loads the model again."""
        running, self._running = self._running, None
        if running is not None:
            server, served = running
            await served.close()
            await asyncio.to_thread(server.stop)

    async def _started(self) -> ServedModel:
        if self._running is None:
            try:
                server = await asyncio.to_thread(LlamaServer, self._path)
            except RuntimeError as error:
                raise ModelFailed(
                    f"llama.cpp cannot load {self._path} ({error}); check that it is complete, that llama.cpp supports"
                    " its architecture, and that it fits in memory",
                    model=self.name,
                    usage=Usage(),
                ) from None
            self._running = server, _served(self.name, server, self._settings)
        return self._running[1]


def _served(name: str, server: LlamaServer, settings: ServerSettings) -> ServedModel:
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    from medground.models.attempts import Retries
    from medground.models.profiles import COMPATIBLE_MODEL
    from medground.models.served import ServedModel

    provider = OpenAICompatibleProvider(
        "llama.cpp", base_url=server.address, api_key=server.key, profile=COMPATIBLE_MODEL
    )
    return ServedModel(
        name,
        OpenAIChatModel(name, provider=provider),
        settings.model_copy(update={} if "timeout" in settings.model_fields_set else {"timeout": REPLY_SECONDS}),
        # The server is in this process and never busy, so what failed once, such as ending an answer, fails again.
        server_retries=Retries(tries=1),
        secrets=(server.key,),
    )


def _checked(name: str, path: Path) -> Path:
    try:
        with path.open("rb") as file:
            magic = file.read(len(_MAGIC))
    except OSError as error:
        raise ConfigError(f"model {name!r}: cannot read {path}: {error.strerror}") from None
    if magic != _MAGIC:
        raise ConfigError(f"model {name!r}: {path} is not a GGUF file; use one, such as local:/models/llama.gguf")
    return path
