"""What the operator of a server reads: its log and its figures, with nothing in them that people sent."""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from live_server import serving
from rows import each_row
from small_service import QUESTION, tokens_of

from medground.faces.server_log import logging_as
from medground.faces.service.service import Service
from medground.home.settings import Settings

FIELDS = {"time", "level", "logger", "method", "route", "status", "ms", "request_id"}
TEXT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z INFO ([A-Z]+) (\S+) ([0-9]{3}) [0-9.]+ ms (\S+)")
EXPECTED = [
    ("POST", "/v1/ask", 200),
    ("GET", "/v1/answers/{trace_id}", 404),
    ("GET", "none", 404),
    ("POST", "none", 400),  # refused before it has a route
    ("GET", "/v1/usage", 401),
    ("GET", "none", 421),
]


@pytest.mark.slow
@pytest.mark.parametrize("form", ["json", "text", "off"])
def test_the_log_has_a_line_for_each_request_and_nothing_that_was_sent(
    papers: Settings, loopback: None, form: str
) -> None:
    with tokens_of(papers.home) as tokens:
        secret = tokens.create("ada")
    known = {"Authorization": f"Bearer {secret}"}
    with serving("--corpus", "papers", "--set", f"serve.log={form}") as (process, address):
        with httpx2.Client(base_url=address, headers=known, timeout=60) as client:
            replies = [
                client.post("/v1/ask", json={"question": QUESTION}),
                client.get("/v1/answers/20200101-000000-00000000", params={"token": secret}),
                client.get("/v1/aspirin", headers={"X-Request-ID": "edge-7.a_b"}),
                client.post("/v1/ask", content=b"{stroke", headers={"Content-Type": "application/json"}),
                client.get("/v1/usage", headers={"Authorization": "Bearer mg_wrong", "X-Request-ID": secret}),
                client.get("/", headers={"Host": "stroke.example"}),
            ]
        process.send_signal(signal.SIGTERM)
        assert process.stderr is not None
        printed = process.stderr.read().decode()
    ids = [reply.headers["x-request-id"] for reply in replies]
    assert len(set(ids)) == len(ids)
    assert ids[2] == "edge-7.a_b"
    if form == "json":
        lines = [json.loads(line) for line in printed.splitlines()]
        assert {frozenset(line) for line in lines} == {frozenset(FIELDS)}
        read = [(line["method"], line["route"], line["status"], line["request_id"]) for line in lines]
    else:
        matches = [TEXT.fullmatch(line) for line in printed.splitlines()]
        read = [(match[1], match[2], int(match[3]), match[4]) for match in matches if match]
        assert len(read) == len(matches)
    assert read == ([] if form == "off" else [(*row, name) for row, name in zip(EXPECTED, ids, strict=True)])
    assert [word for word in ("aspirin", "stroke", "mg_", secret, "20200101") if word in printed] == []


@each_row("form", ["json", "text"])
async def test_an_error_that_nobody_expected_is_counted_and_logged_without_its_message(
    calling: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], form: Any
) -> None:
    async def broken(*_: object) -> None:
        raise ValueError(f"cannot count {QUESTION}")

    monkeypatch.setattr(Service, "usage", broken)
    with logging_as(form):
        async with calling() as client:
            reply = await client.get("/v1/usage")
            figures = (await client.get("/metrics")).text
    assert (reply.status_code, reply.json()["type"]) == (500, "urn:medground:problem:internal")
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert 'medground_requests_total{method="GET",route="/v1/usage",status="500"} 1' in figures
    printed = capsys.readouterr().err
    assert "aspirin" not in printed.lower()
    assert "GET /v1/usage failed" in printed and "ValueError" in printed and "test_operating.py" in printed
    assert reply.headers["x-request-id"] in printed
    if form == "json":
        assert [json.loads(line)["level"] for line in printed.splitlines()] == ["ERROR", "INFO", "INFO"]
