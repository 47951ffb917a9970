"""The same tools over streamable HTTP and standard input, for whoever may call them, and for nobody else."""

import asyncio
import json
import re
import signal
import sys
import tomllib
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, closing, contextmanager
from itertools import cycle
from pathlib import Path
from subprocess import PIPE, Popen, check_output
from typing import Any

import httpx2
import pytest
from command_line import run
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult
from mcp_talk import LONG, text
from servers import mcp_served

from medground.engine.engine import Engine
from medground.faces.mcp.server import over_http
from medground.faces.mcp.tool import Times
from medground.faces.service.accounts import Tokens
from medground.faces.service.records import Records
from medground.faces.service.service import Service
from medground.home.settings import Settings

pytestmark = pytest.mark.usefixtures("loopback")
PATIENCE = 120.0
"""Seconds; a test on a busy machine waits for its first answer."""
QUESTION = "Does aspirin reduce the risk of stroke in adults?"
INITIALIZE: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}
ACCEPT = {"Accept": "application/json, text/event-stream"}


@asynccontextmanager
async def served(papers: Settings, *, authenticated: bool = False) -> AsyncIterator[tuple[str, Service]]:
    """The address and the service of a real server on a free port."""
    times = Times(patience=PATIENCE, beat=0.2)
    async with Service.open(papers) as service, mcp_served(service, authenticated=authenticated, times=times) as url:
        yield url, service


