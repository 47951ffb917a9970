"""Recorded replies: the same without a network, no key in a file, and never an empty result for a missing one."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from closing import then_closed
from hypothesis import given
from hypothesis import strategies as st
from rows import each_row

from medground.errors import ConfigError, SourceUnavailable
from medground.home.settings import Settings
from medground.sources.eutils.client import Eutils, EutilsService, Transport
from medground.sources.http.retries import Patience
from medground.sources.http.service import Client, Service
from medground.sources.http.wire import Recorded, Replay, keep, open_wire, place_of, read

KEY = "secret-key-1234567"
COUNTS = b"<Count>1</Count><RetMax>1</RetMax><RetStart>0</RetStart>"
FOUND = b"<eSearchResult>" + COUNTS + b"<IdList><Id>7</Id></IdList></eSearchResult>"


def settings_of(folder: Path, how: str) -> Settings:
    return Settings.load(environ={}, options={f"retrieval.{how}": str(folder)})


def asked(url: str, wire: httpx.AsyncBaseTransport | None, path: str = "a", key: str = "", **parameters: str) -> bytes:
    headers = {"X-API-Key": key} if key else {}
    client = Client(
        Service("things", url, headers, largest=100_000, patience=Patience(tries=3, first_wait=0.001)), wire
    )

    return then_closed(client, client.get(path, parameters, absent=frozenset([404]))).body


def test_recorded_replies_are_replayed_offline(
    tmp_path: Path, make_peer: Any, reply: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = reply(gzip.compress(b'{"n": 2}'), type="application/json", headers={"content-encoding": "gzip"})
    peer = make_peer(reply(status=503), reply(b"one"), packed, reply(b"none", status=404))
    record = settings_of(tmp_path / "kept", "record")
    assert asked(peer.url, open_wire(record), key=KEY, q="1", api_key=KEY) == b"one"
    assert asked(peer.url, open_wire(record), q="2") == b'{"n": 2}'
    assert asked(peer.url, open_wire(record), q="3") == b"none"
    files = [path for path in (tmp_path / "kept").rglob("*") if path.is_file()]
    assert len(files) == 3
    assert not any(KEY.encode() in path.read_bytes() for path in files)
    assert any(path.read_bytes().endswith(b'\n}\n\n{"n": 2}') for path in files)

    monkeypatch.setattr("socket.getaddrinfo", lambda *a, **k: pytest.fail("a name was resolved"))
    replay = settings_of(tmp_path / "kept", "replay")
    assert asked(peer.url, open_wire(replay), q="3") == b"none"
    assert asked(peer.url, open_wire(replay), q="2", email="a@b.org") == b'{"n": 2}'
    assert asked(peer.url, open_wire(replay), key="another-key", q="1") == b"one"
    assert len(peer.asked) == 4
    with pytest.raises(SourceUnavailable) as caught:
        asked("https://example.org", Replay(tmp_path), q="1", key=KEY, api_key=KEY)
    line = f"things: not recorded in {tmp_path}: https://example.org/a?q=1; record it with --record"
    assert str(caught.value) == line
    endless = make_peer(reply(b"x" * 1000, endless=True))
    with pytest.raises(SourceUnavailable, match="larger than"):
        asked(endless.url, open_wire(settings_of(tmp_path / "cut", "record")))
    assert list((tmp_path / "cut").rglob("*.*")) == []


@each_row(
    ("damage", "why"),
    [
        (lambda whole: whole.replace(b"one", b"two"), "is incomplete or was changed"),
        (lambda whole: b"\x00" + whole, "is not a recorded reply"),
    ],
)
def test_a_damaged_file_is_named(tmp_path: Path, damage: Callable[[bytes], bytes], why: str) -> None:
    request = httpx.Request("GET", "https://example.org/a?q=1")
    path = keep(tmp_path, request, Recorded(200, {}, b"one"))
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(SourceUnavailable) as caught:
        asked("https://example.org", Replay(tmp_path), q="1")
    assert str(caught.value) == f"things: a recorded reply is damaged: {path} {why}; record it again with --record"


def test_both_or_a_missing_folder_are_errors_of_the_settings(tmp_path: Path) -> None:
    both = {"retrieval.replay": str(tmp_path), "retrieval.record": str(tmp_path)}
    with pytest.raises(ConfigError, match="either replayed or recorded; leave out --replay or --record"):
        open_wire(Settings.load(environ={}, options=both))
    with pytest.raises(ConfigError, match=r"there is no folder .*/none to replay; record one with --record"):
        open_wire(settings_of(tmp_path / "none", "replay"))
    assert open_wire(Settings.load(environ={})) is None


def test_e_utilities_are_replayed_by_get_and_post(tmp_path: Path, make_peer: Any, reply: Any) -> None:
    peer = make_peer(reply(FOUND))

    def found(how: str, key: str | None, term: str) -> tuple[str, ...]:
        service = EutilsService(name="pubmed:test", address=peer.url, email="reader@example.org", api_key=key)
        wire = open_wire(settings_of(tmp_path, how))
        client = Eutils(Transport(service, patience=Patience(tries=2, first_wait=0.001), wire=wire))
        return then_closed(client, client.esearch(term)).ids

    assert found("record", KEY, "marfan") == ("7",)
    assert found("record", None, "aorta") == ("7",)
    assert {one.method for one in peer.asked} == {"GET", "POST"}
    assert (found("replay", None, "marfan"), found("replay", KEY, "aorta")) == (("7",), ("7",))
    with pytest.raises(SourceUnavailable, match=r"^pubmed:test: not recorded in .*; record it with --record$"):
        found("replay", None, "heart")
    assert not any(KEY in path.read_text() or "reader" in path.read_text() for path in tmp_path.rglob("*.reply"))


@given(
    body=st.binary(max_size=200),
    parameters=st.dictionaries(st.text(min_size=1, max_size=8), st.text(max_size=8), max_size=4),
    host=st.sampled_from(["example.org", "[::1]:80", "a-b.example:8080"]),
)
def test_any_reply_is_read_back_whole(
    tmp_path_factory: pytest.TempPathFactory, body: bytes, parameters: dict[str, str], host: str
) -> None:
    folder = tmp_path_factory.mktemp("kept")
    request = httpx.Request("GET", f"https://{host}/x", params=parameters)
    path = keep(folder, request, Recorded(204, {"content-type": "text/plain"}, body))
    assert path == folder / place_of(request)
    assert path.resolve().is_relative_to(folder.resolve())
    assert read(path) == Recorded(204, {"content-type": "text/plain"}, body)
    # the head can be read by a person, and no secret
    request = httpx.Request("POST", "https://u:p@example.org/x?b=2&key=abcdefgh", content=b"raw")
    head, _, kept = keep(folder, request, Recorded(200, {}, b"says abcdefgh")).read_bytes().partition(b"\n\n")
    told = json.loads(head)["request"]
    assert (told["address"], told["parameters"], kept) == ("https://example.org/x", [["b", "2"]], b"says ********")
    assert told["body_sha256"]
