"""Who may ask, and what of whom; `medground serve` as a separate process."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
from rows import each_row
from small_service import tokens_of

from medground.errors import UsageError
from medground.faces.api.server import needs_token
from medground.home.settings import Settings

QUESTION = {"question": "Does aspirin reduce the risk of stroke?"}


def bearer(secret: str) -> dict[str, str]:
    """The header of a token."""
    return {"Authorization": f"Bearer {secret}"}


async def test_each_token_sees_its_own_answers_until_revoked(papers: Settings, calling: Callable[..., Any]) -> None:
    with tokens_of(papers.home) as tokens:
        ada, bob = (bearer(tokens.create(name)) for name in ("ada", "bob"))

    async with calling(authenticated=True) as client:
        job = (await client.post("/v1/jobs", json=QUESTION, headers=ada)).json()["id"]
        answer = (await client.post("/v1/ask", json=QUESTION, headers=ada)).json()["trace_id"]
        theirs = [f"/v1/answers/{answer}{end}" for end in ("", "/view", "/export")]
        for path in (*theirs, f"/v1/jobs/{job}", f"/v1/jobs/{job}/events"):
            assert (await client.get(path, headers=ada)).status_code == 200, path
            other = await client.get(path, headers=bob)
            missing = await client.get(path.replace(answer, "20200101-000000-00000000").replace(job, "x"), headers=bob)
            assert other.status_code == missing.status_code == 404, path
            assert other.json().keys() == missing.json().keys()
        for path in (f"/v1/answers/{answer}", f"/v1/jobs/{job}"):
            assert (await client.delete(path, headers=bob)).status_code == 404
        follow = await client.post("/v1/ask", json=QUESTION | {"follow": answer}, headers=bob)
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
        with pytest.raises(UsageError, match="first create one: medground token"):
            needs_token(settings, host)
    with tokens_of(papers.home) as tokens:
        tokens.create("ada")
    for settings, host in (*from_outside, (papers, "127.0.0.1")):
        assert needs_token(settings, host)
    assert not needs_token(papers, "127.0.0.1", login=False)
    for settings, host in from_outside:
        with pytest.raises(UsageError, match="leave --open out"):
            needs_token(settings, host, login=False)
    with tokens_of(papers.home) as tokens:
        tokens.revoke("ada")
    with pytest.raises(UsageError, match="first create one"):
        needs_token(papers, "0.0.0.0")


COMMAND = "from medground.faces.cli.app import main; main()"


@contextmanager
def serving(*words: str) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """The process and its address, once it listens."""
    command = [sys.executable, "-c", COMMAND, "serve", "--port", "0", "--quiet", *words]
    with subprocess.Popen(command, stderr=subprocess.PIPE, env=dict(os.environ)) as process:
        try:
            assert process.stderr is not None
            printed = process.stderr.readline().decode()
            address = re.search(r"http://127\.0\.0\.1:[1-9][0-9]*", printed)
            assert address is not None, printed + process.stderr.read().decode()
            yield process, address[0]
        finally:
            process.kill()


@pytest.mark.slow
def test_it_answers_and_ends_within_two_seconds_under_load(papers: Settings, loopback: None) -> None:
    with serving("--corpus", "papers") as (process, address):
        with httpx.Client(base_url=address, timeout=30) as client:
            answer = client.post("/v1/ask", json=QUESTION).json()
            assert [evidence["document_id"] for evidence in answer["evidence"]] == ["PMID:1"]
            assert client.get(f"/v1/answers/{answer['trace_id']}").json() == answer
            for _ in range(50):  # still at work when it is to end
                client.post("/v1/jobs", json=QUESTION)
            told = time.monotonic()
            process.send_signal(signal.SIGINT)
            assert process.wait(30) == 0
        assert time.monotonic() - told < 10  # 2 s on a machine that does nothing else; measured in docs/benchmarks.md
        assert process.stderr is not None
        assert process.stderr.read() == b""
