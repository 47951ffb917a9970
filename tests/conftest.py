"""Shared fixtures. No test reaches the network; `loopback` allows connections to this machine only."""

import functools
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, get_args

import hypothesis
import pytest
import pytest_socket
from http_peer import Peer, Reply, Waits

from medground.answering.declaration import Declaration
from medground.answering.run import Run
from medground.answering.trace import Trace
from medground.corpus.chunk import chunk
from medground.errors import MedgroundError, SourceUnavailable, UsageError
from medground.home.settings import Settings
from medground.models.base import CallLimits, Keyless
from medground.models.base import Reply as ModelReply
from medground.models.operators.answering import read_and_answer
from medground.models.operators.base import Operator
from medground.models.operators.reading import extract
from medground.models.operators.reasoning import direct, reason
from medground.models.registry import Models
from medground.recipes.pubmed_reasoner.answering import recall, respond
from medground.values.document import Document, Hit, SourceKind
from medground.values.lookup import Found, Lookup, PlainWords, ProteinQuery, Ranker
from medground.values.query import Filters
from medground.values.question import Question
from medground.values.usage import Usage

# A shell's background jobs ignore Ctrl-C, and so would the programs that tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)

# The same few examples on every machine, however slow. `explore` looks for new ones:
# pytest --hypothesis-profile=explore
SLOW = (hypothesis.HealthCheck.too_slow,)
hypothesis.settings.register_profile(
    "repeat", deadline=None, suppress_health_check=SLOW, derandomize=True, max_examples=40
)
hypothesis.settings.register_profile("explore", deadline=None, suppress_health_check=SLOW, max_examples=1000)
hypothesis.settings.load_profile("repeat")

# A process of tests has a core; more threads only wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")

TERMINAL = ("FORCE_COLOR", "NO_COLOR", "CLICOLOR_FORCE", "LINES", "TERMINAL_WIDTH")
SHARED = Path(__file__).resolve().parent.parent.parent / "shared"
MOST_PROCESSES = 4
"""Each takes up to 2 GB."""


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One process per core for folders. Named files run in this one, where a debugger and `-s` work."""
    if all(Path(argument.partition("::")[0]).is_file() for argument in config.args):
        return 0
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, MOST_PROCESSES) if cores > 1 else 0


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests do not depend on the user's settings, a proxy or the terminal."""
    for name in list(os.environ):
        if name.startswith("MEDGROUND_") or name.lower().endswith("_proxy") or name in TERMINAL:
            monkeypatch.delenv(name)
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data next to the checkout."""
    data = SHARED / "data"
    if not data.is_dir():
        pytest.skip("needs the real data in ../shared/data")
    return data


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for everything a user owns."""
    folder = tmp_path / "home"
    monkeypatch.setenv("MEDGROUND_HOME", str(folder))
    return folder


@functools.cache
def reaches_itself() -> bool:
    """Whether loopback works; a sandbox may block it."""
    pytest_socket.enable_socket()
    try:
        with socket.create_server(("127.0.0.1", 0)) as server:
            socket.create_connection(server.getsockname()).close()
    except OSError:
        return False
    return True


@pytest.fixture
def loopback() -> Iterator[None]:
    """Allow sockets on loopback."""
    if not reaches_itself():
        pytest.skip("needs loopback (127.0.0.1), which is blocked here")
    pytest_socket.enable_socket()
    pytest_socket.socket_allow_hosts(["127.0.0.1", "localhost", "::1"])
    yield
    pytest_socket.disable_socket(allow_unix_socket=True)


@pytest.fixture
def make_peer(loopback: None) -> Iterator[Callable[..., Peer]]:
    """Start a service with the given replies."""
    with ExitStack() as peers:
        yield lambda *replies: peers.enter_context(Peer(*replies))


@pytest.fixture
def reply() -> type[Reply]:
    """The class of an answer."""
    return Reply


@pytest.fixture
def waits() -> Waits:
    """A clock for a pace."""
    return Waits()


