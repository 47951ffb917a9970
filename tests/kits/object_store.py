"""Object storage in S3's form on loopback (SeaweedFS), and versions of a corpus that each of its readers can tell.

`Pushed` has the tests of any place to which they are pushed.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import ClassVar

from mcp_talk import library as graph_and_papers
from refusals import refused
from small_corpora import corpus_of_documents

from medground.corpus.library import Library
from medground.corpus.manifest import Manifest
from medground.corpus.store import Store, digest_of
from medground.engine.blocking import BlockingEngine
from medground.errors import UsageError
from medground.home.settings import Settings
from medground.values.document import Document
from medground.values.query import Words

KEY, SECRET = "LABKEY12345", "canary-secret-98765"
WEED = shutil.which("weed", path=os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", ""))))
_PORTS = "master.port master.port.grpc volume.port volume.port.grpc filer.port filer.port.grpc s3.port.grpc s3.port"
_FLAGS = "-ip=127.0.0.1 -ip.bind=127.0.0.1 -s3 -s3.port.iceberg=0 -s3.port.lance=0 -master.telemetry=false"
_PUSH = """
import sys
from pathlib import Path
from medground.corpus.library import Library
if "solr" in sys.argv[2]:
    from medground.corpus.solr import filling
    filling.AT_ONCE = 20
library = Library(Path(sys.argv[1]))
with library.built("papers") as snapshot:
    place = library.at(sys.argv[2])
    print("begins", flush=True)
    place.push(snapshot)
"""
NOTES = 60


@contextmanager
def object_store(folder: Path, seconds: float = 120) -> Iterator[dict[str, str]]:
    """A server that keeps its data in a folder, once it can be written to: the variables that lead to it.

    It makes a bucket when that is first written to; `lab` is there.
    """
    import obstore
    from obstore.store import S3Store

    with ExitStack() as taken:
        sockets = [taken.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in _PORTS.split()]
        ports = [one.getsockname()[1] for one in sockets]
    own = [f"-{name}={port}" for name, port in zip(_PORTS.split(), ports, strict=True)]
    lab = {"name": "lab", "credentials": [{"accessKey": KEY, "secretKey": SECRET}], "actions": ["Admin"]}
    (folder / "keys.json").write_text(json.dumps({"identities": [lab]}))
    command = [str(WEED), "server", f"-dir={folder}", f"-s3.config={folder / 'keys.json'}", *_FLAGS.split(), *own]
    address, begun = f"http://127.0.0.1:{ports[-1]}", time.monotonic()
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        client = {"access_key_id": KEY, "secret_access_key": SECRET, "endpoint": address}
        while True:
            try:
                obstore.put(S3Store("lab", client_options={"allow_http": True}, **client), "ready", b"1")
                break
            except obstore.exceptions.BaseError:
                assert time.monotonic() - begun < seconds, "the server does not start"
                time.sleep(0.5)
        yield {"AWS_ENDPOINT_URL": address, "AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET}
    finally:
        server.kill()  # it would take half a minute to end
        server.wait()


def version(home: Path, number: int) -> Library:
    """The library of a home whose corpus `papers` is of this version, as each sentence of its documents says."""
    words = ["aspirin", "stroke", "adults", "trial", "heart", "liver", "kidney", "gene", "statin", "tumour"]
    texts = (f"Version {number} tells of {words[i % 10]} in note {i}. " * 40 for i in range(NOTES))
    notes = [Document(id=f"NOTE:{i}", title=f"Note {i}", text=text) for i, text in enumerate(texts)]
    return corpus_of_documents(home, notes)


def version_read(store: Store) -> int:
    """The version of an opened corpus, of which all that it finds and quotes has to be."""
    hits = [hit for word in ("aspirin", "gene") for hit in store.bm25(Words(text=word), 50)]
    documents = store.documents([hit.passage.document_id for hit in hits])
    texts = [*(hit.passage.text for hit in hits), *(one.text for one in (*documents.values(), *store.all_documents()))]
    assert hits
    assert len(texts) == len(hits) + len(documents) + NOTES, "a note is missing"
    [said] = {text.split()[1] for text in texts}
    return int(said)


def killed_push(home: Path, address: str, after: float) -> bool:
    """Push `papers` in a process that is killed so many seconds after it began; whether it had ended before."""
    with subprocess.Popen([sys.executable, "-c", _PUSH, str(home), address], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begins\n"
        time.sleep(after)
        process.kill()
    return process.returncode == 0


def push(library: Library, address: str, name: str = "papers") -> Manifest:
    """Push a corpus of this library."""
    with library.built(name) as snapshot:
        return library.at(address).push(snapshot)


def is_whole(library: Library, address: str) -> bool:
    """Whether what is current there has each document, record and passage of `papers`, once, and no other."""
    with library.open("papers") as here, library.open(address) as there:
        return digest_of(here) == digest_of(there)


def readers_during(address: str, folder: Path, libraries: Sequence[Library]) -> int:
    """How often 16 readers read while the versions of these libraries are pushed, and what was replaced is removed.

    Each time has to show one version, and in the end each version has been seen.
    """
    seen, wrong, ended = list[int](), list[str](), threading.Event()

    def read(home: Path) -> None:
        try:
            while not ended.is_set():
                with Library(home).open(address) as store:
                    first = version_read(store)
                    assert [version_read(store) for _ in range(3)] == [first] * 3
                    seen.append(first)
        except Exception as error:  # noqa: BLE001 - told below
            wrong.append(repr(error))

    push(libraries[0], address)
    readers = [threading.Thread(target=read, args=(folder / f"reader{i % 4}",)) for i in range(16)]
    for reader in readers:
        reader.start()
    for number, library in enumerate(libraries):
        push(library, address)
        while number not in seen and not wrong:
            time.sleep(0.01)
        library.at(address).remove(old=True)
    ended.set()
    for reader in readers:
        reader.join()
    assert (wrong, {*seen}) == ([], {*range(len(libraries))})
    return len(seen)


class Pushed:
    """Tests of a place that others push to; a subclass has a fixture `address`, and a push `takes` so many seconds."""

    takes: ClassVar[float]

    def test_a_push_that_is_killed_changes_nothing_and_goes_on(self, address: str, tmp_path: Path) -> None:
        reader, chance = Library(tmp_path / "reader"), random.Random(5)
        push(version(tmp_path / "one", 1), address)
        library = version(tmp_path / "two", 2)
        for _ in range(4):
            ended = killed_push(tmp_path / "two", address, chance.uniform(0, self.takes))
            with reader.open(address) as store:
                assert version_read(store) in (1, 2)
                assert version_read(store) == 2 or not ended
            assert reader.verify(address).counts.documents == NOTES
        push(library, address)
        assert is_whole(library, address)

    def test_a_graph_answers_there_as_here_and_stays(self, address: str, tmp_path: Path) -> None:
        graph_and_papers(tmp_path)
        library, found = Library(tmp_path), []
        push(library, address, "terms")
        for corpus in ("terms", address):
            with BlockingEngine(Settings.load(environ={"MEDGROUND_HOME": str(tmp_path)}), corpora=corpus) as engine:
                found.append(engine.concept("spider fingers"))
        assert found[0] == found[1] != []
        assert library.verify(address).hash == library.info("terms").hash
        refused(UsageError, "holds the corpus terms", push, library, address)

    def test_sixteen_readers_during_updates_each_see_one_snapshot(self, address: str, tmp_path: Path) -> None:
        readers_during(address, tmp_path, [version(tmp_path / f"builder{number}", number) for number in range(4)])
