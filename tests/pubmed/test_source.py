"""PubMed as a source, and records of it joined to local ones."""

import asyncio
import json
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from closing import then_closed
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from refusals import refused
from rows import each_row
from typer.testing import CliRunner

from medground.corpus.library import Library
from medground.errors import ConfigError, SourceUnavailable, UsageError
from medground.faces.cli.corpus import corpus_app
from medground.home.settings import Settings
from medground.sources.eutils import client as eutils_transport
from medground.sources.eutils.client import Eutils, EutilsService, Transport
from medground.sources.http.clients import Pace
from medground.sources.http.retries import Patience
from medground.sources.pubmed.source import PubMedRecords, PubMedSource, open_client
from medground.testing import DOCUMENTS, QueryContract, SourceContract
from medground.values.document import Document
from medground.values.lookup import Lookup
from medground.values.query import Filters, Or, Range, Term, Words


@pytest.fixture(scope="module")
def address(catalogue_of: Any, serve: Any) -> Iterator[str]:
    """A server with the documents of the contract."""
    with serve(catalogue_of(DOCUMENTS)) as address:
        yield address


@pytest.fixture
def make(address: str, loopback: None) -> Callable[[], PubMedSource]:
    """A source that uses the server."""
    return lambda: PubMedSource(Eutils(Transport(EutilsService(name=f"pubmed:{address}", address=address))))


class TestContract(SourceContract, QueryContract):
    """Documents are sent as MEDLINE XML, which supports research only and adds fields that every record has."""

    @pytest.fixture
    def make(self, make: Any) -> Any:
        return make

    def test_filters_limit_what_is_found(self, source: Any, filters: Filters, allowed: set[str]) -> None:
        super().test_filters_limit_what_is_found(source, filters, set() if "wiki" in filters.kinds else allowed)

    def test_fetch_gives_whole_documents(self, source: Any) -> None:
        fetched = asyncio.run(source.fetch(["PMID:3", "PMID:404", "PMID:1", "PMID:3", "NCT:5"]))
        assert list(fetched) == ["PMID:3", "PMID:1"]
        same = ("id", "title", "text", "sections", "year", "journal", "authors", "keywords", "retraction")
        for document in DOCUMENTS:
            if document.id in fetched:
                assert all(getattr(document, name) == getattr(fetched[document.id], name) for name in same)
        assert fetched["PMID:1"].mesh[0].model_copy(update={"ui": None}) == DOCUMENTS[0].mesh[0]

    def test_boolean_queries_phrases_and_fields(self, source: Any, query: Any, expected: set[str]) -> None:
        if isinstance(query, Term) and query.field in ("kind", "retraction"):
            with pytest.raises(UsageError, match="PubMed has no field"):
                super().test_boolean_queries_phrases_and_fields(source, query, expected)
        else:
            super().test_boolean_queries_phrases_and_fields(source, query, expected)

    for _inherited in (test_filters_limit_what_is_found, test_boolean_queries_phrases_and_fields):
        _inherited.pytestmark = getattr(QueryContract, _inherited.__name__).pytestmark  # type: ignore[attr-defined]


def search(source: PubMedSource, query: Any = None, filters: Filters | None = None, **more: Any) -> Any:
    lookup = Lookup(**{"asked": query or Words(text="marfan"), "text": "marfan", "limit": 10, **more})

    return then_closed(source, source.search(lookup, filters or Filters()))


def opened(home: Path, address: str | None = None) -> PubMedSource:
    return PubMedSource(open_client(Settings.load(environ={"MEDGROUND_HOME": str(home)}), address))


def test_the_name_says_which_pubmed(tmp_path: Path, address: str) -> None:
    live, local = opened(tmp_path), opened(tmp_path, f"{address}/")
    assert (live.name, live.state, local.name) == ("pubmed:live", None, f"pubmed:{address}")
    refused(ConfigError, "not an address", opened, tmp_path, "my pubmed")


