"""The HTTP client: what is sent, tried again and refused; replies that are recorded, and read offline."""

import asyncio
import gzip
import json
import ssl
import threading
import tracemalloc
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import HTTPServer, SimpleHTTPRequestHandler
from pathlib import Path
from typing import Any

import httpx2
import pytest
from closing import then_closed
from http_peer import Asked, Reply
from hypothesis import given
from hypothesis import strategies as st
from rows import each_row

from medground.errors import ConfigError, MedgroundError, RateLimited, SourceUnavailable
from medground.home.secrets import MASK, secret_forms, secrets_sent
from medground.home.settings import Settings
from medground.sources.eutils.client import Eutils, EutilsService, Transport
from medground.sources.http import service as services
from medground.sources.http.clients import Bounded, Network, Pace, ReplyLimits, tls
from medground.sources.http.retries import Patience
from medground.sources.http.service import Client, Service
from medground.sources.http.wire import Recorded, Replay, keep, open_wire, place_of, read

KEY = "secret-key-1234567"


def client_of(peer: Any, *, key: str = "", waits: Any = None, seconds: float = 30.0, **more: Any) -> Client:
    headers = {"X-API-Key": key} if key else {}
    patience = replace(Service.patience, first_wait=0.001, seconds=seconds)
    service = Service("things", peer.url, headers, patience=patience, **more)
    return Client(service, pace=Pace(float("inf"), clock=waits.clock, sleep=waits.sleep) if waits else None)


def got(client: Client, *path: Any, **more: Any) -> services.Reply:
    return then_closed(client, client.get(*(path or ("a/b", {"q": "two words"})), **more))


def test_parameters_and_headers_are_sent_and_the_reply_is_read(make_peer: Any, reply: Any) -> None:
    peer = make_peer(reply(b'{"a": [1]}', type="Application/JSON; charset=utf-8"))
    one = got(client_of(peer, key=KEY), "a/b", {"q": "two words", "api_key": KEY})
    assert (one.json(), one.media_type, one.status, one.service) == ({"a": [1]}, "application/json", 200, "things")
    assert one.url == f"{peer.url}/a/b?q=two+words"
    assert peer.asked[0].parameters == {"q": "two words", "api_key": KEY}
    assert peer.asked[0].headers["x-api-key"] == KEY
    with pytest.raises(SourceUnavailable, match=r"^things: the reply is not JSON; the service may have changed$"):
        got(client_of(make_peer(reply(b"<html>")))).json()


@each_row("first", [{"status": 503}, {"status": 429}, {"reset": True}, {"body": b"x" * 90, "cut": 50}])
def test_what_may_pass_is_tried_again(first: dict[str, Any], make_peer: Any, reply: Any) -> None:
    peer = make_peer(reply(**first), reply(b"fine"))
    assert got(client_of(peer)).body == b"fine"
    assert len(peer.asked) == 2


def test_retry_after_is_waited_for_up_to_a_limit(make_peer: Any, reply: Any, waits: Any) -> None:
    peer = make_peer(reply(status=429, headers={"retry-after": "7"}), reply(b"fine"))
    assert got(client_of(peer, waits=waits)).body == b"fine"
    assert waits.slept == [7]
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=29), usegmt=True)  # at a resolution of one second
    peer = make_peer(reply(status=503, headers={"retry-after": soon}), reply(b"fine"))
    assert got(client_of(peer, waits=waits)).body == b"fine" and 10 < waits.slept[-1] <= 29
    peer = make_peer(reply(status=429, headers={"retry-after": "3600"}))
    with pytest.raises(RateLimited, match=r"^things: rate limit exceeded; wait 3600 s$") as caught:
        got(client_of(peer, waits=waits))
    assert caught.value.retry_after == 3600
    assert len(peer.asked) == 1


BAD_KEY = {"status": 403, "body": f'{{"error": {{"message": "bad {KEY}"}}}}'.encode()}
REFUSED = "the key was rejected with HTTP status 403: bad ********; correct it in the settings (`keys`)"
MOVED = {"status": 302, "headers": {"location": "http://169.254.169.254/key"}}
ELSEWHERE = "the service points to another host (http://169.254.169.254/key), which is not asked; try again later"
FAULTS: list[tuple[dict[str, Any], str, type[MedgroundError], str, int]] = [
    ({"status": 500}, "", SourceUnavailable, "the service failed with HTTP status 500 (3 attempts); try again", 3),
    ({"status": 429}, "", RateLimited, "rate limit exceeded (3 attempts); wait, or set an API key", 3),
    (BAD_KEY, KEY, ConfigError, REFUSED, 1),
    ({"status": 403, "body": b'{"error": "Quota exceeded"}'}, KEY, RateLimited, "rate limit exceeded", 3),
    (MOVED, KEY, SourceUnavailable, ELSEWHERE, 1),
    ({"status": 302, "headers": {"location": "/a/b"}}, "", SourceUnavailable, "too many redirects", 4),
]