@pytest.fixture
def linear() -> Callable[[Callable[[int], object], int], None]:
    """A check that the time of some work grows no faster than its size, on any machine."""

    def check(work: Callable[[int], object], size: int) -> None:
        def seconds(size: int) -> float:
            started = time.process_time()
            work(size)
            return time.process_time() - started

        seconds(size // 100)  # what is loaded once
        short, long = (min(seconds(s), seconds(s)) for s in (size // 4, size))
        assert long < 10 * max(short, 0.02), f"{short:.2f} s for a quarter, {long:.2f} s for the whole"

    return check


class EveryOperator(tuple[Any, ...]):
    """The operators of a test's own recipe: whatever it asks."""

    def __contains__(self, operator: object) -> bool:
        return True


ANY_RECIPE = Declaration(
    name="ground", operators=EveryOperator(), writers=(respond, read_and_answer, reason, direct, recall), reader=extract
)


class MemorySource:
    """A small real source over documents of the test. Passages are ranked by the words they share with the question."""

    def __init__(
        self, documents: Sequence[Document], name: str = "corpus:test", fails: MedgroundError | None = None
    ) -> None:
        self.name = name
        self.state = None
        self.kinds = frozenset(get_args(SourceKind))
        self._closed = False
        self._documents = {d.id: d for d in documents}
        self._fails = fails

    def accepts(self, lookup: Lookup) -> bool:
        return not isinstance(lookup.asked, PlainWords | ProteinQuery) and lookup.wants(Ranker.LEXICAL)

    async def search(self, lookup: Lookup, filters: Filters) -> Found:
        if self._closed:
            raise SourceUnavailable("the source is closed", source=self.name)
        if self._fails:
            raise self._fails
        if not self.accepts(lookup):
            raise UsageError(f"{self.name} takes query trees")
        limit = lookup.limit
        words = {w.strip("?.,") for w in lookup.text.lower().split()}
        passages = [p for d in self._documents.values() for p in chunk(d)]
        scored = [(len(words & {w.strip(".,") for w in p.text.lower().split()}), p) for p in passages]
        ranked = sorted((s for s in scored if s[0]), key=lambda s: (-s[0], s[1].key))[:limit]
        hits = tuple(
            Hit(passage=p, ranker="overlap", rank=rank, score=float(score), source=self.name)
            for rank, (score, p) in enumerate(ranked, start=1)
        )
        return Found(lookup, self.name, rankings=(hits,))

    async def fetch(self, ids: Sequence[str]) -> dict[str, Document]:
        if self._closed:
            raise SourceUnavailable("the source is closed", source=self.name)
        return {i: self._documents[i] for i in ids if i in self._documents}

    async def close(self) -> None:
        self._closed = True


@pytest.fixture
def memory_source() -> type[MemorySource]:
    """The class of a small real source."""
    return MemorySource


class ScriptedModel:
    """A model whose replies the test gives by operator: an output, or a function from the input to one, or an error."""

    cacheable = True

    def __init__(self, replies: Mapping[str, Any], name: str = "scripted:model", usage: Usage | None = None) -> None:
        self.name = name
        self.identity = name
        self.seen: list[tuple[str, Any]] = []
        self._replies = replies
        self._usage = usage or Usage(input_tokens=10, output_tokens=5, model_calls=1)

    async def answer(self, operator: Operator[Any, Any], value: Any, limits: CallLimits) -> ModelReply[Any]:
        self.seen.append((operator.name, value))
        reply = self._replies[operator.name]
        output = reply(value) if callable(reply) else reply
        if isinstance(output, Exception):
            raise output
        operator.check(value, output)
        return ModelReply(output=output, usage=self._usage)

    async def close(self) -> None:
        return None


@pytest.fixture
def scripted_model() -> type[ScriptedModel]:
    """The class of a model that replies as the test says."""
    return ScriptedModel


@pytest.fixture
def make_run(tmp_path: Path) -> Iterator[Callable[..., Run]]:
    """Makes a run over given sources and an optional model; operators in `by_model` go to it, others are keyless.

    Without a `recipe` the run may ask every operator.
    """
    trace = Trace("test", tmp_path / "test.jsonl")

    def make(
        text: str,
        sources: Sequence[Any] = (),
        model: Any = None,
        by_model: Sequence[str] = (),
        options: Mapping[str, Any] | None = None,
        recipe: Declaration = ANY_RECIPE,
        **more: Any,
    ) -> Run:
        table = dict.fromkeys(by_model, model.name) if model else {}
        opened: dict[str, Any] = {"keyless": Keyless()} | ({model.name: model} if model else {})
        return Run(
            question=Question.ask(text),
            settings=Settings.load(environ={"MEDGROUND_HOME": str(tmp_path)}, options=options),
            recipe=recipe,
            sources=sources,
            models=Models("keyless", table, opened),
            trace=trace,
            **more,
        )

    yield make
    trace.close()
