"""What the client reads in responses of NCBI; whatever goes wrong, it is the complete response or one clear error."""

import logging
import socket
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from closing import then_closed
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from refusals import refused
from rows import each_row

from medground.errors import BadDocument, ConfigError, MedgroundError, RateLimited, SourceUnavailable, UsageError
from medground.sources.eutils.client import AnswerCache, Eutils
from medground.values.document import Document

KEY = "0123456789abcdef-secret-key"
JSON = "application/json"


def found(*ids: str) -> bytes:
    """An esearch answer."""
    listed = "".join(f"<Id>{i}</Id>" for i in ids)
    return (
        f"<eSearchResult><Count>{len(ids)}</Count><RetMax>{len(ids)}</RetMax><RetStart>0</RetStart>"
        f"<IdList>{listed}</IdList><TranslationSet/><QueryTranslation>x</QueryTranslation></eSearchResult>"
    ).encode()


def records(*ids: str) -> bytes:
    """An efetch answer."""
    each = "".join(
        f"<PubmedArticle><MedlineCitation Status='MEDLINE'><PMID Version='1'>{i}</PMID><Article PubModel='Print'>"
        f"<ArticleTitle>Title {i}</ArticleTitle></Article></MedlineCitation></PubmedArticle>"
        for i in ids
    )
    return f"<PubmedArticleSet>{each}</PubmedArticleSet>".encode()


def run(client: Eutils, call: Callable[[Eutils], Any]) -> Any:
    async def inner() -> Any:
        answer = call(client)
        return [item async for item in answer] if hasattr(answer, "__aiter__") else await answer

    return then_closed(client, inner())


@pytest.mark.shared
def test_real_responses_are_read_and_unexpected_ones_refused(
    shared: Path, make_peer: Any, make_client: Any, reply: Any
) -> None:
    def read(name: str, call: Callable[[Eutils], Any]) -> Any:
        peer = make_peer(reply((shared / name).read_bytes()))
        return run(make_client(peer, tries=1), call), peer.asked[0]

    result, asked = read("eutils/biopython/esearch1.xml", lambda c: c.esearch("biopython"))
    assert (result.count, len(result.ids), result.ids[0]) == (63, 20, "41282813")
    sent = {"term": "biopython", "email": "reader@example.org", "tool": "medground"}
    assert asked.path == "/entrez/eutils/esearch.fcgi" and sent.items() <= asked.parameters.items()
    nothing, _ = read("eutils/biopython/esearch8.xml", lambda c: c.esearch("abcXYZ"))
    assert (nothing.count, nothing.ids, nothing.not_found) == (0, (), ("abcXYZ",))
    items, _ = read("pubmed_xml/raw/biopython_pubmed1.xml", lambda c: c.efetch(["12091962", "9997"]))
    assert [one.id for one in items] == ["PMID:12091962", "PMID:9997"] and len(items[0].mesh) > 3
    (text,), asked = read("eutils/biopython/efetch_pmc.xml", lambda c: c.efetch_full_texts(["PMC8435807"]))
    assert isinstance(text, Document | BadDocument)
    assert (asked.parameters["db"], asked.parameters["id"]) == ("pmc", "8435807")
    with pytest.raises(SourceUnavailable, match="<eInfoResult> instead of <eSearchResult>"):
        read("eutils/biopython/einfo1.xml", lambda c: c.esearch("x"))
    with pytest.raises(SourceUnavailable, match="<IPGReportSet> instead of <eFetchResult>"):
        read("eutils/biopython/efetch_schemas.xml", lambda c: c.efetch(["1"]))