@each_row(("answer", "key", "error", "line", "asked"), FAULTS)
def test_faults_are_one_line_without_the_key(
    answer: dict[str, Any], key: str, error: type[MedgroundError], line: str, asked: int, make_peer: Any, reply: Any
) -> None:
    peer = make_peer(reply(**answer))
    with pytest.raises(error) as caught:
        got(client_of(peer, key=key, largest=1000, seconds=0.2))
    assert type(caught.value) is error
    assert str(caught.value).startswith(f"things: {line}")
    assert "\n" not in str(caught.value)
    assert KEY not in f"{caught.value!r}{caught.value.__cause__!r}"
    assert len(peer.asked) == asked


def test_absent_statuses_and_redirects_within_the_host_are_replies_in_any_loop(make_peer: Any, reply: Any) -> None:
    assert got(client_of(make_peer(reply(b"none", status=404))), "x", absent=frozenset([404])).status == 404
    peer = make_peer(reply(status=303, headers={"location": "/entry/P2?format=json"}), reply(b"P2"))
    assert got(client_of(peer), "entry/P1").url.endswith("/entry/P2?format=json")
    client = client_of(make_peer(reply(b"fine")))
    assert [asyncio.run(client.get("x")).body for _ in range(2)] == [b"fine", b"fine"]
    with pytest.raises(ConfigError, match=r"^things: 'example' is not an address; set one that begins with https"):
        Service("things", "example")


SECRET = "key/of+12 chars"


def bomb(size: int) -> bytes:
    pack = zlib.compressobj(9, zlib.DEFLATED, 31)
    return b"".join([*(pack.compress(bytes(1 << 20)) for _ in range(size >> 20)), pack.flush()])


def body_of(
    address: str, *, headers: Mapping[str, str] | None = None, largest: int = 1 << 20, seconds: float = 60.0
) -> str:
    patience = Patience(tries=1, seconds=seconds)
    client = Client(Service("things", address, headers or {}, largest=largest, patience=patience))
    return then_closed(client, client.get("x")).body.decode()


@each_row(
    ("sent", "line"),
    [
        (Reply(bomb(1 << 26), headers={"content-encoding": "gzip"}), "larger than 1 MB"),
        (Reply(b" " * 65536, endless=True), "larger than 1 MB"),
        (Reply(gzip.compress(b"x" * 5000)[:-9], headers={"content-encoding": "gzip"}), "response is incomplete"),
        (Reply(b"not gzip", headers={"content-encoding": "gzip"}), "response is damaged"),
        (Reply(b"x", headers={"content-encoding": "br"}), "packed as 'br'"),
        (Reply(b"x" * 100, drip=0.2), "no response within 0.5 s"),
        (Reply(b"x", drip_head=0.2), "no response within 0.5 s"),
    ],
)
def test_a_hostile_reply_is_one_line(sent: Reply, line: str, make_peer: Any) -> None:
    peer = make_peer(sent)
    with pytest.raises(SourceUnavailable, match=line) as caught:
        body_of(peer.url, seconds=0.5 if sent.drip or sent.drip_head else 60.0)
    assert "\n" not in str(caught.value)


def test_a_bomb_takes_no_more_memory_than_the_limit_and_what_is_within_it_is_whole(make_peer: Any) -> None:
    for size in (0, 65_536, 1 << 20):
        whole = Reply(gzip.compress(b"x" * size), headers={"content-encoding": "gzip"})
        assert body_of(make_peer(whole).url) == "x" * size
    peer = make_peer(Reply(bomb(1 << 26), headers={"content-encoding": "gzip"}))
    with pytest.raises(SourceUnavailable):  # once before, so that what is made at first use does not count
        body_of(peer.url)
    tracemalloc.start()
    try:
        with pytest.raises(SourceUnavailable):
            body_of(peer.url)
        assert tracemalloc.get_traced_memory()[1] < 10 << 20
    finally:
        tracemalloc.stop()


def test_echoed_keys_become_asterisks_in_bodies_and_headers(make_peer: Any) -> None:
    def echo(asked: Asked) -> Reply:
        forms = "\n".join(secret_forms([SECRET]))
        return Reply(f"{asked.headers}\n{forms}".encode(), headers={"x-echo": asked.headers["x-api-key"]})

    said = body_of(make_peer(echo).url, headers={"x-api-key": SECRET})
    assert MASK in said
    assert not [form for form in secret_forms([SECRET]) if form in said]
    pieces = make_peer(lambda asked: Reply(f"a {asked.headers['x-api-key']} b".encode(), drip=0.001))
    assert body_of(pieces.url, headers={"x-api-key": SECRET}) == f"a {MASK} b"
    form = {"content-type": "application/x-www-form-urlencoded"}
    sent = secrets_sent("https://example.org/?api_key=abcdefgh&q=x", form, b"access_token=ijklmnop&db=pubmed")
    assert sent == ["abcdefgh", "ijklmnop"]


