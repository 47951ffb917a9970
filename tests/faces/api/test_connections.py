"""A real server: hostile connections, its OpenAPI document, and citations that are the same on every surface."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import hypothesis
import pytest
import surfaces
from heart import QUESTION, library
from live_server import live_server
from servers import api_served

from medground.faces.api.server import Connection
from medground.faces.service.service import Service
from medground.home.settings import Settings

ASKED = {"question": "Does aspirin reduce the risk of stroke?"}
HEAD = "POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


class Hasty(Connection):
    """Deadlines that a test can wait for."""

    head_seconds = 0.3
    read_seconds = 0.3
    rest_seconds = 0.5
    most = 5


@pytest.fixture
def served(papers: Settings, loopback: None) -> Callable[..., Any]:
    """The address, the port and the service of a real server with short deadlines."""

    @asynccontextmanager
    async def opened(
        *, abandoned_after: float = 30.0, seconds: float = 20.0
    ) -> AsyncIterator[tuple[str, int, Service]]:
        async with asyncio.timeout(90), Service.open(papers, abandoned_after=abandoned_after) as service:
            await service.warm()
            async with api_served(service, protocol=Hasty, seconds=seconds) as address:
                yield address, int(address.rpartition(":")[2]), service

    return opened


async def sent(port: int, *parts: str | bytes, pause: float = 0.0) -> bytes:
    """All that a server answers to some bytes, until it closes the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    answer = asyncio.create_task(reader.read())
    try:
        for part in parts:
            if answer.done():
                break
            writer.write(part.encode() if isinstance(part, str) else part)
            await writer.drain()
            await asyncio.sleep(pause)
        return await asyncio.wait_for(answer, 30)
    finally:
        writer.close()


def problem(answer: bytes) -> tuple[int, str]:
    """Status and name of the problem in a raw response."""
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"content-type: application/problem+json" in head.lower(), answer
    content = json.loads(body)
    assert head.split()[1] == str(content["status"]).encode()
    return content["status"], content["type"].removeprefix("urn:medground:problem:")


REFUSED: list[tuple[tuple[str | bytes, ...], tuple[int, str]]] = [
    ((HEAD,), (408, "slow-request")),
    ((f"{HEAD}Content-Length: 50\r\n\r\n", *["{"] * 20), (408, "slow-request")),
    ((f"{HEAD}Transfer-Encoding: chunked\r\n\r\n1\r\n{{\r\n",), (408, "slow-request")),
    (("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Long: " + "x" * 70_000,), (400, "bad-request")),
    (("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-A: a\rX-B: b\r\n\r\n",), (400, "bad-request")),
    (("GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",), (400, "bad-request")),
    ((f"{HEAD}Content-Length: 5\r\nContent-Length: 6\r\n\r\n",), (400, "bad-request")),
    ((f"{HEAD}Content-Length: 100000000\r\n\r\n", *[bytes(100_000)] * 20), (413, "too-large")),
    ((f"{HEAD}Transfer-Encoding: chunked\r\n\r\n", *[b"7a120\r\n" + bytes(500_000) + b"\r\n"] * 4), (413, "too-large")),
]


async def test_what_is_slow_broken_or_too_large_is_refused_and_others_are_answered(served: Callable[..., Any]) -> None:
    for seconds in (0.3, 20.0):
        async with (
            served(seconds=seconds) as (address, port, _),
            httpx2.AsyncClient(base_url=address, timeout=60) as client,
        ):
            for parts, expected in REFUSED:
                if (expected[0] == 408) == (seconds < 1):
                    refused = asyncio.create_task(sent(port, *parts, pause=0.05))
                    assert (await client.get("/healthz")).status_code == 200
                    assert problem(await refused) == expected


