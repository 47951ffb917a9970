"""`medground pubmed serve`: the process, and its records in each form."""

import asyncio
import contextlib
import re
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rows import each_row
from small_corpora import corpus_of_documents

from medground.errors import SnapshotCorrupt, UsageError
from medground.faces.eutils.records import RecordsIndex
from medground.faces.eutils.records_fields import ORDERS
from medground.testing import DOCUMENTS
from medground.values.document import Document, MeshHeading
from medground.values.query import Everything

pytest.importorskip("uvicorn", reason="needs the extra serve")

COMMAND = "from medground.faces.cli.servers import pubmed_app; pubmed_app()"


@contextlib.contextmanager
def started(*words: str) -> Iterator[Any]:
    """A Python process that is killed on exit, even if the test fails."""
    with subprocess.Popen([sys.executable, "-c", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.slow
def test_it_serves_until_interrupted_and_logs_requests_without_what_they_ask(home: Path, loopback: None) -> None:
    corpus_of_documents(home, DOCUMENTS, "made")
    options = ("--corpus", "made", "--port", "0", "--name", "papers.test", "--quiet")
    with started(COMMAND, "serve", *options) as process:
        printed = process.stderr.readline().decode()
        assert printed.startswith("4 records of made@")
        address = re.search(r"http://127\.0\.0\.1:([1-9][0-9]*)/entrez/eutils", printed)
        assert address is not None, printed
        port = int(address[1])
        url = f"{address[0]}/esearch.fcgi?term=losartan&retmode=json"
        with urllib.request.urlopen(url, timeout=120) as answer:
            assert b'"idlist": ["2"]' in answer.read()
        for body in (b"", b"term="):
            with socket.create_connection(("127.0.0.1", port)) as one:
                one.sendall(POST + b"Content-Length: 90\r\n\r\n" + body)
        for name, status in (("evil.example", b"421"), ("papers.test", b"200"), (f"127.0.0.1:{port}", b"200")):
            with socket.create_connection(("127.0.0.1", port)) as one:
                one.sendall(GET + f"Host: {name}\r\nConnection: close\r\n\r\n".encode())
                assert one.makefile("rb").read().split()[1] == status
        process.send_signal(signal.SIGINT)
        assert process.wait(120) == 0
        lines = process.stderr.read().decode().splitlines()
    read = [match[1] for match in map(LINE.fullmatch, lines) if match]
    assert len(read) == len(lines)
    assert {f"{SEARCH} 200", f"{SEARCH.replace('GET', 'POST')} 400", "GET none 421"} <= set(read)
    assert not any("losartan" in line for line in lines)


LINE = re.compile(r"\S+Z INFO ([A-Z]+ \S+ [0-9]{3}) [0-9.]+ ms [0-9a-f]{16}")
SEARCH = "GET /entrez/eutils/{name}.fcgi"
GET = b"GET /entrez/eutils/einfo.fcgi HTTP/1.1\r\n"
POST = b"POST /entrez/eutils/esearch.fcgi HTTP/1.1\r\nHost: localhost\r\n"
HANGING = """
import os, threading
from medground.faces.eutils.catalogue import About
from medground.faces.eutils import run

class Hanging:
    about = About("made", 1, "")

    def search(self, *rest, **more):
        os.write(1, b"searching\\n")  # whole, from several threads
        threading.Event().wait()

run(Hanging(), host="127.0.0.1", port=0, listening=lambda port: print(port, flush=True))
"""


@pytest.mark.slow
def test_it_ends_while_searches_hang(loopback: None) -> None:
    with started(HANGING) as process, contextlib.ExitStack() as opened:
        port = int(process.stdout.readline())
        for _ in range(4):
            one = opened.enter_context(socket.create_connection(("127.0.0.1", port)))
            one.sendall(POST + b"Content-Length: 10\r\n\r\nterm=heart")
        assert process.stdout.readline() == b"searching\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
        assert process.stderr.read() == b""


def test_half_a_request_is_cut_in_the_form_that_clients_read(catalogue_of: Any, loopback: None) -> None:
    from medground.faces.eutils.server import Connection, make_app
    from medground.faces.serving import GracefulServer, config, listener

    class Hasty(Connection):
        head_seconds = 0.1

    async def nothing() -> None:
        pass

    async def within() -> bytes:
        with listener("127.0.0.1", 0) as on:
            begun = asyncio.Event()
            server = GracefulServer(config(make_app(catalogue_of(DOCUMENTS)), Hasty), listening=begun.set, end=nothing)
            task = asyncio.create_task(server._serve([on]))
            await begun.wait()
            reader, writer = await asyncio.open_connection("127.0.0.1", on.getsockname()[1])
            writer.write(GET)
            told = await asyncio.wait_for(reader.read(), 60)
            writer.close()
            server.should_exit = True
            await task
            return told

    head, _, body = asyncio.run(within()).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 408")
    assert b"<ERROR>the request did not arrive within 0.1 seconds</ERROR>" in body


def test_a_port_in_use_is_a_one_line_error(catalogue_of: Any, loopback: None) -> None:
    from medground.faces.eutils import run

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"cannot listen on 127.0.0.1:{port} .*choose another --port"):
            run(catalogue_of(DOCUMENTS), host="127.0.0.1", port=port)


HEADINGS = ("Asthma", "Bronchial Diseases", "Lung Diseases", "Neoplasms", "Lung Neoplasms",
            "Child", "Persons", "Unheard Of")  # fmt: skip
QUALIFIERS = ("therapy", "drug therapy", "diet therapy", "surgery")


def records() -> list[tuple[Document, bytes]]:
    return [(document, b"") for document in documents()]


def documents(count: int = 30) -> list[Document]:
    return [
        Document(
            id=f"PMID:{number}",
            title=f"Record {number} on {'asthma' if number % 3 else 'colds'}",
            text=f"Words of record {number}.",
            year=1990 + number,
            mesh=(MeshHeading(descriptor=HEADINGS[number % len(HEADINGS)], qualifiers=(QUALIFIERS[number % 4],)),),
        )
        for number in range(1, count + 1)
    ]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> RecordsIndex:
    return RecordsIndex.open_or_build(tmp_path_factory.mktemp("index") / "a", records)


def test_it_is_built_once_and_leaves_no_other_files(tmp_path: Path) -> None:
    calls: list[int] = []

    def counted() -> list[tuple[Document, bytes]]:
        calls.append(1)
        return records()

    folder = tmp_path / "cache" / "index"
    threads = [threading.Thread(target=RecordsIndex.open_or_build, args=(folder, counted)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    before = len(calls)
    assert RecordsIndex.open_or_build(folder, counted).records == 30
    assert len(calls) == before
    assert [path.name for path in folder.parent.iterdir()] == ["index"]


def test_a_failed_build_leaves_nothing_behind_and_a_damaged_index_is_reported(tmp_path: Path) -> None:
    def broken() -> list[tuple[Document, bytes]]:
        raise SnapshotCorrupt("row 7 is damaged")

    with pytest.raises(SnapshotCorrupt, match="row 7"):
        RecordsIndex.open_or_build(tmp_path / "index", broken)
    assert list(tmp_path.iterdir()) == []
    RecordsIndex.open_or_build(tmp_path / "index", records)
    (tmp_path / "index" / "meta.json").write_text("{")
    with pytest.raises(SnapshotCorrupt):
        RecordsIndex.open_or_build(tmp_path / "index", records)


@each_row("order", ORDERS)
def test_pages_add_up_to_the_whole_result(index: RecordsIndex, order: str) -> None:
    whole = index.search(Everything(), order=order, limit=100)
    pages = [index.search(Everything(), order=order, start=start, limit=7).ids for start in range(0, 35, 7)]
    assert whole.count == 30
    assert tuple(pmid for page in pages for pmid in page) == whole.ids
    assert len(set(whole.ids)) == 30
