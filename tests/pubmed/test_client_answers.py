"""How the client parses real responses from NCBI."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rows import each_row

from medground.document import Document
from medground.errors import BadDocument, SourceUnavailable, UsageError
from medground.pubmed.eutils_answers import History

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
    assert result.translation == '"biopython"[All Fields]'
    assert result.history is None
    assert asked[0].path == "/entrez/eutils/esearch.fcgi"
    assert asked[0].parameters["term"] == "biopython"
    assert asked[0].parameters["email"] == "reader@example.org"
    assert asked[0].parameters["tool"] == "medground"


def test_a_search_stored_in_the_history(recorded: Any) -> None:
    result, asked = recorded("eutils/biopython/esearch2.xml", lambda c: c.esearch("cancer", limit=100, keep=True))
    assert result.count == 42249
    assert result.history == History("MCID_6927d6e7fee3e90f880ec190", 1)
    assert asked[0].parameters["usehistory"] == "y"


def test_a_mapped_search(recorded: Any) -> None:
    result, _ = recorded("eutils/biopython/esearch5.xml", lambda c: c.esearch("stem cells AND hasabstract"))
    assert result.count == 5
    assert result.translations[0][0] == "stem cells"
    assert result.translations[0][1].startswith('"stem cells"[MeSH Terms] OR')


def test_a_search_without_results_is_not_an_error(recorded: Any) -> None:
    result, _ = recorded("eutils/biopython/esearch8.xml", lambda c: c.esearch("abcXYZ"))
    assert (result.count, result.ids) == (0, ())
    assert result.not_found == ("abcXYZ",)
    assert result.warnings == ("output message: No items found.",)


def test_summaries(recorded: Any) -> None:
    found, asked = recorded("eutils/biopython/esummary1.xml", lambda c: c.esummary(["11482001", "11850928", "7"]))
    assert list(found) == ["11482001", "11850928"]
    first = found["11482001"]
    assert first.title == "Adverse and beneficial effects of plant extracts on skin and skin disorders."
    assert first.journal == "Adverse drug reactions and toxicological reviews"
    assert first.date == "2001 Jun"
    assert first.authors == ("Mantle D", "Gok MA", "Lennard TW")
    assert first.publication_types == ("Journal Article", "Review")
    assert first.identifiers == {"pubmed": "11482001"}
    assert first.has_abstract
    assert asked[0].parameters["id"] == "11482001,11850928,7"


def test_an_error_in_a_summary(recorded: Any) -> None:
    with pytest.raises(UsageError, match="Neither query_key nor id specified"):
        recorded("eutils/biopython/esummary8.xml", lambda c: c.esummary(["7"]))


def test_posting(recorded: Any) -> None:
    posted, _ = recorded("eutils/biopython/epost1.xml", lambda c: c.epost(["11237011"]))
    assert posted.history == History("MCID_692851c130aec64bed0a8c2a", 1)


@each_row(
    ("name", "words"), [("epost2", "Invalid db name specified: nothing"), ("epost3", "Empty ID list; Nothing to store")]
)
def test_an_epost_that_is_rejected(recorded: Any, name: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        recorded(f"eutils/biopython/{name}.xml", lambda c: c.epost(["7"]))


def test_similar_articles(recorded: Any) -> None:
    links, asked = recorded("eutils/biopython/elink3.xml", lambda c: c.elink(["11812492", "11774222"]))
    assert links[0].name == "pubmed_pubmed"
    assert links[0].database == "pubmed"
    assert links[0].source_ids == ("11812492", "11774222")
    assert links[0].ids[0] == "39386366"
    assert len(links[0].ids) > 100
    assert asked[0].parameters["cmd"] == "neighbor"


def test_database_info(recorded: Any) -> None:
    info, _ = recorded("eutils/biopython/einfo2.xml", lambda c: c.einfo())
    assert (info.name, info.count) == ("pubmed", 39730388)
    assert info.fields["ALL"] == "All Fields"
    databases, _ = recorded("eutils/biopython/einfo1.xml", lambda c: c.databases())
    assert databases[0] == "pubmed"
    assert "pmc" in databases


def test_spelling(recorded: Any) -> None:
    corrected, _ = recorded("eutils/biopython/espell.xml", lambda c: c.espell("biopythooon"))
    assert corrected == "biopython"


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