def test_a_password_of_the_address_is_masked_in_a_redirect(make_peer: Any) -> None:
    def redirect(asked: Asked) -> Reply:
        return Reply(
            status=302, headers={"location": f"http://elsewhere.example/?was={asked.headers['authorization']}"}
        )

    peer = make_peer(redirect)

    async def run() -> str:
        async with httpx2.AsyncClient(transport=Bounded(ReplyLimits(1000, 60.0), Network())) as client:
            return str((await client.get(peer.url.replace("//", "//user:correct-horse@"))).headers["location"])

    assert asyncio.run(run()) == f"http://elsewhere.example/?was=Basic {MASK}"


COUNTS = b"<Count>1</Count><RetMax>1</RetMax><RetStart>0</RetStart>"
FOUND = b"<eSearchResult>" + COUNTS + b"<IdList><Id>7</Id></IdList></eSearchResult>"


def settings_of(folder: Path, how: str) -> Settings:
    return Settings.load(environ={}, options={f"retrieval.{how}": str(folder)})


def asked(url: str, wire: httpx2.AsyncBaseTransport | None, path: str = "a", key: str = "", **parameters: str) -> bytes:
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
    line = f"things: not recorded in {tmp_path}: https://example.org/a?q=1; record it first"
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
    request = httpx2.Request("GET", "https://example.org/a?q=1")
    path = keep(tmp_path, request, Recorded(200, {}, b"one"))
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(SourceUnavailable) as caught:
        asked("https://example.org", Replay(tmp_path), q="1")
    assert str(caught.value) == f"things: a recorded reply is damaged: {path} {why}; record it again"


def test_both_or_a_missing_folder_are_errors_of_the_settings(tmp_path: Path) -> None:
    both = {"retrieval.replay": str(tmp_path), "retrieval.record": str(tmp_path)}
    with pytest.raises(ConfigError, match="either replayed or recorded; leave out one of the two"):
        open_wire(Settings.load(environ={}, options=both))
    with pytest.raises(ConfigError, match=r"there is no folder .*/none to replay; record one first"):
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
    with pytest.raises(SourceUnavailable, match=r"^pubmed:test: not recorded in .*; record it first$"):
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
    request = httpx2.Request("GET", f"https://{host}/x", params=parameters)
    path = keep(folder, request, Recorded(204, {"content-type": "text/plain"}, body))
    assert path == folder / place_of(request)
    assert path.resolve().is_relative_to(folder.resolve())
    assert read(path) == Recorded(204, {"content-type": "text/plain"}, body)
    # the head can be read by a person, and no secret
    request = httpx2.Request("POST", "https://u:p@example.org/x?b=2&key=abcdefgh", content=b"raw")
    head, _, kept = keep(folder, request, Recorded(200, {}, b"says abcdefgh")).read_bytes().partition(b"\n\n")
    told = json.loads(head)["request"]
    assert (told["address"], told["parameters"], kept) == ("https://example.org/x", [["b", "2"]], b"says ********")
    assert told["body_sha256"]


@pytest.fixture
def secure(loopback: None, tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """The address of a server with a certificate of its own, and the file of that."""
    x509 = pytest.importorskip("cryptography.x509")
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), now, now + _DAY)
    builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
    pem, secret = tmp_path / "own.pem", tmp_path / "key.pem"
    pem.write_bytes(builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
    forms = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    secret.write_bytes(key.private_bytes(*forms))
    server = HTTPServer(("127.0.0.1", 0), SimpleHTTPRequestHandler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem, secret)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"https://localhost:{server.server_port}", pem
    server.shutdown()
    server.server_close()
    thread.join()


_DAY = timedelta(days=1)


def reached(address: str) -> int | None:
    tls.cache_clear()
    return got(Client(Service("things", address, patience=replace(Service.patience, first_wait=0.001))), "", {}).status


def test_certificates_of_the_environment_are_trusted_and_a_bad_one_is_told(
    secure: tuple[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    address, pem = secure
    with pytest.raises(SourceUnavailable, match=r"the certificate of localhost is not trusted .*SSL_CERT_FILE"):
        reached(address)
    for variable in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"):
        with monkeypatch.context() as own:
            own.setenv(variable, str(pem))
            assert reached(address) == 200
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(pem.with_name("none.pem")))
    with pytest.raises(ConfigError, match=r"REQUESTS_CA_BUNDLE names .*none\.pem"):
        reached(address)
    monkeypatch.undo()
    tls.cache_clear()


def test_a_dead_proxy_is_told_without_its_password(loopback: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://me:secret@127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "")
    with pytest.raises(SourceUnavailable, match=r"the proxy http://127\.0\.0\.1:9 could not be reached") as refused:
        reached("https://example.org")
    assert "secret" not in str(refused.value)
