"""Replies of services on their way in: limited after unpacking, limited in time, without echoed keys."""

from __future__ import annotations

import asyncio
import gzip
import tracemalloc
import zlib
from collections.abc import Callable, Mapping
from typing import Any

import httpx
import pytest
from closing import then_closed
from http_peer import Asked, Reply
from rows import each_row

from medground.errors import SourceUnavailable
from medground.home.secrets import MASK, secret_forms, secrets_sent
from medground.sources.http.clients import Bounded, Network, ReplyLimits
from medground.sources.http.retries import Patience
from medground.sources.http.service import Client, Service

KEY = "key/of+12 chars"


def bomb(size: int) -> bytes:
    pack = zlib.compressobj(9, zlib.DEFLATED, 31)
    return b"".join([*(pack.compress(bytes(1 << 20)) for _ in range(size >> 20)), pack.flush()])


def got(
    address: str, *, headers: Mapping[str, str] | None = None, largest: int = 1 << 20, seconds: float = 60.0
) -> str:
    patience = Patience(tries=1, seconds=seconds)
    client = Client(Service("things", address, headers or {}, largest=largest, patience=patience))
    return then_closed(client, client.get("x")).body.decode()


@each_row("size", [0, 1, 65_536, 1 << 20])
def test_a_packed_reply_within_the_limit_is_whole(size: int, make_peer: Callable[..., Any]) -> None:
    body = gzip.compress(b"x" * size)
    assert got(make_peer(Reply(body, headers={"content-encoding": "gzip"})).url) == "x" * size


@each_row(
    ("sent", "line"),
    [
        (Reply(bomb(1 << 28), headers={"content-encoding": "gzip"}), "larger than 1 MB"),
        (Reply(b" " * 65536, endless=True), "larger than 1 MB"),
        (Reply(b"x" * 2_000_000), "larger than 1 MB"),
        (Reply(gzip.compress(b"x" * 5000)[:-9], headers={"content-encoding": "gzip"}), "response is incomplete"),
        (Reply(b"not gzip", headers={"content-encoding": "gzip"}), "response is damaged"),
        (Reply(b"x", headers={"content-encoding": "br"}), "packed as 'br'"),
        (Reply(b"x" * 100, drip=0.2), "no response within 0.5 s"),
        (Reply(b"x", drip_head=0.2), "no response within 0.5 s"),
    ],
)
def test_a_hostile_reply_is_one_line(sent: Reply, line: str, make_peer: Callable[..., Any]) -> None:
    peer = make_peer(sent)
    with pytest.raises(SourceUnavailable, match=line) as caught:
        got(peer.url, seconds=0.5 if sent.drip or sent.drip_head else 60.0)
    assert "\n" not in str(caught.value)


def test_a_bomb_takes_no_more_memory_than_the_limit(make_peer: Callable[..., Any]) -> None:
    peer = make_peer(Reply(bomb(1 << 28), headers={"content-encoding": "gzip"}))
    with pytest.raises(SourceUnavailable):  # once before, so that what is made at first use does not count
        got(peer.url)
    tracemalloc.start()
    try:
        with pytest.raises(SourceUnavailable):
            got(peer.url)
        assert tracemalloc.get_traced_memory()[1] < 10 << 20
    finally:
        tracemalloc.stop()


def test_echoed_keys_become_asterisks_in_bodies_and_headers(make_peer: Callable[..., Any]) -> None:
    def echo(asked: Asked) -> Reply:
        forms = "\n".join(secret_forms([KEY]))
        return Reply(f"{asked.headers}\n{forms}".encode(), headers={"x-echo": asked.headers["x-api-key"]})

    said = got(make_peer(echo).url, headers={"x-api-key": KEY})
    assert MASK in said
    assert not [form for form in secret_forms([KEY]) if form in said]
    pieces = make_peer(lambda asked: Reply(f"a {asked.headers['x-api-key']} b".encode(), drip=0.001))
    assert got(pieces.url, headers={"x-api-key": KEY}) == f"a {MASK} b"


def test_a_password_of_the_address_is_masked_in_a_redirect(make_peer: Callable[..., Any]) -> None:
    def redirect(asked: Asked) -> Reply:
        return Reply(
            status=302, headers={"location": f"http://elsewhere.example/?was={asked.headers['authorization']}"}
        )

    peer = make_peer(redirect)

    async def run() -> str:
        async with httpx.AsyncClient(transport=Bounded(ReplyLimits(1000, 60.0), Network())) as client:
            return str((await client.get(peer.url.replace("//", "//user:correct-horse@"))).headers["location"])

    assert asyncio.run(run()) == f"http://elsewhere.example/?was=Basic {MASK}"


def test_secrets_of_a_request() -> None:
    form = {"content-type": "application/x-www-form-urlencoded"}
    assert secrets_sent("https://example.org/?api_key=abcdefgh&q=x", form, b"access_token=ijklmnop&db=pubmed") == [
        "abcdefgh",
        "ijklmnop",
    ]
