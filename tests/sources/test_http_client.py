"""The client of services: pace, retries, limits, and faults as errors that show no key."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from closing import then_closed
from rows import each_row

from medground.errors import ConfigError, MedgroundError, RateLimited, SourceUnavailable
from medground.sources.http.clients import Pace
from medground.sources.http.service import Client, Reply, Service

KEY = "secret-key-1234567"


def client_of(peer: Any, *, key: str = "", waits: Any = None, seconds: float = 30.0, **more: Any) -> Client:
    headers = {"X-API-Key": key} if key else {}
    patience = replace(Service.patience, first_wait=0.001, seconds=seconds)
    service = Service("things", peer.url, headers, patience=patience, **more)
    return Client(service, pace=Pace(float("inf"), clock=waits.clock, sleep=waits.sleep) if waits else None)


def got(client: Client, *path: Any, **more: Any) -> Reply:
    return then_closed(client, client.get(*(path or ("a/b", {"q": "two words"})), **more))


def test_parameters_and_headers_are_sent_and_the_reply_is_read(make_peer: Callable[..., Any], reply: Any) -> None:
    peer = make_peer(reply(b'{"a": [1]}', type="Application/JSON; charset=utf-8"))
    one = got(client_of(peer, key=KEY), "a/b", {"q": "two words", "api_key": KEY})
    assert (one.json(), one.media_type, one.status, one.service) == ({"a": [1]}, "application/json", 200, "things")
    assert one.url == f"{peer.url}/a/b?q=two+words"
    assert peer.asked[0].parameters == {"q": "two words", "api_key": KEY}
    assert peer.asked[0].headers["x-api-key"] == KEY
    with pytest.raises(SourceUnavailable, match=r"^things: the reply is not JSON; the service may have changed$"):
        got(client_of(make_peer(reply(b"<html>")))).json()


@each_row("first", [{"status": 503}, {"status": 429}, {"reset": True}, {"body": b"x" * 90, "cut": 50}])
def test_what_may_pass_is_tried_again(first: dict[str, Any], make_peer: Callable[..., Any], reply: Any) -> None:
    peer = make_peer(reply(**first), reply(b"fine"))
    assert got(client_of(peer)).body == b"fine"
    assert len(peer.asked) == 2


def test_retry_after_is_waited_for_up_to_a_limit(make_peer: Callable[..., Any], reply: Any, waits: Any) -> None:
    peer = make_peer(reply(status=429, headers={"retry-after": "7"}), reply(b"fine"))
    assert got(client_of(peer, waits=waits)).body == b"fine"
    assert waits.slept == [7]
    peer = make_peer(reply(status=429, headers={"retry-after": "3600"}))
    with pytest.raises(RateLimited, match=r"^things: rate limit exceeded; wait 3600 s$") as caught:
        got(client_of(peer, waits=waits))
    assert caught.value.retry_after == 3600
    assert len(peer.asked) == 1


FAULTS: list[tuple[dict[str, Any], str, type[MedgroundError], str, int]] = [
    ({"status": 500}, "", SourceUnavailable, "the service failed with HTTP status 500 (3 attempts); try again", 3),
    ({"status": 429}, "", RateLimited, "rate limit exceeded (3 attempts); wait, or set an API key", 3),
    ({"status": 404}, "", SourceUnavailable, "the request was rejected with HTTP status 404; try again later", 1),
    ({"status": 401}, "", SourceUnavailable, "the request was rejected with HTTP status 401; try again later", 1),
    (
        {"status": 403, "body": f'{{"error": {{"message": "bad {KEY}"}}}}'.encode()},
        KEY,
        ConfigError,
        "the key was rejected with HTTP status 403: bad ********; correct it in the settings (`keys`)",
        1,
    ),
    ({"status": 403, "body": b'{"error": "Quota exceeded"}'}, KEY, RateLimited, "rate limit exceeded", 3),
    (
        {"status": 302, "headers": {"location": "http://169.254.169.254/key"}},
        KEY,
        SourceUnavailable,
        "the service points to another host (http://169.254.169.254/key), which is not asked; try again later",
        1,
    ),
    ({"status": 302, "headers": {"location": "/a/b"}}, "", SourceUnavailable, "too many redirects", 4),
]


@each_row(("answer", "key", "error", "line", "asked"), FAULTS)
def test_faults_are_one_line_without_the_key(
    answer: dict[str, Any],
    key: str,
    error: type[MedgroundError],
    line: str,
    asked: int,
    make_peer: Callable[..., Any],
    reply: Any,
) -> None:
    peer = make_peer(reply(**answer))
    with pytest.raises(error) as caught:
        got(client_of(peer, key=key, largest=1000, seconds=0.2))
    assert type(caught.value) is error
    assert str(caught.value).startswith(f"things: {line}")
    assert "\n" not in str(caught.value)
    assert KEY not in f"{caught.value!r}{caught.value.__cause__!r}"
    assert len(peer.asked) == asked


def test_absent_statuses_and_redirects_within_the_host_are_replies_in_any_loop(
    make_peer: Callable[..., Any], reply: Any
) -> None:
    assert got(client_of(make_peer(reply(b"none", status=404))), "x", absent=frozenset([404])).status == 404
    peer = make_peer(reply(status=303, headers={"location": "/entry/P2?format=json"}), reply(b"P2"))
    assert got(client_of(peer), "entry/P1").url.endswith("/entry/P2?format=json")
    client = client_of(make_peer(reply(b"fine")))
    assert [asyncio.run(client.get("x")).body for _ in range(2)] == [b"fine", b"fine"]


def test_an_address_that_is_none_is_an_error_of_the_settings() -> None:
    with pytest.raises(ConfigError, match=r"^things: 'example' is not an address; set one that begins with https"):
        Service("things", "example")
