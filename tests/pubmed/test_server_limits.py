"""What the server refuses, and that whoever asks little is answered while others ask too much."""

import asyncio
import itertools
import json
import threading
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlencode

import httpx2
import pytest
from eutils_app import ask, post, within
from lxml import etree
from rows import each_row

from medground.errors import SnapshotCorrupt, SourceUnavailable
from medground.faces.eutils.catalogue import About, Matches, Reading
from medground.faces.eutils.exchange import MOST_IDS, MOST_TERM, History, InvalidRequest, Parameters
from medground.values.document import Document

pytest.importorskip("starlette", reason="needs the extra serve")

from medground.faces.eutils import exchange as server_reply
from medground.faces.eutils import server as server_app
from medground.faces.eutils.server import Lanes, Limits, Work, is_cheap, make_app

RECORDS = [Document(id=f"PMID:{number}", title=f"Asthma {number}", text="Wheezing.") for number in range(1, 4)]


@pytest.fixture(scope="module")
def catalogue(catalogue_of: Any) -> Any:
    """Three records."""
    return catalogue_of(RECORDS)


def error(response: httpx2.Response) -> str:
    """The error of a response, in XML or JSON."""
    if "json" in response.headers["content-type"]:
        content = json.loads(response.content)
        return str(content["error"] if "error" in content else content["esearchresult"]["ERROR"])
    return etree.fromstring(response.content).findtext("ERROR") or ""


def ids(count: int) -> str:
    return ",".join(map(str, range(1, count + 1)))


@each_row(
    ("utility", "parameters", "reason"),
    [
        ("epost", {"id": ids(MOST_IDS + 1)}, "More than 50,000 IDs; send them in parts"),
        ("elink", {"id": ["1"] * (MOST_IDS + 1)}, "More than 50,000 IDs; send them in parts"),
        ("esearch", {"x": [""] * (MOST_IDS + 200)}, "Too many parameters"),
        ("epost", {"id": ids(170_000)}, "a body may have at most 1,000,000 bytes here"),
        ("esearch", {"term": "asthma OR " * 9900}, "The query has more than 30,000 bytes; shorten it"),
        ("espell", {"term": "asthma " * 9900}, "The query has more than 30,000 bytes; shorten it"),
    ],
)
@each_row("mode", ["xml", "json"])
def test_a_request_that_is_too_large_is_refused_in_the_form_that_clients_read(
    catalogue: Any, utility: str, parameters: dict[str, Any], reason: str, mode: str
) -> None:
    app = make_app(catalogue)
    told = within(
        app, lambda client: client.post(f"/{utility}.fcgi?retmode={mode}", content=urlencode(parameters, doseq=True))
    )
    assert (told.status_code, error(told)) == (413, reason)
    assert mode in told.headers["content-type"]


