"""Single papers by id and citation, what is like and cites them, full texts; trials, OpenAlex and preprints as sources.

What services send is in `test_papers.toml`, as their documentation has it. Our own E-utilities stand in for NCBI's too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from closing import then_closed
from command_line import corpus_of, run
from http_peer import Asked, Peer, Reply
from rows import tables

from medground import BlockingEngine, Lookup
from medground.errors import SourceUnavailable, UsageError
from medground.home.settings import Settings
from medground.sources.base import find_source
from medground.sources.http.service import ADDRESSES
from medground.values.query import Filters, Words

TABLES = tables(__file__)
MANN = TABLES["mann"]
LIKE = TABLES["like"]
CITATION = "Proc Natl Acad Sci U S A|1991|88|3248|Mann BJ|"


def replying(pages: str) -> Callable[[Asked], Reply]:
    def reply(asked: Asked) -> Reply:
        if "efetch" in asked.path:
            if asked.parameters["db"] == "pmc":
                return Reply(b"<pmc-articleset/>")
            articles = "".join(
                f"<PubmedArticle><MedlineCitation><PMID>{i}</PMID><Article><ArticleTitle>Paper {i}</ArticleTitle>"
                f"<Abstract><AbstractText>Lectin {i}.</AbstractText></Abstract></Article></MedlineCitation>"
                "</PubmedArticle>"
                for i in asked.parameters["id"].split(",")
                if i != "99"
            )
            return Reply(f"<PubmedArticleSet>{articles}</PubmedArticleSet>".encode())
        body = TABLES[pages].get(asked.path)
        kind = {"{": "application/json", "<": "text/xml"}.get((body or "{")[0], "text/plain")
        return Reply((body or "{}").encode(), 200 if body else 404, kind)

    return reply


@pytest.fixture
def live(make_peer: Callable[..., Peer], monkeypatch: pytest.MonkeyPatch) -> Peer:
    """All services that are asked live, on loopback."""
    peer = make_peer(replying("live"))
    monkeypatch.setattr("medground.sources.pubmed.source.NCBI", f"{peer.url}/entrez/eutils")
    for name in ("idconv", "pubtator", "unpaywall"):
        monkeypatch.setitem(ADDRESSES, name, f"{peer.url}/{name}")
    return peer


def opened(peer: Peer | None = None, **options: Any) -> BlockingEngine:
    live = {"retrieval.pubmed": "live", "retrieval.email": "ann@hospital.example"}
    asked = live | {"europepmc.address": f"{peer.url}/europepmc"} if peer else {}
    return BlockingEngine({"retrieval.corpora": ("papers",), **asked, **options})


def test_corpora_know_ids_citations_and_what_is_like_a_paper(home: Any) -> None:
    corpus_of(MANN, LIKE, {"id": "PMID:8", "title": "Gout", "text": "Colchicine relieves gout."})
    with opened() as engine:
        asked = ["2014248", "https://doi.org/10.1073/PNAS.88.8.3248", "PMC51423", CITATION]
        asked += ["PMID:99", "some paper", "Gut|soon|1|2|Mann BJ", "PMID:20142481111", "10.1234/%00"]
        found = engine.papers(asked)
        assert [one.status for one in found] == ["found"] * 4 + ["not found"] * 5
        assert {(one.held_by, *one.ids.values()) for one in found[:4]} == {
            ("corpus:papers", "2014248", "PMC51423", "10.1073/pnas.88.8.3248")
        }
        assert "PubMed is not searched here" in found[4].reason
        assert "not the id of a paper" in found[5].reason and "'soon' is not a date" in found[6].reason
        like = engine.related("PMID:2014248")
        assert (like.documents[0].id, like.documents[0].retraction) == ("PMID:7", "retracted")
        for call in (lambda: engine.related("PMID:8", by="citing"), lambda: engine.full_text("PMID:8")):
            with pytest.raises(UsageError, match=r"open the engine with sources=\[\"pubmed\"\]"):
                call()
        with pytest.raises(UsageError, match="'PMID:99' was not found: no corpus holds it"):
            engine.related("PMID:99")
        with pytest.raises(UsageError, match="1 to 50 papers, not 0"):
            engine.papers([])


def test_the_command_line_prints_papers(home: Any, live: Peer, capsys: Any, monkeypatch: Any) -> None:
    other = {"title": "Gout", "text": "Gout hurts.", "identifiers": {}, "imprint": {"volume": "87"}}
    corpus_of(*(MANN | other | {"id": f"PMID:{n}"} for n in range(300, 450)), MANN, LIKE)
    assert run("paper", "-c", "papers", CITATION, "PMID:99") == 0
    found, missing = capsys.readouterr().out.splitlines()
    assert found.startswith("pmid:2014248 pmc:PMC51423 doi:10.1073/pnas.88.8.3248 Sequence of a lectin")
    assert "PMID:99 not found: no corpus holds it" in missing
    assert run("paper", "-c", "papers", "PMID:2014248", "--related", "similar") == 0
    assert "PMID:7 RETRACTED Lectin" in capsys.readouterr().out
    assert run("paper", "--pubmed", "live", "-c", "papers", "PMID:2014248", "--entities") == 0
    assert "Species 5759: E. histolytica (2)" in capsys.readouterr().out
    monkeypatch.setitem(ADDRESSES, "pubtator", f"{live.url}/away")
    assert run("paper", "--pubmed", "live", "-c", "papers", "PMID:7", "--entities") == 0
    assert "RETRACTED Lectin. found: no entities: pubtator: the reply has no list" in capsys.readouterr().out
    assert run("paper", "-c", "papers", "PMID:2014248", "--full-text") == 2


def test_services_know_what_no_corpus_holds(home: Any, live: Peer, capsys: pytest.CaptureFixture[str]) -> None:
    gout = {"id": "PMID:8", "title": "Gout", "text": "Colchicine for gout.", "identifiers": {"doi": "10.1234/closed"}}
    gone = {"id": "PMID:9", "title": "Gone", "text": "It was made up.", "identifiers": {"doi": "10.1234/gone"}}
    corpus_of(gout, gone | {"retraction": "retracted"})
    with opened(live) as engine:
        cited, converted, nothing = engine.papers([CITATION, "10.1093/nar/gks\u200b1195", "PMID:0"], entities=True)
        assert (cited.ids, cited.held_by, cited.document and cited.document.title) == (
            {"pmid": "2014248"}, "pubmed:live", "Paper 2014248",
        )  # fmt: skip
        assert [(one.kind, one.id, one.words, one.count) for one in cited.entities] == [
            ("Species", "5759", "E. histolytica", 2),
            ("Disease", "MESH:D000562", "amebiasis", 1),
        ]
        assert converted.ids == {"pmid": "23193287", "pmc": "PMC3531190", "doi": "10.1093/nar/gks1195"}
        assert nothing.status == "not found"
        assert [one.id for one in engine.related("PMID:2014248", by="citing").documents] == ["PMID:31", "PMID:32"]
        assert [one.id for one in engine.related("PMID:2014248").documents] == ["PMID:33"]
        whole = engine.full_text("PMC3531190")
        assert whole.document is not None
        assert "All sequences were read." in whole.document.text
        place = engine.full_text("PMID:8")
        assert (place.document, place.url, place.license) == (None, "https://repository.example/1.pdf", "cc-by")
        email = ("--set", "retrieval.email=ann@hospital.example")
        assert run("paper", "--pubmed", "live", *email, "-c", "papers", "--full-text", "PMID:9") == 0
        assert capsys.readouterr().out == "RETRACTED: https://repository.example/2\n"
        engine.papers(["Proc Natl Acad Sci U S A|1991|88|9"])
        assert live.asked[-1].parameters["bdata"] == "Proc Natl Acad Sci U S A|1991|88|9||0|"
        none = engine.full_text("PMID:31")
        assert len(none.routes) == 2
    assert "ann@hospital.example" in {asked.parameters.get("email") for asked in live.asked}


def test_a_service_that_fails_is_not_an_unknown_paper(home: Any, make_peer: Any, monkeypatch: Any) -> None:
    corpus_of(LIKE)
    peer = make_peer(Reply(status=400))
    with opened(**{"retrieval.pubmed": peer.url}) as engine:
        (one,) = engine.papers(["PMID:99"])
        assert one.status == "failed"
        with pytest.raises(SourceUnavailable):
            engine.related("PMID:99")


def searched(name: str, pages: str, make_peer: Any, monkeypatch: Any, **limits: Any) -> tuple[Any, Any, Peer]:
    peer = make_peer(replying(pages))
    monkeypatch.setitem(ADDRESSES, name, peer.url)
    source = find_source(name).open(Settings.load(options={"europepmc.address": peer.url}))

    async def run() -> Any:
        found = await source.search(
            Lookup(asked=Words(text="diabetes metformin"), text="metformin", limit=100), Filters(**limits)
        )
        return found, await source.fetch([hit.passage.document_id for hit in found.rankings[0]])

    found, documents = then_closed(source, run())
    return found, list(documents.values()), peer


def test_trials_works_and_preprints_are_read(home: Any, make_peer: Any, monkeypatch: Any) -> None:
    found, (trial,), peer = searched("clinicaltrials", "trials", make_peer, monkeypatch)
    assert (trial.id, trial.year) == ("NCT:NCT05812963", 2024)
    assert trial.url == "https://clinicaltrials.gov/study/NCT05812963"
    assert "Metformin; Exercise" in trial.text
    assert [section.label for section in trial.sections][:2] == ["Status", "Summary"]
    assert peer.asked[0].parameters["query.term"] == '("diabetes" OR "metformin")'
    assert found.notes == ("1 records found could not be read",)
    trials = find_source("clinicaltrials").open(Settings.load())
    assert then_closed(trials, trials.fetch(["NCT:../../anything", "NCT:x/.."])) == {}
    assert {one.path for one in peer.asked} == {"/studies"}
    _, (work,), peer = searched("openalex", "openalex", make_peer, monkeypatch)
    assert (work.id, work.text, work.retraction) == ("PMID:29456894", "Open access is free access", "retracted")
    assert (work.journal, work.authors, work.identifiers["doi"]) == (
        "PeerJ",
        ("Heather Piwowar",),
        "10.7717/peerj.4375",
    )
    for name, date_from in (("openalex", "2018-02-14"), ("clinicaltrials", "2024-03-02")):
        assert searched(name, name.removeprefix("clinical"), make_peer, monkeypatch, date_from=date_from)[1] == []
    _, (posted,), peer = searched("preprints", "preprints", make_peer, monkeypatch)
    assert (posted.id, posted.publication_types) == ("DOI:10.1101/2020.01.15.20017285", ("Preprint",))
    assert 'SRC:PPR AND (PUBLISHER:"bioRxiv" OR PUBLISHER:"medRxiv")' in peer.asked[0].parameters["query"]
    with pytest.raises(SourceUnavailable, match="no list of results"):
        searched("openalex", "trials", make_peer, monkeypatch)