FAULTS: dict[str, tuple[dict[str, Any], str]] = {
    "429": ({"status": 429, "type": JSON, "body": b'{"error":"API rate limit exceeded"}'}, "rate limit exceeded"),
    "500": ({"status": 500, "type": "text/html", "body": b"<html>oops</html>"}, "failed with HTTP status 500"),
    "reset": ({"reset": True}, "connection failed"),
    "cut connection": ({"body": found("1"), "cut": 40}, "connection failed"),
    "truncated XML": ({"body": found("1")[:-30]}, "truncated or damaged"),
    "HTML error page": (
        {"type": "text/html", "body": b"<html><head><title>NCBI - WWW Error Blocked</title></head></html>"},
        r"HTML page instead of XML \(NCBI - WWW Error Blocked\)",
    ),
    "HTML called XML": ({"body": b"<html><body>down</body></html>"}, "<html> instead of <eSearchResult>"),
    "wrong content type": ({"type": "application/octet-stream", "body": found("1")}, "application/octet-stream"),
    "no content type": ({"type": None, "body": found("1")}, "content type none"),
    "empty body": ({"body": b""}, "empty"),
    "limit in JSON": (
        {"type": JSON, "body": b'{"error":"API rate limit exceeded","count":"4"}'},
        "rate limit exceeded",
    ),
    "error in XML": (
        {"body": b"<eSearchResult><ERROR>Search Backend failed: Exception</ERROR></eSearchResult>"},
        "reported an error: Search Backend failed",
    ),
    "no number": ({"body": b"<eSearchResult><Count/></eSearchResult>"}, "no number in <Count>"),
    "broken compression": ({"body": b"xxxx", "headers": {"content-encoding": "gzip"}}, "packed response is damaged"),
    "no HTTP": ({"status": 0}, "connection failed"),
}


@each_row("name", FAULTS)
def test_a_fault_is_retried_and_a_lasting_one_is_one_clear_error(
    name: str, make_peer: Any, make_client: Any, reply: Any
) -> None:
    answer, words = FAULTS[name]
    peer = make_peer(reply(**answer), reply(**answer), reply(found("7", "8")))
    assert run(make_client(peer), lambda c: c.esearch("x")).ids == ("7", "8")
    assert len(peer.asked) == 3
    peer = make_peer(reply(**answer))
    with pytest.raises(SourceUnavailable, match=words) as caught:
        run(make_client(peer, api_key=KEY), lambda c: c.esearch("x"))
    error = caught.value
    assert (error.source, error.attempts, len(peer.asked)) == ("pubmed:test", 4, 4) and error.last_status
    assert isinstance(error, RateLimited) == (name in ("429", "limit in JSON"))
    assert "\n" not in str(error) and len(str(error)) < 400


def test_a_service_that_hangs(make_peer: Any, make_client: Any, reply: Any) -> None:
    peer = make_peer(reply(hang=600.0), reply(found("7")))
    assert run(make_client(peer, seconds=1.0, tries=20), lambda c: c.esearch("x")).ids == ("7",)
    peer = make_peer(reply(hang=600.0))
    with pytest.raises(SourceUnavailable, match=r"no response within 0\.2 s") as caught:
        run(make_client(peer, seconds=0.2, tries=2), lambda c: c.esearch("x"))
    assert caught.value.last_status == "timeout"


def test_connection_refused(loopback: None, make_client: Any) -> None:
    with socket.socket() as closed:  # bound and not listening: connections are refused
        closed.bind(("127.0.0.1", 0))
        peer = SimpleNamespace(url=f"http://127.0.0.1:{closed.getsockname()[1]}")
        refused(SourceUnavailable, "ConnectError", lambda: run(make_client(peer, tries=2), lambda c: c.esearch("x")))


@each_row(
    ("answer", "error", "words"),
    [
        ({"status": 404, "type": "text/html", "body": b""}, SourceUnavailable, "status 404"),
        ({"status": 301, "headers": {"location": "https://other.example/"}}, SourceUnavailable, "check its address"),
        ({"status": 400, "type": JSON, "body": b'{"error":"API key invalid","api-key":"no"}'}, ConfigError, "rejected"),
        (
            {"body": found().replace(b"<Count>", b"<ERROR>Invalid db name specified: x</ERROR><Count>")},
            UsageError,
            "db",
        ),
    ],
)
def test_permanent_faults_are_not_retried(
    answer: dict[str, Any], error: type[MedgroundError], words: str, make_peer: Any, make_client: Any, reply: Any
) -> None:
    peer = make_peer(reply(**answer))
    refused(error, words, lambda: run(make_client(peer), lambda c: c.esearch("x")))
    assert len(peer.asked) == 1


def test_entities_are_not_expanded(tmp_path: Path, make_peer: Any, make_client: Any, reply: Any) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("41282813")
    outside = f'<!DOCTYPE eSearchResult [<!ENTITY x SYSTEM "{secret.as_uri()}">]>'.encode()
    bomb = b'<!DOCTYPE eSearchResult [<!ENTITY a "1"><!ENTITY x "&a;&a;&a;&a;">]>'
    for declared in (outside, bomb):
        peer = make_peer(reply(declared + found("7").replace(b"<Id>7", b"<Id>&x;")))
        with pytest.raises(SourceUnavailable, match="declares entities"):
            run(make_client(peer, tries=1), lambda c: c.esearch("x"))


