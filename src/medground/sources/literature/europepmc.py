"""Europe PMC, by its RESTful web service (https://europepmc.org/RestfulWebService), and PubMed Central at NCBI."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pydantic import Field

from medground.corpus.readers.compose import abstract_of, plain
from medground.corpus.readers.services import service_document
from medground.errors import SourceUnavailable
from medground.home.settings import Settings
from medground.home.settings_groups import SettingsSection
from medground.sources.base import SourceDeclaration
from medground.sources.eutils.client import Eutils
from medground.sources.http.service import Client, Service
from medground.sources.http.wire import open_wire
from medground.sources.literature.source import LiteratureSource, Read, Syntax, fields_of, quoted
from medground.sources.live import Json, parts, text
from medground.sources.pubmed.source import open_client, own_address
from medground.values.document import Document, MeshHeading
from medground.values.grouping import portions

_NAME = re.compile(r"[A-Za-z0-9]+")


def document_of(record: Json) -> Document | None:
    """A record (resultType=core) as its reader reads it from a file; None if it has no title and text, or no id."""
    database, number = text(record, "source"), text(record, "id")
    is_numbered = _NAME.fullmatch(database) is not None and _NAME.fullmatch(number) is not None
    try:
        found = service_document(record, NAME)
    except ValueError:
        return None
    if found.id.startswith("REF:") and not is_numbered:
        return None
    abstract = abstract_of(text(record, "abstractText"))
    concerns = [
        f"An expression of concern was published: {plain(text(part, 'reference'))}".rstrip(": ")
        for part in parts(record, "commentCorrectionList.commentCorrection")
        if text(part, "type").casefold() == "expression of concern in"
    ]
    return found.replace(
        id=f"EPMC:{database}-{number}" if found.id.startswith("REF:") else found.id,
        text=abstract.text or found.title,
        sections=abstract.sections,
        mesh=_mesh(record),
        url=f"https://europepmc.org/article/{database}/{number}" if is_numbered else None,
        retraction="concern" if concerns and found.retraction == "none" else found.retraction,
        cautions=tuple(concerns),
    )


def _mesh(record: Json) -> tuple[MeshHeading, ...]:
    return tuple(
        MeshHeading(
            descriptor=descriptor,
            major=text(heading, "majorTopic_YN") == "Y",
            qualifiers=tuple(filter(None, (text(qualifier, "qualifierName") for qualifier in qualifiers))),
            major_qualifiers=tuple(
                filter(None, (text(q, "qualifierName") for q in qualifiers if text(q, "majorTopic_YN") == "Y"))
            ),
        )
        for heading in parts(record, "meshHeadingList.meshHeading")
        if (descriptor := text(heading, "descriptorName"))
        for qualifiers in [[*parts(heading, "meshQualifierList.meshQualifier")]]
    )


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
    name="Europe PMC", fields=fields_of("europepmc"), dates="(FIRST_PDATE:[{low} TO {high}])", id_of=_id_query
)


class EuropePMCSource(LiteratureSource):
    """Searches titles and abstracts in Europe PMC, in its own order of relevance; `only` limits what it finds."""

    def __init__(self, client: Client, name: str = NAME, only: str = "") -> None:
        super().__init__(name, SYNTAX, client, most=MOST)
        self._client, self._only = client, only

    async def _find(self, asked: str, limit: int) -> Read:
        records: list[Mapping[str, Any]] = []
        cursor, asked = "*", f"({asked}) AND {self._only}" if self._only else asked
        while len(records) < limit:
            page, following = await self._page(asked, cursor, min(_PAGE, limit - len(records)))
            records += page
            if not page or not following or following == cursor:
                break
            cursor = following
        return Read.from_documents([document_of(record) for record in records[:limit]])

    async def _read(self, ids: Sequence[str]) -> tuple[Document, ...]:
        found: list[Document] = []
        for some in portions(ids, _AT_ONCE):
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


def europe_pmc(settings: Settings) -> Client:
    """A client of Europe PMC's web service."""
    service = Service(name=NAME, address=settings.section(EuropePMCSettings).address, per_second=8.0)
    return Client(service, open_wire(settings))


EUROPE_PMC = SourceDeclaration(
    name=NAME, open=lambda settings: EuropePMCSource(europe_pmc(settings)), settings=EuropePMCSettings
)
_PREPRINTS = '(SRC:PPR AND (PUBLISHER:"bioRxiv" OR PUBLISHER:"medRxiv"))'
PREPRINTS = SourceDeclaration(
    name="preprints", open=lambda settings: EuropePMCSource(europe_pmc(settings), "preprints", _PREPRINTS)
)
"""Preprints of bioRxiv and medRxiv, as Europe PMC has them."""


# PubMed Central, by the E-utilities: esearch finds articles, efetch brings them as JATS.

_PMC = "pmc"
_MOST_PMC = 1000
"""Most articles of one search: each comes with its full text."""
_KEPT = 300


class PMCSettings(SettingsSection):
    """Where PubMed Central is asked."""

    section: ClassVar[str] = _PMC

    address: str | None = Field(
        default=None, description="address of an E-utilities service; that of `retrieval.pubmed`, else NCBI"
    )


def _number(document_id: str) -> str:
    """`123` of `PMC:PMC123`; empty for the id of anything else."""
    name = document_id.removeprefix("PMC:PMC")
    fits = name != document_id and name.isascii() and name.isdigit() and len(name) <= 12
    return name if fits else ""


PMC_SYNTAX = Syntax(
    name="PMC",
    fields=fields_of("pmc"),
    dates='("{low}"[Publication Date] : "{high}"[Publication Date])',
    dash="/",
    id_of=lambda document_id: f"{number}[uid]" if (number := _number(document_id)) else "",
)


class PMCSource(LiteratureSource):
    """Searches titles and abstracts in PubMed Central, and reads the articles with their full text where it is open."""

    def __init__(self, client: Eutils) -> None:
        super().__init__(_PMC, PMC_SYNTAX, client, most=_MOST_PMC, kept=_KEPT)
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


def _open_pmc(settings: Settings) -> PMCSource:
    address = settings.section(PMCSettings).address or own_address(settings)
    return PMCSource(open_client(settings, address, _PMC))


PMC = SourceDeclaration(name=_PMC, open=_open_pmc, settings=PMCSettings)