def test_a_failed_search_is_an_error_and_not_an_empty_result(make_peer: Any, make_client: Any, reply: Any) -> None:
    with pytest.raises(SourceUnavailable):
        search(PubMedSource(make_client(make_peer(reply(status=500)))))


FOUND = """<eSearchResult><Count>{n}</Count><RetMax>{n}</RetMax><RetStart>0</RetStart><IdList>{ids}</IdList>
    <TranslationSet/><QueryTranslation>x</QueryTranslation></eSearchResult>"""


RECORD = b"""<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>1</PMID><Article>
    <ArticleTitle>One</ArticleTitle></Article></MedlineCitation></PubmedArticle></PubmedArticleSet>"""


def test_unreadable_records_are_reported(make_peer: Any, make_client: Any, reply: Any) -> None:
    found = FOUND.format(n=2, ids="<Id>1</Id><Id>2</Id>").encode()
    result = search(PubMedSource(make_client(make_peer(reply(found), reply(RECORD)))))
    assert [hit.passage.document_id for hit in result.rankings[0]] == ["PMID:1"]
    assert result.notes[-1] == "1 of 2 records found could not be read"


def test_records_that_are_not_sent_are_a_failure_which_is_not_cached(
    tmp_path: Path, make_peer: Any, reply: Any
) -> None:
    found = reply(FOUND.format(n=1, ids="<Id>1</Id>").encode())
    peer = make_peer(found, reply(b"<PubmedArticleSet></PubmedArticleSet>"), reply(RECORD))
    refused(SourceUnavailable, "found 1 record and sent none", search, opened(tmp_path, peer.url))
    assert [hit.passage.document_id for hit in search(opened(tmp_path, peer.url)).rankings[0]] == ["PMID:1"]


def test_the_hit_is_the_passage_that_the_question_is_about(make: Any) -> None:
    hits = search(make(), Range(low=1999, high=1999), text="FBN1 variants").rankings[0]
    assert "FBN1 variants" in hits[0].passage.text


def test_responses_are_cached_on_disk(tmp_path: Path, make_peer: Any, reply: Any) -> None:
    peer = make_peer(reply(FOUND.format(n=0, ids="").encode()))
    for _ in range(2):
        assert search(opened(tmp_path, peer.url)).rankings == ((),)
    assert len(peer.asked) == 1
    assert list((tmp_path / "cache" / "eutils").rglob("*.gz"))


@each_row(
    ("ids", "found"), [(("PMID:1", "OMIM:2"), {"PMID:1"}), (("OMIM:1",), set()), ((), {"PMID:1", "PMID:2", "PMID:3"})]
)
def test_only_pmids_limit_a_search(make: Any, ids: tuple[str, ...], found: set[str]) -> None:
    words = Or(parts=tuple(Words(text=word) for word in ("marfan", "losartan", "aortic")))
    rankings = search(make(), words, Filters(ids=ids)).rankings
    hits = {hit.passage.document_id for ranking in rankings for hit in ranking}
    assert hits <= found
    assert bool(hits) == bool(found)


def moments(pace: Pace, waits: Any, count: int, pauses: list[float]) -> list[float]:
    """Return when each call got its turn."""
    turns: list[float] = []

    async def run() -> None:
        for number in range(count):
            waits.now += pauses[number % len(pauses)]
            await pace.wait()
            turns.append(waits.now)

    asyncio.run(run())
    return turns


@given(pauses=st.lists(st.floats(0, 1), min_size=1, max_size=6), rate=st.sampled_from([3, 10]))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_never_more_than_the_rate_in_any_second(pauses: list[float], rate: int, waits: Any) -> None:
    turns = moments(Pace(rate, clock=waits.clock, sleep=waits.sleep), waits, 30, pauses)
    for first in turns:
        assert sum(first <= turn < first + 1 for turn in turns) <= rate


