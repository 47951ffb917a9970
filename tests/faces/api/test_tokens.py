"""Who may ask, and what of whom, also when the records of tokens are lost; `medground serve` as a process."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx2
import pytest
from command_line import run as cli
from live_server import COMMAND, serving
from refusals import refused
from rows import each_row
from small_service import answered, tokens_of

from medground.engine.blocking import BlockingEngine
from medground.errors import UsageError
from medground.faces.api.server import needs_token
from medground.faces.service.records import FILE_NAME, MARK
from medground.faces.service.request import AskBody
from medground.faces.service.service import Service
from medground.faces.service.values import Limits, Role
from medground.home.settings import Settings

ASKED = {"question": "Does aspirin reduce the risk of stroke?"}


def bearer(secret: str) -> dict[str, str]:
    """The header of a token."""
    return {"Authorization": f"Bearer {secret}"}


async def test_each_token_sees_its_own_answers_until_revoked(papers: Settings, calling: Callable[..., Any]) -> None:
    with tokens_of(papers.home) as tokens:
        ada, bob = (bearer(tokens.create(name)) for name in ("ada", "bob"))

    async with calling(authenticated=True) as client:
        job = (await client.post("/v1/jobs", json=ASKED, headers=ada)).json()["id"]
        answer = (await client.post("/v1/ask", json=ASKED, headers=ada)).json()["trace_id"]
        theirs = [f"/v1/answers/{answer}{end}" for end in ("", "/view", "/export")]
        for path in (*theirs, f"/v1/jobs/{job}", f"/v1/jobs/{job}/events"):
            assert (await client.get(path, headers=ada)).status_code == 200, path
            other = await client.get(path, headers=bob)
            missing = await client.get(path.replace(answer, "20200101-000000-00000000").replace(job, "x"), headers=bob)
            assert other.status_code == missing.status_code == 404, path
            assert other.json().keys() == missing.json().keys()
        for path in (f"/v1/answers/{answer}", f"/v1/jobs/{job}"):
            assert (await client.delete(path, headers=bob)).status_code == 404
        follow = await client.post("/v1/ask", json=ASKED | {"follow": answer}, headers=bob)
        assert follow.status_code == 404
        assert (await client.get("/v1/answers", headers=bob)).json() == {"answers": [], "next": None}
        assert (await client.get("/v1/usage", headers=ada)).json()["month"]["requests"] == 2
        assert (await client.get("/v1/usage", headers=bob)).json()["month"]["requests"] == 0
        with tokens_of(papers.home) as tokens:
            tokens.revoke("ada")
        revoked = await client.get(f"/v1/answers/{answer}", headers=ada)
        assert (revoked.status_code, revoked.headers["www-authenticate"]) == (401, "Bearer")


@each_row("secret", ["mg_" + "A" * 43, "", "x" * 5000, "mg_\u00e9"])
@each_row("authenticated", [True, False])
async def test_a_wrong_token_is_refused_also_where_none_is_needed(
    calling: Callable[..., Any], secret: str, authenticated: bool
) -> None:
    async with calling(authenticated=authenticated) as client:
        response = await client.get("/v1/answers", headers={"Authorization": f"Bearer {secret}".encode()})
        assert (response.status_code, response.json()["type"]) == (401, "urn:medground:problem:not-allowed")
        assert secret not in response.text or not secret


def test_other_computers_always_need_a_token(papers: Settings) -> None:
    named = papers.with_options({"serve.hosts": "answers.example"})
    from_outside = ((papers, "0.0.0.0"), (named, "127.0.0.1"))
    assert not needs_token(papers, "127.0.0.1")
    with pytest.raises(UsageError, match="--login asks for a token; first create one: medground token create NAME"):
        needs_token(papers, "127.0.0.1", login=True)
    for settings, host in from_outside:
        refused(UsageError, "first create one: medground token", needs_token, settings, host)
    with tokens_of(papers.home) as tokens:
        tokens.create("ada")
    for settings, host in (*from_outside, (papers, "127.0.0.1")):
        assert needs_token(settings, host)
    assert not needs_token(papers, "127.0.0.1", login=False)
    for settings, host in from_outside:
        refused(UsageError, "leave --open out", needs_token, settings, host, login=False)
    with tokens_of(papers.home) as tokens:
        tokens.revoke("ada")
    refused(UsageError, "first create one", needs_token, papers, "0.0.0.0")


@pytest.mark.slow
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_it_answers_and_ends_within_two_seconds_under_load(papers: Settings, loopback: None, sign: int) -> None:
    with serving("--corpus", "papers", "--set", "serve.log=off") as (process, address):
        with httpx2.Client(base_url=address, timeout=30) as client:
            answer = client.post("/v1/ask", json=ASKED).json()
            assert [evidence["document_id"] for evidence in answer["evidence"]] == ["PMID:1"]
            assert client.get(f"/v1/answers/{answer['trace_id']}").json() == answer
            for _ in range(50):  # still at work when it is to end
                client.post("/v1/jobs", json=ASKED)
            told = time.monotonic()
            process.send_signal(sign)
            assert process.wait(30) == 0
        assert time.monotonic() - told < 10  # 2 s on an idle machine; docs/measurements/size.md
        assert process.stderr is not None
        assert process.stderr.read() == b""


QUESTION = "Does aspirin reduce the risk of stroke?"
CHAT = {"model": "ground", "messages": [{"role": "user", "content": QUESTION}]}


def statements(file: Path, *done: str) -> None:
    with closing(sqlite3.connect(file)) as records, records:
        for one in done:
            records.execute(one)


LOST: dict[str, Callable[[Path], None]] = {
    "its folder deleted": lambda file: shutil.rmtree(file.parent),
    "no mark and no tables": lambda file: (
        (file.parents[1] / MARK).unlink(),
        statements(file, "DROP TABLE tokens", "DROP TABLE answers"),
    )[0],
}
"""Two of the faults; `benchmarks/faults.py` has more."""


def token(settings: Settings, name: str, role: Role = "reader") -> str:
    with tokens_of(settings.home) as tokens:
        return tokens.create(name, role=role)


@pytest.fixture
def asked(papers: Settings) -> str:
    """The trace of an answer of ada, who has the only token."""
    secret = token(papers, "ada")

    async def ask() -> str:
        async with Service.open(papers) as service:
            return (await answered(service, AskBody(question=QUESTION), await service.who(secret))).trace_id

    return asyncio.run(ask())


@pytest.mark.parametrize("how", [*LOST, "no mark and last token revoked"])
def test_a_server_without_a_valid_token_does_not_start_by_itself(
    papers: Settings, asked: str, how: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if how in LOST:
        LOST[how](papers.home / "service" / FILE_NAME)
    else:
        assert cli("token", "revoke", "ada") == 0
        assert "servers refuse everyone" in capsys.readouterr().err
        (papers.home / MARK).unlink()  # as an older version of Medground left it
    for command in (("serve",), ("web", "--no-browser"), ("mcp", "--http")):
        assert cli(*command, "--corpus", "papers", "--port", "0") == 2
        assert (
            "none is valid now; create one with medground token create NAME, or add --open"
            in capsys.readouterr().err.replace("\n", " ")
        )
    assert not needs_token(papers, "127.0.0.1", login=False)
    token(papers, "ada")
    assert needs_token(papers, "127.0.0.1")


def test_damaged_records_are_named_with_what_to_do(
    papers: Settings, asked: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = papers.home / "service" / FILE_NAME
    statements(file, "UPDATE tokens SET limits = '{'")
    assert cli("token", "list") == 1
    assert "has a damaged token; move the file away" in capsys.readouterr().err.replace("\n", " ")
    for beside in file.parent.glob("*-*"):
        beside.unlink()
    file.write_bytes(b"no database " * 1000)
    for words in (("serve", "--port", "0"), ("serve", "--open", "--port", "0"), ("token", "create", "bob")):
        assert cli(*words) == 1
        assert "file is not a database); move it away and restart" in capsys.readouterr().err.replace("\n", " ")


async def test_an_answer_whose_owner_is_lost_is_shown_by_the_command_line_alone(
    papers: Settings, calling: Callable[..., Any], asked: str, capsys: pytest.CaptureFixture[str]
) -> None:
    LOST["no mark and no tables"](papers.home / "service" / FILE_NAME)
    people = [
        {"Authorization": f"Bearer {token(papers, name, 'admin' if name == 'bob' else 'reader')}"}
        for name in ("ada", "bob")
    ]
    with BlockingEngine(papers) as engine:
        later = engine.ask(QUESTION).trace_id

    async with calling() as client:
        for headers in people:
            assert (await client.get("/v1/answers", headers=headers)).json()["answers"] == []
        here = (await client.get("/v1/answers")).json()["answers"]
        assert [one["trace_id"] for one in here] == [later]
        for headers in (*people, {}):
            for end in ("", "/view", "/export", "/trace"):
                assert (await client.get(f"/v1/answers/{asked}{end}", headers=headers)).status_code == 404
            follow = {"question": QUESTION, "follow": asked}
            assert (await client.post("/v1/ask", json=follow, headers=headers)).status_code == 404
    assert cli("history") == 0
    assert asked in capsys.readouterr().out


@pytest.mark.parametrize("how", ["its folder deleted", "last token revoked"])
async def test_a_running_server_shuts_when_its_records_or_its_last_token_go(
    papers: Settings, calling: Callable[..., Any], asked: str, how: str
) -> None:
    bearer = {"Authorization": f"Bearer {token(papers, 'bob')}"}

    async with calling(authenticated=True) as client:
        assert (await client.get("/v1/answers", headers=bearer)).status_code == 200
        if how in LOST:
            LOST[how](papers.home / "service" / FILE_NAME)
        else:
            for name in ("ada", "bob"):
                cli("token", "revoke", name)
        for headers in (bearer, {}):
            refused = {401} if how not in LOST or not headers else {507}
            assert {(await client.get("/v1/answers", headers=headers)).status_code} == refused
            assert {(await client.post("/v1/chat/completions", json=CHAT, headers=headers)).status_code} == refused


@pytest.mark.slow
def test_servers_of_several_workers_share_limits_and_jobs(papers: Settings, loopback: None) -> None:
    with tokens_of(papers.home) as tokens:
        ada, admin = (bearer(tokens.create(name, limits)) for name, limits in (("ada", Limits(rate=40)), ("bob", None)))
    words = ("--corpus", "papers", "--workers", "2")

    async def found(*addresses: str) -> tuple[int, int]:
        """How many of 1,000 searches were answered and refused."""
        limits = httpx2.Limits(max_connections=20, max_keepalive_connections=0)  # each request may get another worker
        async with httpx2.AsyncClient(limits=limits, timeout=120) as client:
            body = {"json": {"query": "aspirin"}, "headers": ada}
            asked = [client.post(f"{addresses[n % 2]}/v1/search", **body) for n in range(1000)]
            counts = Counter(response.status_code for response in await asyncio.gather(*asked))
        return counts[200], counts[429]

    with serving(*words) as (one, first), serving(*words) as (other, second):
        assert asyncio.run(found(first, second)) == (40, 960)
        job = httpx2.post(f"{first}/v1/jobs", json=ASKED, headers=admin).json()["id"]
        for _ in range(4):
            events = httpx2.get(f"{second}/v1/jobs/{job}/events", headers=admin, timeout=60).text
            assert "event: queued" in events and "event: answer" in events
        workers = Path(f"/proc/{one.pid}/task/{one.pid}/children").read_text().split()
        assert len(workers) == 2
        os.kill(int(workers[0]), signal.SIGKILL)
        assert {httpx2.get(f"{first}/readyz", timeout=60).status_code for _ in range(10)} == {200}
        for process in (one, other):
            process.send_signal(signal.SIGTERM)
        assert [process.wait(60) for process in (one, other)] == [0, 0]
    wrong = [sys.executable, "-c", COMMAND, "serve", "--corpus", "nothing", "--workers", "2", "--port", "0"]
    ended = subprocess.run(wrong, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr.count("no corpus 'nothing'")) == (2, 1)
