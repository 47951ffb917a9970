"""PubMed Central at NCBI, by the E-utilities: esearch finds articles, efetch brings them as JATS."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field

from medground.home.settings import Settings
from medground.home.settings_groups import SettingsSection
from medground.sources.base import SourceDeclaration
from medground.sources.eutils.client import Eutils
from medground.sources.literature.source import LiteratureSource, Read, Syntax
from medground.sources.pubmed.source import open_client
from medground.values.document import Document

NAME = "pmc"
MOST = 1000
"""Most articles of one search: each comes with its full text."""
_KEPT = 300


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


class PMCSource(LiteratureSource):
    """Searches titles and abstracts in PubMed Central, and reads the articles with their full text where it is open."""

    def __init__(self, client: Eutils) -> None:
        super().__init__(NAME, SYNTAX, client, most=MOST, kept=_KEPT)
        self._client = client

    async def _find(self, asked: str, limit: int) -> Read:
        result = await self._client.esearch(asked, db="pmc", limit=limit, sort="relevance")
        found = {document.id: document for document in await self._articles(result.ids)}
        ordered = [found[name] for number in result.ids if (name := f"PMC:PMC{number}") in found]
        return Read(tuple(ordered), unread=len(set(result.ids)) - len(ordered))

    async def _read(self, ids: Sequence[str]) -> tuple[Document, ...]:
        return tuple(await self._articles([_number(document_id) for document_id in ids]))

    async def _articles(self, numbers: Sequence[str]) -> list[Document]:
        return [item async for item in self._client.efetch_full_texts(numbers) if isinstance(item, Document)]


def _open(settings: Settings) -> PMCSource:
    pubmed = settings.retrieval.pubmed
    address = settings.section(PMCSettings).address or (pubmed if pubmed != "live" else None)
    return PMCSource(open_client(settings, address, NAME))


PMC = SourceDeclaration(name=NAME, open=_open, settings=PMCSettings)