def test_infrequent_calls_do_not_wait_and_a_hold_delays_all(waits: Any) -> None:
    pace = Pace(3, clock=waits.clock, sleep=waits.sleep)
    moments(pace, waits, 10, [0.5])
    assert waits.slept == []
    waits.now += 1
    pace.hold(20)
    moments(pace, waits, 1, [0.0])
    assert waits.slept == [20]


def test_tasks_in_several_loops_share_one_pace() -> None:
    pace, turns, lock = Pace(100), [], threading.Lock()

    async def many() -> None:
        async def one() -> None:
            await pace.wait()
            with lock:
                turns.append(pace.clock())

        await asyncio.gather(*(one() for _ in range(10)))

    started = pace.clock()
    threads = [threading.Thread(target=lambda: asyncio.run(many())) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(turns) == 30
    assert max(turns) - started >= 29 * 0.0104


def test_one_pace_for_an_address_and_a_faster_one_with_a_key() -> None:
    slow, fast = (Transport(EutilsService(api_key=key))._pace for key in (None, "z"))
    assert (slow.per_second, fast.per_second) == (3, 10)
    assert Transport(EutilsService(api_key="x"))._pace is Transport(EutilsService(api_key="y"))._pace is fast
    assert Transport(EutilsService())._pace is slow
    assert Transport(EutilsService(address="http://127.0.0.1:1"))._pace.per_second == float("inf")


def test_addresses_are_checked_and_the_path_is_added() -> None:
    for address in ("", "eutils.ncbi.nlm.nih.gov", "ftp://x", "http://", "http://x:99999"):
        refused(ConfigError, "not an address", EutilsService, address=address)
    assert EutilsService(address="http://127.0.0.1:80").address == "http://127.0.0.1:80/entrez/eutils"
    assert EutilsService(address="http://x.org/entrez/eutils/").address == "http://x.org/entrez/eutils"


@pytest.fixture(scope="module")
def real(real_corpus: Any) -> list[Document]:
    """Real PubMed records, each PMID once."""
    return [*real_corpus[0].all_documents()]


@pytest.fixture
def records(real_server: str, loopback: None) -> PubMedRecords:
    place = EutilsService(name="pubmed:test", address=real_server)
    return PubMedRecords(Eutils(Transport(place)), real_server)


def found(records: PubMedRecords, *documents: Document) -> list[list[str]]:
    return [[record.id for record in matches] for matches in then_closed(records, records.find(documents))]


def asked(n: int, **identifiers: str) -> Document:
    return Document(id=f"FILE:{n}.pdf", text="A text.", identifiers=identifiers)


def test_every_real_record_is_found_by_each_of_its_ids_and_nothing_by_others(
    records: PubMedRecords, real: list[Document]
) -> None:
    chosen = [record for record in real if "doi" in record.identifiers][:120]
    by_pmid = [asked(n, pmid=record.identifiers["pmid"]) for n, record in enumerate(chosen)]
    assert found(records, *by_pmid) == [[record.id] for record in chosen]
    by_doi = [asked(n, doi=f"https://doi.org/{record.identifiers['doi'].upper()}.") for n, record in enumerate(chosen)]
    for matches, record in zip(found(records, *by_doi), chosen, strict=True):
        assert record.id in matches
    by_pmc = [record for record in real if "pmc" in record.identifiers][:10]
    asked_by_pmc = [asked(n, pmc=record.identifiers["pmc"]) for n, record in enumerate(by_pmc)]
    assert found(records, *asked_by_pmc) == [[record.id] for record in by_pmc]
    sly = '10.1000/x"[aid]OR"cancer'
    none = found(records, asked(1, pmid="99999999"), asked(2, doi="10.1000/none"), asked(3, doi=sly), asked(4))
    assert none == [[], [], [], []]


def folder_of(tmp_path: Path, *papers: dict[str, Any]) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir(exist_ok=True)
    (folder / "papers.jsonl").write_text("".join(json.dumps(paper) + "\n" for paper in papers))
    return folder


def run(*words: object) -> Any:
    return CliRunner().invoke(corpus_app, [*map(str, words), "-q"], catch_exceptions=False)


def test_a_retraction_that_pubmed_knows_of(
    home: Path, tmp_path: Path, real_server: str, loopback: None, real: list[Document]
) -> None:
    retracted = next(r for r in real if r.retraction == "retracted")
    pmid = retracted.identifiers["pmid"]
    mine = {"id": "mine", "title": retracted.title, "text": "My copy of the text.", "pmid": pmid}
    folder = folder_of(tmp_path, mine, {"text": "No id."})
    built = run("build", "papers", folder, "--enrich", real_server)
    line = f"joined with {real_server}: 1 of 2 documents (1 retracted); 1 carries no PMID or DOI"
    assert line in built.stderr.splitlines()
    with Library(home).open("papers") as snapshot:
        (document,) = [d for d in snapshot.all_documents() if d.joined]
    assert document.retraction == "retracted"
    assert document.joined[0].source == f"pubmed:{real_server}"
    assert document.text == "My copy of the text."
    assert "[RETRACTED]" in CliRunner().invoke(corpus_app, ["search", "papers", "copy of the text"]).stdout


def test_a_server_that_is_down_is_told_and_asked_again(
    home: Path, tmp_path: Path, make_peer: Callable[..., Any], reply: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(eutils_transport, "Patience", lambda: Patience(tries=2, first_wait=0.001))
    peer = make_peer(reply(status=503))
    folder = folder_of(tmp_path, *({"title": f"T{n}", "text": f"Text {n}.", "pmid": n} for n in range(1, 300)))
    built = run("build", "papers", folder, "--enrich", peer.url)
    assert built.exit_code == 0
    assert len(peer.asked) == 2  # one request, tried twice: not one for each batch
    assert "299 could not be looked up (" in built.stderr
    assert "the next sync tries again" in built.stderr
    empty = b"<PubmedArticleSet></PubmedArticleSet>"
    nothing = b"<eSearchResult><Count>0</Count><IdList/></eSearchResult>"
    peer.replies[:] = [lambda asked: reply(empty if "efetch" in asked.path else nothing)]
    synced = run("sync", "papers", folder)
    assert "299 not found" in synced.stderr
    assert run("sync", "papers", folder).stdout == "papers is up to date: 1 files\n"


def test_a_search_that_finds_too_much_is_split_and_failures_are_raised(
    make_peer: Callable[..., Any], reply: Any, make_client: Any
) -> None:
    def answer(asked: Any) -> Any:
        if "esearch" not in asked.path:
            return reply(b"<PubmedArticleSet></PubmedArticleSet>")
        many = asked.parameters["term"].count("[aid]") > 1
        count = b"5000" if many else b"1"
        return reply(b"<eSearchResult><Count>%b</Count><IdList><Id>1</Id></IdList></eSearchResult>" % count)

    peer = make_peer(answer)
    records = PubMedRecords(make_client(peer), "here")
    assert found(records, *(asked(n, doi=f"10.1000/x{n}") for n in range(4))) == [[], [], [], []]
    terms = [asked.parameters["term"] for asked in peer.asked if "esearch" in asked.path]
    assert [term.count("[aid]") for term in terms] == [4, 2, 1, 1, 2, 1, 1]
    with pytest.raises(SourceUnavailable):
        found(PubMedRecords(make_client(make_peer(reply(status=500)), tries=1), "here"), asked(1, pmid="1"))


def test_without_its_extra_pubmed_is_refused_in_one_line(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "medground.sources.pubmed.source")
    monkeypatch.setitem(sys.modules, "httpx2", None)
    monkeypatch.delitem(sys.modules, "medground.sources.eutils.client")
    with pytest.raises(ConfigError, match=r'run: pip install "medground\[services\]"'):
        run("build", "papers", folder_of(tmp_path, {"text": "No id."}), "--enrich", "pubmed")
