"""PubMed Central at NCBI, by the E-utilities: esearch finds articles, efetch brings them as JATS."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from medground.document import Document
from medground.fetching.wire import open_wire
from medground.pubmed.eutils import Eutils
from medground.pubmed.eutils_cache import AnswerCache
from medground.pubmed.eutils_service import NCBI, EutilsService
from medground.pubmed.eutils_transport import Transport
from medground.settings import Settings, SettingsSection
from medground.sources.base import SourceDeclaration
from medground.sources.literature.live import LiveSource, Read
from medground.sources.literature.syntax import Syntax

NAME = "pmc"
MOST = 1000
"""Most articles of one search: each comes with its full text."""
_HELD = 300
_CACHE = Path("cache", "eutils")


class PMCSettings(SettingsSection):
    """Where PubMed Central is asked."""

    section: ClassVar[str] = NAME

    address: str | None = Field(
        default=None, description="address of an E-utilities service; that of `retrieval.pubmed`, else NCBI"
    )


def _number(document_id: str) -> str:
    """`123` of `PMC:PMC123`; empty for the id of anything else."""
    name = document_id.removeprefix("PMC:PMC")
    fits = name != document_id and name.isascii() and name.isdigit() and len(name) <= 12
    return name if fits else ""


def _id_query(document_id: str) -> str:
    return f"{number}[uid]" if (number := _number(document_id)) else ""


SYNTAX = Syntax(
    name="PMC",
    fields={
        None: ("{}[Title]", "{}[Abstract]"),
        "title_abstract": ("{}[Title]", "{}[Abstract]"),
        "text_word": ("{}[Title]", "{}[Abstract]", "{}[MeSH Terms]"),
        "title": ("{}[Title]",),
        "text": ("{}[Abstract]",),
        "mesh": ("{}[MeSH Terms]",),
        "mesh_major": ("{}[MeSH Major Topic]",),
        "keyword": ("{}[Title]", "{}[Abstract]"),
        "author": ("{}[Author]",),
        "journal": ("{}[Journal]",),
        "year": ("{}[Publication Date]",),
        "all": ("{}[All Fields]",),
    },
    dates='("{low}"[Publication Date] : "{high}"[Publication Date])',
    dash="/",
    id_of=_id_query,
)


class PMCSource(LiveSource):
    """Searches titles and abstracts in PubMed Central, and reads the articles with their full text where it is open.

    Args:
        client: the E-utilities client; the source closes it.
    """

    def __init__(self, client: Eutils) -> None:
        super().__init__(NAME, SYNTAX, most=MOST, held=_HELD)
        self._client = client

    async def _find(self, asked: str, limit: int) -> Read:
        result = await self._client.esearch(asked, db="pmc", limit=limit, sort="relevance")
        found = {document.id: document for document in await self._articles(result.ids)}
        ordered = [found[name] for number in result.ids if (name := f"PMC:PMC{number}") in found]
        return Read(tuple(ordered), unread=len(set(result.ids)) - len(ordered))

    async def _find_by_id(self, ids: Sequence[str]) -> tuple[Document, ...]:
        return tuple(await self._articles([_number(document_id) for document_id in ids]))

    async def _articles(self, numbers: Sequence[str]) -> list[Document]:
        return [item async for item in self._client.efetch_full_texts(numbers) if isinstance(item, Document)]

    async def close(self) -> None:
        """Close the connections. Safe to call twice."""
        self._closed = True
        await self._client.close()


def _open(settings: Settings) -> PMCSource:
    named, pubmed, key = settings.section(PMCSettings).address, settings.retrieval.pubmed, settings.keys.ncbi
    service = EutilsService(
        name=NAME,
        address=named or (pubmed if pubmed and pubmed != "live" else NCBI),
        email=settings.retrieval.email,
        api_key=key.get_secret_value() if key else None,
    )
    wire = open_wire(settings)
    # Replies from the cache would not be recorded, and would stand in for replies that were not.
    cache = AnswerCache(settings.home / _CACHE) if wire is None else None
    return PMCSource(Eutils(Transport(service, cache, wire=wire)))


PMC = SourceDeclaration(name=NAME, open=_open, settings=PMCSettings)
