"""What is refused, and with which problem."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx

QUESTION = {"question": "Does aspirin reduce the risk of stroke?"}
JSON = {"Content-Type": "application/json"}


def problem(response: httpx.Response) -> tuple[int, str]:
    """Status and name of a problem, once its shape is checked."""
    assert response.headers["content-type"] == "application/problem+json", response.text
    content = response.json()
    assert content["status"] == response.status_code
    assert {"type", "title", "detail", "next"} <= content.keys()
    assert "\n" not in content["detail"]
    return content["status"], content["type"].removeprefix("urn:medground:problem:")


BAD: list[tuple[str, str, dict[str, Any], tuple[int, str]]] = [
    ("GET", "/v1/nothing", {}, (404, "not-found")),
    ("PUT", "/v1/ask", {"json": QUESTION}, (405, "method")),
    ("POST", "/v1/ask", {"json": {}}, (422, "usage")),
    ("POST", "/v1/ask", {"json": QUESTION | {"home": "/etc"}}, (422, "usage")),
    ("POST", "/v1/ask", {"json": QUESTION | {"settings": {"model.default": "x"}}}, (422, "usage")),
    ("POST", "/v1/ask", {"json": QUESTION | {"recipe": "../../etc/passwd"}}, (422, "usage")),
    ("POST", "/v1/ask", {"json": QUESTION | {"corpora": ["../../etc"]}}, (422, "usage")),
    ("POST", "/v1/ask", {"json": QUESTION | {"kind": "research"}}, (422, "usage")),
    ("POST", "/v1/ask", {"content": b"", "headers": JSON}, (422, "usage")),
    ("POST", "/v1/ask", {"content": b"{", "headers": JSON}, (400, "bad-request")),
    ("POST", "/v1/ask", {"content": b'{"a":' * 100_000, "headers": JSON}, (400, "bad-request")),
    ("POST", "/v1/ask", {"content": b"9" * 500_000, "headers": JSON}, (400, "bad-request")),
    ("POST", "/v1/ask", {"content": b"[" + b"0," * 400_000 + b"0]", "headers": JSON}, (413, "too-large")),
    ("POST", "/v1/ask", {"content": b"\xff\xfe", "headers": JSON}, (400, "bad-request")),
    ("POST", "/v1/ask", {"content": b" " * 1_000_001, "headers": JSON}, (413, "too-large")),
    ("POST", "/v1/ask", {"content": b"{}", "headers": {"Content-Type": "text/plain"}}, (415, "media-type")),
    ("POST", "/v1/ask", {"json": QUESTION, "headers": {"Origin": "https://evil.example"}}, (403, "refused")),
    ("POST", "/v1/ask", {"json": QUESTION, "headers": {"Origin": "http://localhost:81"}}, (403, "refused")),
    ("POST", "/v1/ask", {"json": QUESTION, "headers": {"Sec-Fetch-Site": "cross-site"}}, (403, "refused")),
    ("GET", "/v1/answers", {"headers": {"Host": "evil.example"}}, (421, "host")),
    ("GET", "/v1/answers", {"headers": {"Host": "localhost.evil.example:8123"}}, (421, "host")),
    ("GET", "/v1/answers", {"headers": {"Authorization": "Basic eDp5"}}, (401, "not-allowed")),
    ("GET", "/v1/answers", {"params": {"limit": "9" * 5000}}, (422, "usage")),
    ("GET", "/v1/answers/..%2f..%2fsettings", {}, (404, "not-found")),
    ("GET", "/v1/answers/20261123-000000-00000000/files/..%2f..%2fx", {}, (404, "not-found")),
    ("GET", "/v1/answers/x/export", {"params": {"format": "exe"}}, (422, "usage")),
    ("GET", "/v1/documents/../../etc/passwd", {}, (404, "not-found")),
    ("GET", "/v1/documents/..%2f..%2fetc%2fpasswd", {}, (422, "usage")),
    ("GET", "/v1/documents/PMID:404", {}, (404, "not-found")),
    ("GET", "/v1/jobs/none", {}, (404, "not-found")),
    ("GET", "/v1/jobs/none/events", {}, (404, "not-found")),
    ("GET", "/v1/jobs/none/events", {"headers": {"Last-Event-ID": "one"}}, (422, "usage")),
    ("DELETE", "/v1/jobs/none", {}, (404, "not-found")),
]


async def test_bad_input_gets_a_problem(calling: Callable[..., Any]) -> None:
    async with calling() as client:
        wrong = []
        for method, path, sent, expected in BAD:
            response = await client.request(method, path, **sent)
            if problem(response) != expected:
                wrong.append((method, path, problem(response), expected))
            assert response.headers["x-content-type-options"] == "nosniff"
            assert response.headers["cache-control"] == "no-store"
            assert not [name for name in response.headers if name.startswith("access-control")]
        assert wrong == []


async def test_a_large_body_is_refused_before_it_is_read(calling: Callable[..., Any]) -> None:
    read = 0

    async def body() -> AsyncIterator[bytes]:
        nonlocal read
        for _ in range(100):
            read += 1_000_000
            yield bytes(1_000_000)

    async with calling() as client:
        told = JSON | {"Content-Length": "100000000"}
        assert problem(await client.post("/v1/ask", content=body(), headers=told)) == (413, "too-large")
        assert read == 0
        assert problem(await client.post("/v1/ask", content=body(), headers=JSON)) == (413, "too-large")
        assert read <= 2_000_000


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"question": ""}, "the question is empty; write it in words"),
    (QUESTION | {"kind": "poem"}, "kind: unknown value; use 'ask' or 'research'"),
    (QUESTION | {"corpora": "papers"}, "corpora: not a list"),
    (QUESTION | {"home": "/etc"}, "home: unknown field; leave it out"),
    (QUESTION | {"filters": {"year_from": "soon"}}, "filters.year_from: not a whole number"),
    (QUESTION | {"context": "x" * 64_001}, "context: too long; shorten it to at most 64,000 characters"),
    (QUESTION | {"corpora": ["x"] * 51}, "corpora: too many entries; give at most 50"),
    (
        {"question": 7, "recipe": ["x"]},
        "question: not text; put it in quotes; recipe: not text; put it in quotes",
    ),
]


async def test_wrong_fields_are_told_in_our_words(calling: Callable[..., Any]) -> None:
    async with calling() as client:
        for sent, detail in WRONG:
            response = await client.post("/v1/ask", json=sent)
            assert problem(response) == (422, "usage")
            assert response.json()["detail"] == detail