def test_the_largest_requests_are_answered(catalogue: Any) -> None:
    app = make_app(catalogue)
    # half of them bad: each of these was once looked up in a set made anew, which took minutes
    posted = ask(app, "epost", id=",".join(f"{n}{'x' * (n % 2)}" for n in range(1, MOST_IDS + 1)))
    tree = etree.fromstring(posted.content)
    assert len(tree.findall("InvalidIdList/Id")) == MOST_IDS // 2
    kept = {"WebEnv": tree.findtext("WebEnv"), "query_key": tree.findtext("QueryKey")}
    assert ask(app, "efetch", rettype="uilist", retmode="text", **kept).text == "2\n"
    term = " OR ".join(["asthma"] * (MOST_TERM // 10))
    assert ask(app, "esearch", term=term, retmode="json").json()["esearchresult"]["count"] == "3"


def test_the_time_of_a_long_query_grows_with_its_length(catalogue: Any, linear: Any) -> None:
    subjects = ["asthma", "stroke", "cancer", "epilepsy", "migraine", "gout", "obesity", "malaria", "anemia", "sepsis"]
    terms = [f"{one} {two}" for one, two in itertools.product(subjects, subjects)]

    def search(size: int) -> None:
        text = " OR ".join(f"({one}) AND x{number}" for number, one in enumerate(terms[:size]))
        catalogue.search(text, None, "newest", start=0, limit=20, check=lambda: None)

    linear(search, 100)


@each_row(
    ("utility", "parameters"),
    [("esearch", {"term": "asthma"}), ("espell", {"term": "asthmma"})]
    + [(utility, {"id": "1"}) for utility in ("efetch", "esummary", "elink")],
)
def test_a_request_that_takes_too_long_ends(catalogue: Any, utility: str, parameters: dict[str, str]) -> None:
    app = make_app(catalogue, limits=Limits(work=0.0))
    told = ask(app, utility, **parameters)
    assert (told.status_code, error(told)[:38]) == (413, "The request takes more than 0 s; make ")


def test_work_is_counted_by_its_clock() -> None:
    now = [5.0]
    work = Work(10.0, threading.Event(), clock=lambda: now[0])
    now[0] = 15.0
    work.check()
    now[0] = 15.1
    with pytest.raises(InvalidRequest, match="more than 10 s") as told:
        work.check()
    assert told.value.status == 413


@each_row(
    ("limited", "parameters"),
    [(server_reply, {}), (server_app, {}), (server_app, {"retmode": "text", "rettype": "medline"})],
)
def test_a_response_that_is_too_large_is_not_sent(
    catalogue: Any, limited: Any, parameters: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limited, "MOST_BYTES", 300)
    told = ask(make_app(catalogue), "efetch", id="1,2,3", **parameters)
    assert (told.status_code, error(told)) == (413, "The response has more than 300 bytes; ask for less")


class Held:
    """A catalogue whose searches for `wait` wait until they are let go, and for `work` until they may not go on."""

    about = About("made", 1, "")

    def __init__(self) -> None:
        self.go = threading.Event()
        self.begun = threading.Semaphore(0)

    def search(self, term: str, *rest: Any, check: Callable[[], None], **more: Any) -> Matches:
        if term.startswith("wait"):
            self.begun.release()
            self.go.wait(60)
        while term == "work":
            self.begun.release()
            check()
        return Matches(1, ("1",), Reading(term))


@pytest.fixture
def held() -> Iterator[Held]:
    """Lets its searches go at the end."""
    made = Held()
    yield made
    made.go.set()


async def begun(held: Held, count: int) -> None:
    """Wait until some searches are at work."""
    for _ in range(count):
        assert await asyncio.to_thread(held.begun.acquire, timeout=60)


def test_cheap_requests_are_answered_while_all_costly_workers_are_held_and_the_line_is_full(held: Held) -> None:
    limits = Limits(workers=2, costly_line=3)
    app = make_app(held, limits=limits)

    async def work(client: httpx2.AsyncClient) -> None:
        costly = [
            asyncio.create_task(post(client, "esearch", term="wait", usehistory="y"))
            for _ in range(limits.workers + limits.costly_line)
        ]
        await begun(held, limits.workers)
        for _ in range(3):
            assert (await post(client, "einfo")).status_code == 200
            assert b"<Id>1</Id>" in (await post(client, "esearch", term="asthma")).content
        for mode in ("xml", "json"):
            content = urlencode({"term": "wait", "usehistory": "y"})
            refused = await client.post(f"/esearch.fcgi?retmode={mode}", content=content)
            assert (refused.status_code, refused.headers["retry-after"]) == (429, "5")
            assert error(refused) == "Too many requests at once; wait, then send it again"
        held.go.set()
        assert [(await one).status_code for one in costly] == [200] * 5
        assert (await post(client, "esearch", term="wait", usehistory="y")).status_code == 200

    within(app, work)


def test_a_request_that_waits_too_long_for_its_turn_is_refused(held: Held) -> None:
    app = make_app(held, limits=Limits(workers=1, patience=0.05))

    async def work(client: httpx2.AsyncClient) -> None:
        first = asyncio.create_task(post(client, "esearch", term="wait"))
        await begun(held, 1)
        refused = await post(client, "esearch", term="asthma")
        assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")
        held.go.set()
        assert (await first).status_code == 200

    within(app, work)


def test_at_the_end_work_stops_and_what_waits_is_refused(held: Held) -> None:
    limits = Limits(workers=1)
    lanes = Lanes(limits)
    app = make_app(held, limits=limits, lanes=lanes)

    async def work(client: httpx2.AsyncClient) -> None:
        tasks = [asyncio.create_task(post(client, "esearch", term="work")) for _ in range(3)]
        await begun(held, 1)
        await lanes.end()
        for task in tasks:
            told = await task
            assert (told.status_code, error(told)) == (503, "The server is stopping")

    within(app, work)


def test_a_bug_is_one_clear_error_and_a_line_in_the_log_and_a_damaged_corpus_is_told(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Broken(Held):
        def search(self, term: str, *rest: Any, **more: Any) -> Matches:
            raise SnapshotCorrupt("lexical differs") if term == "damaged" else RuntimeError("a secret path")

    told = ask(make_app(Broken()), "esearch", term="damaged")
    assert (told.status_code, "lexical differs" in error(told)) == (500, True)
    told = ask(make_app(Broken()), "esearch", term="x")
    assert (told.status_code, error(told)) == (500, "An unexpected error occurred; the server's log has the details")
    assert "a secret path" in caplog.text


@each_row(
    ("name", "query", "body", "cheap"),
    [
        ("esearch", "term=asthma&retmax=20", "", True),
        ("esearch", "term=asthma&usehistory=y", "", False),
        ("esearch", "", "term=" + "asthma+" * 300, False),
        ("esearch", "term=" + "ab%2A+" * 60, "", False),
        ("efetch", "id=" + ",".join("1" * 200), "", False),
        ("elink", "id=1", "", False),
        ("einfo", "", "", True),
    ],
)
def test_cheap_requests(name: str, query: str, body: str, cheap: bool) -> None:
    assert is_cheap(name, query, body) is cheap


def test_the_history_forgets_the_oldest_sessions_when_it_takes_too_many_bytes() -> None:
    history = History(most=100_000)
    many = [str(number) for number in range(10_000_000, 10_003_000)]
    sessions = [history.store(many)[1] for _ in range(5)]

    def stored_ids(session: str, key: str = "1") -> list[str]:
        return history.requested_ids(Parameters([("WebEnv", session), ("query_key", key)]))

    for gone in sessions[:2]:
        with pytest.raises(InvalidRequest, match="Unable to obtain query"):
            stored_ids(gone)
    assert [stored_ids(kept) for kept in sessions[2:]] == [many] * 3
    for number in range(2, 4):
        assert history.store(many, sessions[-1])[0] == number
    with pytest.raises(InvalidRequest, match="too many IDs") as full:
        history.store(many, sessions[-1])
    assert full.value.status == 413
    assert stored_ids(sessions[-1], "3") == many


@each_row(
    ("host", "status"),
    [
        *((foreign, 421) for foreign in ("evil.example", "localhost.evil.example")),
        *((own, 200) for own in ("localhost", "127.0.0.1:8321", "[::1]", "papers.test", "Papers.Test:8321")),
    ],
)
def test_only_its_own_names_are_answered(catalogue: Any, host: str, status: int) -> None:
    app = make_app(catalogue, hosts=["papers.test"])
    for mode in ("xml", "json"):
        told = ask(app, "esearch", _method="GET", _host=host, term="asthma", retmode=mode)
        assert told.status_code == status
        if status == 421:
            assert error(told) == "the Host header does not name this server"


def test_our_client_waits_when_the_server_is_busy_and_says_why_it_was_refused(
    held: Held, serve: Any, make_client: Any, waits: Any, loopback: None
) -> None:
    with serve(held, limits=Limits(workers=1, cheap_line=0)) as address:

        class Here:
            url = f"{address}/entrez/eutils"

        async def work() -> None:
            client, other = make_client(Here()), make_client(Here())
            first = asyncio.create_task(other.esearch("wait"))
            await begun(held, 1)

            async def sleep(seconds: float) -> None:
                """Once the client waits, the server has time."""
                await was(seconds)
                held.go.set()
                await first

            pace = client._transport._pace
            was, pace.sleep = pace.sleep, sleep
            assert (await client.esearch("asthma")).ids == ("1",)
            assert waits.slept == [1.0]
            with pytest.raises(SourceUnavailable, match="413: The query has more than 30,000 bytes; shorten") as told:
                await client.esearch("asthma OR " * 9900)
            assert told.value.attempts == 1
            await client.close()
            await other.close()

        asyncio.run(work())
