"""Documents joined with PubMed: through our own server over real records, and through a service that fails."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from closing import then_closed
from typer.testing import CliRunner

from medground.corpus.library import Library
from medground.errors import ConfigError, SourceUnavailable
from medground.faces.cli.corpus import corpus_app
from medground.sources.eutils import client as eutils_transport
from medground.sources.eutils.client import Eutils, EutilsService, Transport
from medground.sources.http.retries import Patience
from medground.sources.pubmed.source import PubMedRecords
from medground.values.document import Document


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
    monkeypatch.setitem(sys.modules, "httpx", None)
    monkeypatch.delitem(sys.modules, "medground.sources.eutils.client")
    with pytest.raises(ConfigError, match=r'run: pip install "medground\[services\]"'):
        run("build", "papers", folder_of(tmp_path, {"text": "No id."}), "--enrich", "pubmed")
