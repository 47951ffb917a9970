"""`search`: the passages that fit some words best."""

from __future__ import annotations

from medground.document import Passage
from medground.faces.mcp.inputs import Search
from medground.faces.mcp.outputs import Found, SearchFound
from medground.faces.mcp.parts import Fields, Part, Result
from medground.faces.mcp.tool import Call, Tool
from medground.faces.mcp.tools.answers import NAME, RETRACTION, fields_of, note_part, search_part, shown_as
from medground.faces.mcp.tools.ask import filters_of
from medground.faces.mcp.untrusted import Fence, line
from medground.rank.source_facts import in_pubmed
from medground.search import SearchResult
from medground.text.english import some
from medground.wording.view import search_view


async def _search(call: Call, value: Search) -> Result:
    found = await call.service.search(
        value.query, call.person, limit=value.limit, filters=filters_of(value), corpora=value.corpora
    )
    return search_result(found, call.fence)


def search_result(found: SearchResult, fence: Fence) -> Result:
    """The passages that were found, best first; a search that failed is told as such."""
    notice = found.notice.sentence if found.notice else None
    said = "Nothing was searched." if found.notice and found.notice.stops else some(len(found.hits), "passage") + "."
    parts = [
        *(_passage(hit.passage, fence) for hit in found.hits),
        *(search_part(search_view(search), fence) for search in found.searches),
        *(note_part(note, fence) for note in found.notes),
    ]
    head = {**({"notice": notice} if notice else {}), "results": []}
    words = "\n".join(filter(None, [notice, fence.rule, said]))
    return Result(head=head, words=words, parts=parts)


def _passage(passage: Passage, fence: Fence) -> Part:
    title, url = line(passage.title, NAME) or passage.document_id, url_of(passage.document_id)
    value = shown_as(Found, passage, id=passage.document_id, quote=passage.text, title=title, url=url)

    def words(v: Fields) -> str:
        mark = "" if v["retraction"] == "none" else f" {RETRACTION[v['retraction']]}"
        year = f", {v['year']}" if "year" in v else ""
        about = f"{v['document_id']} {v['start']}-{v['end']}{year}{mark}"
        return f"{about}: {fence('title', v['title'])}\n    {fence('quote', v['quote'])}"

    return Part("results", fields_of(value), words, cut="quote")


def url_of(document_id: str) -> str:
    """Where a record of PubMed can be read; for others their id as an address of ours, which nothing opens."""
    return in_pubmed(document_id) or f"medground:{document_id}"


SEARCH = Tool(
    name="search",
    about="Find passages of the literature by words and meaning: verbatim, with offsets. Read more of one with fetch.",
    input=Search,
    output=SearchFound,
    run=_search,
)
