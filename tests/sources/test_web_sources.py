"""Search engines as sources, against peers that answer in the forms of the real ones."""

import asyncio
from collections.abc import Sequence
from typing import Any, ClassVar
from unittest.mock import patch

import pytest
from closing import then_closed
from contracts import in_one_test
from engines import FORMS, Result
from hypothesis import given
from hypothesis import strategies as st
from rows import each_row, tables

from medground.corpus.retraction import listed, marked
from medground.errors import ConfigError, MedgroundError, NotConfigured, RateLimited, SourceUnavailable
from medground.home.settings import Settings
from medground.sources.base import find_source
from medground.sources.http.addresses import Allowed
from medground.sources.http.pages import PageReader
from medground.sources.http.retries import Patience
from medground.sources.http.service import ADDRESSES
from medground.sources.web_search import WebSource, normal, page_digest, result
from medground.testing import SourceContract
from medground.values.lookup import Lookup, PlainWords
from medground.values.query import Filters

TABLES = tables(__file__)

LISTED = max(name.removeprefix("pmid:") for name in listed() if name.startswith("pmid:"))
KEYS = {"keys.brave": "brave-key-1234"}
SAYS = "Zebrafish without cyp17a1 are males, as this page of a laboratory explains at some length to its readers."
PAGE = f"<html><head><title>Fish</title></head><body><article><p>{SAYS}</p></article></body></html>".encode()


def results(query: str) -> list[Result]:
    """Thirty-two results of which two are one page; none for words that nobody has written."""
    if "xylophone" in query:
        return []
    found = [(f"https://site{n}.example/a?id={n}", f"Page {n} on {query}", f"Of zebrafish, {n}.") for n in range(31)]
    return [*found, ("http://www.site0.example/a/?id=0&utm_source=x#top", "Again", "The first one.")]


def opened(name: str, address: str, **options: str) -> WebSource:
    with patch.dict(ADDRESSES, {name: address}):
        source = find_source(name).open(Settings.load(environ={}, options={**KEYS, **options}))
    assert isinstance(source, WebSource)
    if name == "brave":
        source._client._pace.per_second = float("inf")
    return source


def searched(source: WebSource, text: str = "cyp17a1 knockout", **more: Any) -> Any:
    lookup = Lookup(asked=PlainWords(text=text), text=text, kinds=("web",), **{"limit": 100, **more})
    return then_closed(source, source.search(lookup, Filters()))


@in_one_test
class TestEngines(SourceContract):
    lookups: ClassVar[Sequence[Lookup]] = tuple(
        Lookup(asked=PlainWords(text=text), text=text) for text in ("Marfan syndrome", "zebrafish fins", "migraine")
    )
    nothing: ClassVar[Lookup | None] = Lookup(asked=PlainWords(text="xylophone"), text="xylophone")

    @pytest.fixture(params=["duckduckgo", "brave"])
    def make(self, make_peer: Any, request: pytest.FixtureRequest) -> Any:
        peer = make_peer(FORMS[request.param](lambda query: results(query)[:12]))
        return lambda: opened(request.param, peer.url)


@each_row(("name", "requests"), [("duckduckgo", 3), ("brave", 2)])
def test_all_pages_of_results_are_read_and_one_page_is_one_result(name: str, requests: int, make_peer: Any) -> None:
    peer = make_peer(FORMS[name](results))
    source = opened(name, peer.url)
    found = searched(source)
    assert len(found.rankings[0]) == 31
    first = found.rankings[0][0].passage
    title = "Page 0 on cyp17a1 knockout"
    assert (first.title, first.text) == (title, f"{title}\n\nOf zebrafish, 0.")
    assert first.document_id == f"RESULT:{page_digest('https://site0.example/a?id=0')}"
    assert len(peer.asked) == requests
    assert not any("key" in value for one in peer.asked for value in one.parameters.values())
    assert name == "duckduckgo" or any(value.endswith("key-1234") for value in peer.asked[0].headers.values())
    assert len(searched(opened(name, peer.url), limit=3).rankings[0]) == 3
    assert len(peer.asked) == requests + 1
    limited = Lookup(asked=PlainWords(text="fish"), limit=5)  # to what no web page can be shown to meet
    none = then_closed(source := opened(name, peer.url), source.search(limited, Filters(year_from=2020)))
    assert (none.size, len(peer.asked)) == (0, requests + 1)
    assert "no verified date" in none.notes[0]
    if name == "brave":
        with pytest.raises(NotConfigured) as caught:
            searched(opened(name, peer.url, **{"keys.brave": ""}))
        assert str(caught.value) == "brave: not configured; set keys.brave, or leave the source out"


@each_row(("address", "title", "state"), TABLES["a_result_that_is_a_retracted_paper_is_known"])
def test_a_result_that_is_a_retracted_paper_is_known(address: str, title: str, state: str, make_peer: Any) -> None:
    peer = make_peer(FORMS["brave"](lambda query: [(address.format(LISTED), title, "A trial.")]))
    (hit,) = searched(opened("brave", peer.url)).rankings[0]
    assert marked(hit.passage).retraction == state