async def test_a_connection_goes_on_after_a_refusal_whose_short_body_comes_late(served: Callable[..., Any]) -> None:
    async with served() as (_, port, _):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"POST /v1/ask HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 5\r\n\r\n")
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 421")
        await reader.readuntil(b"}")
        writer.write(b"12345GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert (await asyncio.wait_for(reader.read(), 30)).startswith(b"HTTP/1.1 200")
        writer.close()


async def test_silent_and_too_many_connections_are_closed(served: Callable[..., Any]) -> None:
    async with served() as (_, port, _):
        silent = [await asyncio.open_connection("127.0.0.1", port) for _ in range(Hasty.most)]
        answer = await sent(port)
        assert problem(answer) == (503, "busy")
        assert b"retry-after: 5" in answer.lower()
        for reader, writer in silent:
            assert await asyncio.wait_for(reader.read(), 30) == b""
            writer.close()
        assert (await sent(port, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))[:12] == (
            b"HTTP/1.1 200"
        )


async def test_a_question_whose_client_leaves_is_cancelled_after_a_while(served: Callable[..., Any]) -> None:
    async with served(abandoned_after=0.2) as (_, port, service):
        hold = asyncio.Semaphore(0)
        service._turns = hold  # no question gets its turn
        body = json.dumps(ASKED)
        head = f"{HEAD}Content-Length: {len(body)}\r\n"
        for accept in ("application/json", "text/event-stream"):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(f"{head}Accept: {accept}\r\n\r\n{body}".encode())
            async with asyncio.timeout(30):
                while not [job for job in await service.jobs.jobs_of("local") if job.state == "queued"]:
                    await asyncio.sleep(0.02)
            writer.close()
            async with asyncio.timeout(30):
                while (await service.jobs.jobs_of("local"))[0].state != "stopped":
                    await asyncio.sleep(0.02)


QUESTIONS = (
    QUESTION,
    "Does aspirin prevent stroke?",
    "What did aspirin do to gout attacks?",
    "Did asthma worsen in children?",
    "Was migraine less frequent with aspirin?",
    "Does headache go away within hours?",
    "Did fever fall?",
    "Which town took part in the study of aspirin and stroke?",
    "Did myocardial infarction fall by a fifth?",
    "Is xylophone music louder than a trumpet?",
)


def test_citations_and_marks_of_retraction_are_the_same_on_every_surface(tmp_path: Path, loopback: None) -> None:
    library(tmp_path)
    with live_server(tmp_path, "heart") as address, httpx2.Client(base_url=address, timeout=60) as client:
        citations_are_the_same(client)
        a_retracted_source_is_marked(client)


def citations_are_the_same(client: httpx2.Client) -> None:
    cited = 0
    for number, question in enumerate(QUESTIONS):
        forms = surfaces.PAGES if number == 0 else ("markdown",)
        found = surfaces.compared(client, question, forms)
        cited += found.pop("citations")
        assert not any(found.values()), (question, found)
    assert cited >= len(QUESTIONS)


def a_retracted_source_is_marked(client: httpx2.Client) -> None:
    found = surfaces.marked(client, "Did myocardial infarction vanish altogether with aspirin?", "PMID:9")
    assert all(all(marks) for marks in found.values()), found
    shown = {surface for surface, marks in found.items() if marks}
    assert shown == set(found) - set(surfaces.REFERENCES)  # a list of references holds what is quoted, and it is not


schemathesis = pytest.importorskip("schemathesis", reason="needs the extra test")

EXAMPLES = 3
"""Requests of each operation. `st run ADDRESS/openapi.json --max-examples 1000` looks for more; see docs/api.md."""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Do not use the .random. module")  # schemathesis does, or another thread meanwhile
def test_no_request_gets_what_the_document_does_not_say(papers: Settings, loopback: None) -> None:
    from schemathesis.specs.openapi.checks import positive_data_acceptance

    with live_server(papers.home, "papers") as address:
        assert tried(schemathesis.openapi.from_url(f"{address}/openapi.json"), positive_data_acceptance) >= 20


def tried(described: Any, excluded: Any) -> int:
    """How many operations keep to the document."""
    operations = [result.ok() for result in described.get_all_operations()]
    for operation in operations:

        @hypothesis.given(case=operation.as_strategy())
        @hypothesis.settings(
            max_examples=EXAMPLES,
            deadline=None,
            derandomize=True,
            database=None,
            phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate],
            suppress_health_check=list(hypothesis.HealthCheck),
        )
        def keeps(case: Any) -> None:
            # A name that fits the document need not be that of a corpus: such a request may get a 422.
            case.call_and_validate(excluded_checks=[excluded], timeout=60)

        keeps()
    return len(operations)
