"""A client of E-utilities that barely waits, and our own server."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import pytest_socket
from http_peer import Peer, Waits
from live_server import in_a_thread, listening
from small_corpora import corpus_of_documents

from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.corpus.snapshot import Snapshot
from medground.faces.eutils.catalogue import SnapshotCatalogue
from medground.sources.eutils.client import AnswerCache, Eutils, EutilsService, Transport
from medground.sources.http.clients import Pace
from medground.sources.http.retries import Patience
from medground.values.document import Document

REAL = Path(__file__).resolve().parents[3] / "shared" / "data" / "pubmed_xml" / "raw"


@pytest.fixture
def make_client(waits: Waits) -> Callable[..., Eutils]:
    """A client that barely waits between attempts."""

    def make(
        peer: Peer,
        *,
        api_key: str | None = None,
        cache: AnswerCache | None = None,
        tries: int = 4,
        seconds: float = 120.0,
    ) -> Eutils:
        patience = Patience(tries=tries, first_wait=0.001, longest_wait=30.0, seconds=seconds)
        service = EutilsService(name="pubmed:test", address=peer.url, email="reader@example.org", api_key=api_key)
        pace = Pace(float("inf"), clock=waits.clock, sleep=waits.sleep)
        return Eutils(Transport(service, cache, patience, pace))

    return make


@contextlib.contextmanager
def serving(catalogue: Any, **of_app: Any) -> Iterator[str]:
    """Run our own server over a catalogue and yield its address.

    It closes each connection after the response, because tests use many event loops and must not leak connections.
    """
    pytest.importorskip("uvicorn", reason="needs the extra serve")
    from medground.faces.eutils.server import make_app

    pytest_socket.enable_socket()
    with in_a_thread(listening(make_app(catalogue, **of_app), headers=[("connection", "close")])) as address:
        yield address


@pytest.fixture(scope="session")
def serve() -> Callable[..., contextlib.AbstractContextManager[str]]:
    """Run our own server: `with serve(catalogue) as address`. Tests that call it also need `loopback`."""
    return serving


@pytest.fixture(scope="session")
def catalogue_of(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Callable[[Sequence[Document]], SnapshotCatalogue]]:
    """Build a catalogue of documents."""
    opened: list[Snapshot] = []

    def make(documents: Sequence[Document]) -> SnapshotCatalogue:
        home = tmp_path_factory.mktemp("home")
        opened.append(corpus_of_documents(home, documents).open("papers"))
        return SnapshotCatalogue.open(opened[-1], home)

    yield make
    for snapshot in opened:
        snapshot.close()


@pytest.fixture(scope="session")
def real_corpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Snapshot, Path]]:
    """392 real records as a corpus, and its home: those of all files but the largest."""
    if not REAL.is_dir():
        pytest.skip("needs the real data in ../shared/data, which is missing")
    home = tmp_path_factory.mktemp("home")
    build(Library(home), "real", find_inputs([path for path in REAL.iterdir() if "medline16" not in path.name], None))
    with Library(home).open("real") as snapshot:
        yield snapshot, home


@pytest.fixture(scope="session")
def real_server(real_corpus: tuple[Snapshot, Path]) -> Iterator[str]:
    """The address of our own server over them. Tests that call it also need `loopback`."""
    with serving(SnapshotCatalogue.open(*real_corpus)) as address:
        yield address