CHANGED = "its results cannot be read: their format changed; update Medground"
NEW_DESIGN = b"<html><div class='card'>New design</div></html>"
NO_LINK = b"<html><div class='result web-result'><b>Title</b></div>"
CAPTCHA = {"status": 202, "body": b"<html><div class='anomaly-modal__title'>Unfortunately, bots use us too</div>"}
PROOF = "it asks for a captcha; wait a few hours, or use another engine"
BAD_KEY = {"status": 400, "body": b'{"error": {"message": "API key not valid. brave-key-1234"}}'}
REJECTED = "the key was rejected with HTTP status"
KEY_LINE = f"{REJECTED} 400: API key not valid. ********; correct it in the settings (`keys`)"
FAULTS: list[tuple[str, dict[str, Any], type[MedgroundError], str]] = [
    *(("duckduckgo", {"body": body}, SourceUnavailable, CHANGED) for body in (NEW_DESIGN, NO_LINK, b"")),
    ("duckduckgo", CAPTCHA, SourceUnavailable, PROOF),
    ("brave", {"body": b'{"error": {"message": "Quota"}}', "status": 429}, RateLimited, "rate limit exceeded"),
    ("brave", BAD_KEY, ConfigError, KEY_LINE),
    ("brave", {"body": b'{"type": "search", "query": {}, "web": {"hits": []}}'}, SourceUnavailable, CHANGED),
    ("brave", {"body": b'{"type": "answer"}'}, SourceUnavailable, CHANGED),
]


@each_row(("name", "answer", "error", "line"), FAULTS)
def test_what_cannot_be_read_is_a_failure_and_never_an_empty_result(
    name: str, answer: dict[str, Any], error: type[MedgroundError], line: str, make_peer: Any, reply: Any
) -> None:
    peer = make_peer(reply(**{"body": b"", "type": "text/html" if name == "duckduckgo" else "text/json", **answer}))
    source = opened(name, peer.url)
    object.__setattr__(source._client.service, "patience", Patience(tries=3, first_wait=0.001))
    with pytest.raises(error) as caught:
        searched(source)
    assert type(caught.value) is error
    assert str(caught.value).startswith(f"{name}: {line}")


def test_a_later_page_of_results_that_fails_is_told_and_the_earlier_ones_are_kept(make_peer: Any, reply: Any) -> None:
    peer = make_peer(FORMS["brave"](results), reply(b"{}", type="application/json"))
    found = searched(opened("brave", peer.url))
    assert len(found.rankings[0]) == 20
    assert found.notes == (f"only the first 20 results: {CHANGED}",)


def test_pages_are_fetched_by_the_digest_of_a_result_and_refusals_name_their_site(make_peer: Any, reply: Any) -> None:
    site = make_peer(lambda asked: reply(PAGE, type="text/html", status=404 if asked.path == "/robots.txt" else 200))
    good, bad = f"{site.url}/page", "http://10.0.0.1/page"
    peer = make_peer(FORMS["brave"](lambda query: [(good, "Good", ""), (bad, "Bad", "")]))
    source = opened("brave", peer.url)
    source._pages = PageReader(allowed=Allowed(frozenset([("127.0.0.1", site.server_address[1])])), pause=0)
    lookup = Lookup(asked=PlainWords(text="fish"), limit=10)

    async def run() -> Any:
        assert await source.fetch([f"WEB:{page_digest(good)}"]) == {}  # nobody may ask for a page that was not found
        found = await source.search(lookup, Filters())
        both = await source.fetch([f"WEB:{page_digest(url)}" for url in (good, bad)])
        with pytest.raises(SourceUnavailable, match=r"^10\.0\.0\.1: its host is not on the public internet$"):
            await source.fetch([f"WEB:{page_digest(bad)}"])
        later = opened("brave", peer.url)
        later._pages = source._pages
        later.recall(source.held(sorted(found.documents)).values())
        assert await later.fetch([f"WEB:{page_digest(good)}"]) == both
        await later.close()
        await source.close()
        return both

    (document,) = asyncio.run(run()).values()
    assert (document.id, document.kind, document.url) == (f"WEB:{page_digest(good)}", "web", good)
    assert "are males" in document.text


@each_row("url", ["javascript:alert(1)", "ftp://x/y", "//x", "", None, 7, "http://[", "http://"])
def test_what_is_no_address_of_the_web_is_no_result(url: object) -> None:
    assert result(url, "Title") is None
    one = result("https://a.example", "A &amp; <b>B</b>\n C", "x <em>y</em> " + "word " * 400)
    assert one is not None
    assert (one.title, one.summary[:3], len(one.summary) <= 1000) == ("A & B C", "x y", True)


@given(
    st.text(max_size=30), st.sampled_from(["http", "https"]), st.sampled_from(["", "www."]), st.text("/#", max_size=2)
)
def test_variants_of_an_address_are_one_page(path: str, scheme: str, www: str, end: str) -> None:
    plain = "https://site.example/a/" + "".join(letter for letter in path if letter.isalnum())
    other = plain.replace("https://", f"{scheme}://{www}") + end
    assert normal(other) == normal(plain)
    assert page_digest(other + ("?utm_source=x" if "#" not in end else "")) == page_digest(plain)
