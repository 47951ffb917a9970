"""How the client parses real responses from NCBI."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from medground.errors import BadDocument, SourceUnavailable
from medground.values.document import Document

pytestmark = pytest.mark.shared


@pytest.fixture
def recorded(shared: Path, make_peer: Callable[..., Any], make_client: Callable[..., Any], reply: Any) -> Any:
    """Call a service that replays a recorded response: `recorded(FILE, lambda client: client.esearch(...))`."""

    def ask(name: str, call: Callable[[Any], Any]) -> Any:
        peer = make_peer(reply((shared / name).read_bytes()))

        async def run() -> Any:
            client = make_client(peer, tries=1)
            try:
                answer = call(client)
                return [item async for item in answer] if hasattr(answer, "__aiter__") else await answer
            finally:
                await client.close()

        return asyncio.run(run()), peer.asked

    return ask


def test_a_search(recorded: Any) -> None:
    result, asked = recorded("eutils/biopython/esearch1.xml", lambda c: c.esearch("biopython"))
    assert result.count == 63
    assert len(result.ids) == 20
    assert result.ids[0] == "41282813"
    assert asked[0].path == "/entrez/eutils/esearch.fcgi"
    assert asked[0].parameters["term"] == "biopython"
    assert asked[0].parameters["email"] == "reader@example.org"
    assert asked[0].parameters["tool"] == "medground"


def test_a_search_without_results_is_not_an_error(recorded: Any) -> None:
    result, _ = recorded("eutils/biopython/esearch8.xml", lambda c: c.esearch("abcXYZ"))
    assert (result.count, result.ids) == (0, ())
    assert result.not_found == ("abcXYZ",)


def test_records(recorded: Any) -> None:
    items, _ = recorded("pubmed_xml/raw/biopython_pubmed1.xml", lambda c: c.efetch(["12091962", "9997"]))
    documents = [item for item in items if isinstance(item, Document)]
    assert [d.id for d in documents] == ["PMID:12091962", "PMID:9997"]
    assert documents[0].title == "The treatment of AIDS behind the walls of correctional facilities."
    assert len(documents[0].mesh) > 3


def test_full_text(recorded: Any) -> None:
    items, asked = recorded("eutils/biopython/efetch_pmc.xml", lambda c: c.efetch_full_texts(["PMC8435807"]))
    assert [type(item) for item in items] in ([Document], [BadDocument])
    assert asked[0].parameters["db"] == "pmc"
    assert asked[0].parameters["id"] == "8435807"


def test_an_unexpected_document(recorded: Any) -> None:
    with pytest.raises(SourceUnavailable, match="<eInfoResult> instead of <eSearchResult>"):
        recorded("eutils/biopython/einfo1.xml", lambda c: c.esearch("x"))
    with pytest.raises(SourceUnavailable, match="<IPGReportSet> instead of <eFetchResult>"):
        recorded("eutils/biopython/efetch_schemas.xml", lambda c: c.efetch(["1"]))