@asynccontextmanager
async def client(url: str, token: str = "", mode: str = "auto") -> AsyncIterator[Client]:
    """A client of the official SDK, with a token if there is one."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=PATIENCE) as connection,
        Client(streamable_http_client(url, http_client=connection), mode=mode) as talk,
    ):
        yield talk


async def test_a_client_asks_over_http_and_hears_progress(papers: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Engine.ask

    async def slowly(engine: Engine, *given: Any, **chosen: Any) -> Any:
        await asyncio.sleep(0.7)
        return await whole(engine, *given, **chosen)

    monkeypatch.setattr(Engine, "ask", slowly)

    async with served(papers) as (url, _):
        told: list[str] = []

        async def progress(number: float, total: float | None, message: str | None) -> None:
            told.append(message or "")

        async with client(url) as talk:
            assert len((await talk.list_tools()).tools) == 15
            answer = await talk.call_tool("ask", {"question": QUESTION}, progress_callback=progress)
            assert isinstance(answer, CallToolResult)
            assert not answer.is_error
            assert "PMID:1" in text(answer)
        assert told


async def test_a_token_is_needed_where_the_server_asks_for_one(papers: Settings) -> None:
    async with served(papers, authenticated=True) as (url, service):
        tokens = Tokens(service._records)
        ann, bob = tokens.create("ann"), tokens.create("bob")
        async with client(url, ann) as talk:
            answer = await talk.call_tool("ask", {"question": QUESTION})
            assert isinstance(answer, CallToolResult)
            trace_id = (answer.structured_content or {})["trace_id"]
            again = await talk.call_tool("ask", {"question": "Does it reduce gout?", "follow": trace_id})
            assert not again.is_error
        async with client(url, bob) as talk:  # another's answer is like one that is not there
            other = await talk.call_tool("ask", {"question": "Does it reduce gout?", "follow": trace_id})
            assert other.is_error
        tokens.revoke("bob")
        async with httpx2.AsyncClient(timeout=PATIENCE) as plain:
            for sent_as in ("", f"Bearer {bob}", "Bearer x", ann, "Basic eDp5"):
                headers = {"Authorization": sent_as} if sent_as else {}
                sent = await plain.post(url, json=INITIALIZE, headers={**ACCEPT, **headers})
                assert sent.status_code == 401, sent_as
                assert sent.headers["WWW-Authenticate"] == "Bearer"
                assert sent.json()["next"]
            service._records.path.unlink()
            lost = await plain.post(url, json=INITIALIZE, headers={**ACCEPT, "Authorization": f"Bearer {ann}"})
            assert (lost.status_code, lost.json()["type"]) == (507, "urn:medground:problem:storage")


async def test_foreign_hosts_and_origins_large_bodies_and_bombs_are_refused(papers: Settings) -> None:
    async with served(papers) as (url, _):
        own = url.removesuffix("/mcp")
        async with httpx2.AsyncClient(headers=ACCEPT, timeout=PATIENCE) as plain:
            statuses: dict[str, int] = {}
            for name, headers in {
                "own": {"Origin": own},
                "host": {"Host": "evil.example"},
                "origin": {"Origin": "https://evil.example"},
                "other port": {"Origin": "http://127.0.0.1:9"},
                "token": {"Authorization": "Bearer nonsense"},
            }.items():
                statuses[name] = (await plain.post(url, json=INITIALIZE, headers=headers)).status_code
            assert statuses == {"own": 200, "host": 421, "origin": 403, "other port": 403, "token": 401}
            json = {"Content-Type": "application/json"}
            large = await plain.post(url, content=b"[" + b"1," * 10_000_000 + b"1]", headers=json)
            assert large.status_code == 413
            deep = await plain.post(url, content=b"[" * 10_000, headers=json)
            assert deep.status_code == 400
            assert (await plain.post(url, content=b"x", headers={"Content-Type": "text/plain"})).status_code == 415
            assert "access-control-allow-origin" not in (await plain.options(url)).headers
        async with client(url) as talk:
            assert not (await talk.call_tool("search", {"query": "aspirin"})).is_error


async def test_it_serves_until_it_is_told_to_stop(papers: Settings) -> None:
    listening: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    serving = asyncio.create_task(over_http(papers, host="127.0.0.1", port=0, announce=listening.set_result))
    async with client(await listening) as talk:
        assert not (await talk.call_tool("search", {"query": "aspirin"})).is_error
    signal.raise_signal(signal.SIGINT)
    await asyncio.wait_for(serving, PATIENCE)


@pytest.mark.slow
async def test_each_request_is_logged_without_what_it_asks(papers: Settings, environment: dict[str, str]) -> None:
    options = ["--http", "--port", "0", "--set", "serve.log=json", "--corpus", "papers"]
    with Popen([sys.executable, *COMMAND, *options], env=environment, stderr=PIPE, text=True) as process:
        assert process.stderr is not None
        told = json.loads(process.stderr.readline())["message"]
        async with client(told.partition(" at ")[2].split()[0]) as talk:
            assert not (await talk.call_tool("search", {"query": "aspirin"})).is_error
        process.send_signal(signal.SIGTERM)
        lines = [json.loads(line) for line in process.stderr]
    assert lines and {(line["method"], line["route"]) for line in lines} == {("POST", "/mcp")}
    assert all(line["request_id"] and line["ms"] for line in lines)
    assert "aspirin" not in str(lines)


COMMAND = ["-c", "from medground.faces.cli.app import main; main()", "mcp"]


@pytest.mark.slow
async def test_a_client_starts_it_asks_and_leaves(papers: Settings, environment: dict[str, str]) -> None:
    command = [*COMMAND, "--corpus", "papers", "--corpus", "terms"]
    process = StdioServerParameters(command=sys.executable, args=command, env=environment)
    async with Client(process) as client:
        assert client.server_info.name == "medground"
        assert len((await client.list_tools()).tools) == 15
        answer = await client.call_tool("ask", {"question": "Does aspirin reduce the risk of stroke in adults?"})
        assert not answer.is_error
        assert "PMID:1" in text(answer)
        wrong = await client.call_tool("fetch", {"id": "PMID:404"})
        assert wrong.is_error
        assert "Find its id with search." in text(wrong)


TYPESCRIPT = Path(__file__).resolve().parents[2] / "kits" / "typescript"


@pytest.mark.slow
async def test_the_typescript_client_reads_all_that_is_offered(papers: Settings, environment: dict[str, str]) -> None:
    if not (TYPESCRIPT / "node_modules").is_dir():
        pytest.skip("needs node, and npm ci in tests/kits/typescript")
    words = ["node", str(TYPESCRIPT / "client.js"), sys.executable, *COMMAND, "--corpus", "papers", "--corpus", "terms"]
    running = await asyncio.create_subprocess_exec(*words, env=environment, stdout=PIPE, stderr=PIPE)
    said, errors = await running.communicate()
    assert running.returncode == 0, errors.decode()
    told = json.loads(said)
    assert told["capabilities"] == ["completions", "prompts", "resources", "tools"]
    (answer,) = told["resources"]
    assert (told["corpora"], told["found"] > 0) == (["papers", "terms"], True)
    assert told["completed"] == [answer.removeprefix("medground://answer/")]
    assert told["wrong"].startswith("limit: too large; use 50 or less")
    assert "Aspirin reduced" in told["read"]
    assert (len(told["tools"]), len(told["prompts"])) == (15, 3)


@pytest.mark.slow
async def test_fastmcp_reads_all_that_is_offered(papers: Settings, environment: dict[str, str]) -> None:
    fastmcp = pytest.importorskip("fastmcp", reason="needs fastmcp-slim")
    from fastmcp.client.transports import StdioTransport

    transport = StdioTransport(sys.executable, [*COMMAND, "--corpus", "papers", "--corpus", "terms"], env=environment)
    async with fastmcp.Client(transport, timeout=PATIENCE) as client:
        assert [tool.title for tool in await client.list_tools()][:2] == ["Ask", "Research"]
        assert (len(await client.list_resource_templates()), len(await client.list_prompts())) == (2, 3)
        answer = await client.call_tool("ask", {"question": QUESTION})
        (listed,) = await client.list_resources()
        assert (listed.name, listed.title) == (answer.structured_content["trace_id"], QUESTION)
        assert "Aspirin reduced" in (await client.read_resource(listed.uri))[0].text
        wrong = await client.call_tool("fetch", {"id": "PMID:404"}, raise_on_error=False)
        assert wrong.structured_content["next"] == "Find its id with search."


def test_a_client_is_greeted_before_the_engine_is_loaded(environment: dict[str, str]) -> None:
    """Clients start the server and wait for it: what it lists needs neither the engine nor the database."""
    code = (
        "import sys; from medground.faces.mcp import server, offers;"
        "print(offers.PROMPTS and [tool.listed({}) for tool in server.TOOLS.values()] and ' '.join(sys.modules))"
    )
    loaded = check_output([sys.executable, "-c", code], env=environment, text=True).split()
    assert not {"medground.engine.engine", "medground.faces.service.service", "sqlalchemy", "jinja2"} & set(loaded)


class InTurn(httpx2.AsyncHTTPTransport):
    """A balancer: each request goes to the next process."""

    def __init__(self, ports: list[int]) -> None:
        super().__init__()
        self.ports = cycle(ports)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        request.url = request.url.copy_with(port=next(self.ports))
        return await super().handle_async_request(request)


@contextmanager
def two_processes(environment: dict[str, str], *words: str) -> Iterator[list[int]]:
    """The ports of two servers of one home, which ask for a token."""
    command = [sys.executable, *COMMAND[:-1], *words, "--corpus", "papers", "--port", "0", "--login"]
    with ExitStack() as held:
        both = [held.enter_context(Popen(command, env=environment, stderr=PIPE, text=True)) for _ in range(2)]
        for one in both:
            held.callback(one.kill)
        said = (str(one.stderr and one.stderr.readline()) for one in both)
        yield [int(line.partition("127.0.0.1:")[2].partition(" ")[0].removesuffix("/mcp")) for line in said]


@pytest.mark.slow
async def test_each_request_may_go_to_another_process(papers: Settings, environment: dict[str, str]) -> None:
    with closing(Records(papers.home)) as records:
        bearer = {"Authorization": f"Bearer {(secret := Tokens(records).create('ann'))}"}
    with two_processes(environment, "mcp", "--http") as ports:
        for mode in ("auto", "legacy"):
            async with (
                httpx2.AsyncClient(headers=bearer, transport=InTurn(ports), timeout=PATIENCE) as plain,
                Client(streamable_http_client("http://127.0.0.1:1/mcp", http_client=plain), mode=mode) as talk,
            ):
                call, given, read = "fetch", {"id": "BOOK:long"}, []
                while any(given.values()):
                    page = (await talk.call_tool(call, given)).structured_content or {}
                    read.append(page["text"])
                    call, given = "read_more", {"cursor": page.get("cursor", "")}
                assert "".join(read) == LONG and len(read) > 2
    with two_processes(environment, "web", "--no-browser") as ports:
        async with httpx2.AsyncClient(
            transport=InTurn(ports), base_url="http://127.0.0.1:1", timeout=PATIENCE
        ) as browser:
            assert (await browser.post("/session", json={"token": secret})).status_code == 200
            sent = {"json": {"text": "aspirin"}, "headers": {"X-CSRF-Token": browser.cookies["medground_csrf"]}}
            assert [(await browser.post("/v1/search", **sent)).status_code for _ in range(2)] == [200, 200]
            cookie = {"Cookie": f"medground_session={browser.cookies['medground_session']}"}
            assert (await browser.delete("/session", headers=sent["headers"])).status_code == 200
            assert [(await browser.get("/v1/answers", headers=cookie)).status_code for _ in range(2)] == [401, 401]


@pytest.mark.slow
async def test_the_bundle_starts_the_same_server(papers: Settings, environment: dict[str, str]) -> None:
    root = Path(__file__).resolve().parents[3]
    manifest, server = (json.loads((root / name).read_text()) for name in ("mcpb/manifest.json", "server.json"))
    needed = tomllib.loads((root / "mcpb" / "pyproject.toml").read_text())["project"]["dependencies"]
    released = re.search(r"^## ([0-9.]+) \(", (root / "CHANGELOG.md").read_text(), re.M)
    assert released is not None  # the last one, since the client installs it
    assert {manifest["version"], server["version"], needed[0].partition("==")[2]} == {released[1]}
    started = manifest["server"]["mcp_config"]
    empty = {**environment, **{name: "" for name in started["env"] if name != "MEDGROUND_HOME"}}
    process = StdioServerParameters(command=sys.executable, args=[str(root / "mcpb" / started["args"][-1])], env=empty)
    async with Client(process) as client:
        assert len((await client.list_prompts()).prompts) == 3


def test_a_corpus_that_is_not_there_is_told_at_once(papers: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("mcp", "--corpus", "nowhere") == 2
    said = capsys.readouterr()
    assert said.err.startswith("medground: no corpus 'nowhere'")
    assert said.out == ""