def test_the_key_is_sent_in_the_body_and_never_shown(
    tmp_path: Path, make_peer: Any, make_client: Any, reply: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    page = f'{{"error":"something about {KEY}"}}'.encode()
    cache = AnswerCache(tmp_path / "cache")
    peer = make_peer(reply(found("7")), reply(page, type="application/json"))
    client = make_client(peer, api_key=KEY, cache=cache)
    run(client, lambda c: c.esearch("x"))
    with pytest.raises(SourceUnavailable, match=r"something about [*]{8}") as caught:
        run(make_client(peer, api_key=KEY), lambda c: c.esearch("y"))
    assert peer.asked[0].method == "POST"
    assert peer.asked[0].parameters["api_key"] == KEY
    shown = [asked.target for asked in peer.asked] + [caplog.text, str(caught.value), repr(client._transport.service)]
    shown += [str(path) + str(path.read_bytes()) for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(KEY in text for text in shown)


def test_long_queries_are_posted_and_records_are_fetched_in_batches(
    make_peer: Any, make_client: Any, reply: Any
) -> None:
    peer = make_peer(reply(found("7")))
    run(make_client(peer), lambda c: c.esearch("asthma"))
    run(make_client(peer), lambda c: c.esearch(" OR ".join(["asthma"] * 500)))
    assert [asked.method for asked in peer.asked] == ["GET", "POST"]
    assert len(peer.asked[1].target) < 100
    peer = make_peer(lambda asked: reply(records(*asked.parameters["id"].split(","))))
    ids = [str(number) for number in range(1, 452)]
    assert [item.id for item in run(make_client(peer), lambda c: c.efetch([*ids, "1"]))] == [f"PMID:{i}" for i in ids]
    assert [asked.parameters["id"].count(",") + 1 for asked in peer.asked] == [200, 200, 51]


def test_unknown_ids_are_omitted(make_peer: Any, make_client: Any, reply: Any) -> None:
    said = b"<eFetchResult><ERROR>ID list is empty! Possibly it has no correct IDs.</ERROR></eFetchResult>"
    for answer in (said, b"<PubmedArticleSet></PubmedArticleSet>"):
        peer = make_peer(reply(answer))
        assert run(make_client(peer), lambda c: c.efetch(["999999999"])) == []
        assert len(peer.asked) == 1


def test_invalid_calls_are_not_sent(make_peer: Any, make_client: Any, reply: Any) -> None:
    peer = make_peer(reply(found("7")))
    calls = lambda c: c.esearch("  "), lambda c: c.esearch("x", limit=10_001), lambda c: c.efetch(["PMID:7"])
    for call in calls:
        with pytest.raises(UsageError):
            run(make_client(peer), call)
    assert peer.asked == []


def test_cached_responses_expire_and_a_failure_is_never_cached(
    tmp_path: Path, make_peer: Any, make_client: Any, reply: Any
) -> None:
    moment = [time.time()]
    cache = AnswerCache(tmp_path / "cache", max_age=60, now=lambda: moment[0])
    peer = make_peer(reply(found("7")[:-5]), *(reply(found(pmid)) for pmid in "789"))

    def ask() -> Any:
        return run(make_client(peer, cache=cache, tries=1), lambda c: c.esearch("x")).ids

    with pytest.raises(SourceUnavailable):
        ask()
    assert ask() == ask() == ("7",)
    assert len(peer.asked) == 2
    moment[0] += 61
    assert ask() == ("8",)
    [kept] = [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    kept.write_bytes(kept.read_bytes()[:-9])
    assert ask() == ("9",)


@given(faults=st.lists(st.sampled_from(sorted(FAULTS)), max_size=3), cut=st.integers(1, 600))
@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
def test_nothing_is_lost_under_any_combination_of_faults(
    faults: list[str], cut: int, make_peer: Any, make_client: Any, reply: Any
) -> None:
    whole = records("5", "6", "7")
    broken = [reply(**FAULTS[name][0]) for name in faults] + [reply(whole[: max(0, len(whole) - cut)])]
    peer = make_peer(*broken, reply(whole))
    items = run(make_client(peer, tries=6), lambda c: c.efetch(["5", "6", "7"]))
    assert [item.id for item in items] == ["PMID:5", "PMID:6", "PMID:7"]
    peer.shutdown()
