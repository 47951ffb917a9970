"""Europe PMC, by its RESTful web service: https://europepmc.org/RestfulWebService."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pydantic import Field

from medground.document import Document
from medground.errors import SourceUnavailable
from medground.fetching.service import Client, Service
from medground.fetching.wire import open_wire
from medground.settings import Settings, SettingsSection
from medground.sources.base import SourceDeclaration
from medground.sources.literature.europepmc_record import document_of
from medground.sources.literature.live import LiteratureSource, Read
from medground.sources.literature.syntax import Syntax, quoted

NAME = "europepmc"
MOST = 1000
"""Most records of one search."""
_PAGE = 100
_AT_ONCE = 40
"""Most ids of one query: a longer one would not fit into an address."""


class EuropePMCSettings(SettingsSection):
    """Where Europe PMC is asked."""

    section: ClassVar[str] = NAME

    address: str = Field(
        default="https://www.ebi.ac.uk/europepmc/webservices/rest", description="base address of the web service"
    )


def _id_query(document_id: str) -> str:
    prefix, _, name = document_id.partition(":")
    words = quoted(name)
    if prefix == "EPMC":  # a record without PMID, PMC id and DOI: `EPMC:SOURCE-ID`
        database, dash, number = name.partition("-")
        return f"(EXT_ID:{quoted(number)} AND SRC:{quoted(database)})" if dash and quoted(number) else ""
    forms = {"PMID": f"(EXT_ID:{words} AND SRC:MED)", "PMC": f"PMCID:{words}", "DOI": f"DOI:{words}"}
    return forms.get(prefix, "") if words else ""


SYNTAX = Syntax(
    name="Europe PMC",
    fields={
        None: ("TITLE_ABS:{}",),
        "title_abstract": ("TITLE_ABS:{}",),
        "text_word": ("TITLE_ABS:{}", "KW:{}"),
        "title": ("TITLE:{}",),
        "text": ("ABSTRACT:{}",),
        "mesh": ("KW:{}",),
        "mesh_major": ("KW:{}",),
        "keyword": ("KW:{}",),
        "author": ("AUTH:{}",),
        "journal": ("JOURNAL:{}",),
        "publication_type": ("PUB_TYPE:{}",),
        "language": ("LANG:{}",),
        "year": ("PUB_YEAR:{}",),
        "all": ("{}",),
    },
    dates="(FIRST_PDATE:[{low} TO {high}])",
    id_of=_id_query,
)


class EuropePMCSource(LiteratureSource):
    """Searches titles and abstracts in Europe PMC, in its own order of relevance.

    Args:
        client: the client of the service; the source closes it.
    """

    def __init__(self, client: Client) -> None:
        super().__init__(NAME, SYNTAX, client, most=MOST)
        self._client = client

    async def _find(self, asked: str, limit: int) -> Read:
        records: list[Mapping[str, Any]] = []
        cursor = "*"
        while len(records) < limit:
            page, following = await self._page(asked, cursor, min(_PAGE, limit - len(records)))
            records += page
            if not page or not following or following == cursor:
                break
            cursor = following
        documents = [document_of(record) for record in records[:limit]]
        readable = tuple(document for document in documents if document is not None)
        return Read(readable, unread=len(documents) - len(readable))

    async def _find_by_id(self, ids: Sequence[str]) -> tuple[Document, ...]:
        found: list[Document] = []
        for start in range(0, len(ids), _AT_ONCE):
            some = ids[start : start + _AT_ONCE]
            found += (await self._find(" OR ".join(map(_id_query, some)), 2 * len(some))).documents
        return tuple(found)

    async def _page(self, asked: str, cursor: str, size: int) -> tuple[list[Mapping[str, Any]], str]:
        """The records of a page, and the mark of the next; empty on the last."""
        parameters = {"query": asked, "format": "json", "resultType": "core", "synonym": "false"}
        reply = await self._client.get("search", parameters | {"pageSize": str(size), "cursorMark": cursor})
        content = reply.json()
        listed = content.get("resultList") if isinstance(content, dict) else None
        if not isinstance(listed, dict) or not isinstance(results := listed.get("result", []), list):
            said = content.get("errMsg") if isinstance(content, dict) else None
            reason = f"the service reported an error: {str(said)[:200]}" if said else "the reply has no list of results"
            raise SourceUnavailable(f"{reason}; the service may have changed", source=self.name)
        following = content.get("nextCursorMark")
        return [record for record in results if isinstance(record, dict)], str(following or "")


def _open(settings: Settings) -> EuropePMCSource:
    service = Service(name=NAME, address=settings.section(EuropePMCSettings).address, per_second=8.0)
    return EuropePMCSource(Client(service, open_wire(settings)))


EUROPE_PMC = SourceDeclaration(name=NAME, open=_open, settings=EuropePMCSettings)
