"""What services say of one paper: its other ids, what is like it or cites it, its full text, what it names."""

import tempfile
from collections import Counter
from collections.abc import Awaitable, Iterable, Mapping
from pathlib import Path
from typing import Any

from medground.corpus.readers.base import Item
from medground.corpus.readers.services import texts_at, values_at
from medground.corpus.retraction import marked
from medground.errors import MedgroundError, SourceUnavailable
from medground.home.settings import Settings
from medground.sources.eutils.replies import read_full_texts
from medground.sources.http.retries import Fault
from medground.sources.literature.europepmc import europe_pmc
from medground.sources.live import text
from medground.sources.pubmed.source import PubMedRecords, open_client, own_address
from medground.sources.tabled import Tabled
from medground.values.document import Document
from medground.values.identifiers import Relation, normal_id
from medground.values.papers import Entity, FullText, PaperFound

_LINKS: Mapping[Relation, str] = {
    "similar": "pubmed_pubmed",
    "citing": "pubmed_pubmed_citedin",
    "references": "pubmed_pubmed_refs",
}


class PaperServices:
    """NCBI, Europe PMC and Unpaywall. Only E-utilities are asked where PubMed is at an address of the user's own."""

    def __init__(self, settings: Settings) -> None:
        address = own_address(settings)
        self._is_live = address is None
        self.eutils = open_client(settings, address)
        self._records = PubMedRecords(self.eutils, "pubmed")
        self._email = settings.retrieval.email or ""
        self._europe_pmc = europe_pmc(settings)
        self._tabled = {name: Tabled(name, settings) for name in ("idconv", "pubtator", "unpaywall")}

    async def close(self) -> None:
        """Close all connections. Safe to call twice."""
        for close in (self.eutils.close, self._europe_pmc.close, *(one.close for one in self._tabled.values())):
            await close()

    async def paper(self, asked: str, name: str) -> PaperFound:
        """The paper of a name such as `pmid:1`, or of the citation that was asked where there is no name."""
        try:
            if not name:
                (matched,) = await self.eutils.match([asked])
                if not matched.isdecimal():
                    return PaperFound(asked=asked, status="not found", reason=f"ECitMatch: {matched}")
                name = f"pmid:{matched}"
            kind, value = name.split(":", 1)
            (records,) = await self._records.find([Document(id=f"{kind.upper()}:{value}", title=asked, text=asked)])
            for record in records:
                ids = dict(one.split(":", 1) for one in record.paper)
                return PaperFound(asked=asked, ids=ids, document=marked(record), held_by=self._records.source)
            if ids := await self._converted(kind, value):
                return PaperFound(asked=asked, ids=ids, held_by="the ID converter of PMC")
        except MedgroundError as error:
            return PaperFound(asked=asked, status="failed", reason=str(error))
        return PaperFound(asked=asked, status="not found", reason="PubMed and PubMed Central have no such paper")

    async def _converted(self, kind: str, value: str) -> dict[str, str]:
        service = self._tabled["idconv"]
        for one in service.records(await service.ask(ids=value, email=self._email)) if self._is_live else ():
            named = {"pmid": text(one, "pmid"), "pmc": text(one, "pmcid"), "doi": text(one, "doi")}
            known = {name: normal for name, said in named.items() if (normal := normal_id(name, said))}
            if known.get(kind) == value and not text(one, "errmsg"):
                return known
        return {}

    async def links(self, pmid: str, by: Relation) -> list[str]:
        """PMIDs of the papers that are like one, cite it or are its references, as PubMed orders them."""
        return await self.eutils.links(pmid, _LINKS[by])

    async def entities(self, pmid: str) -> tuple[Entity, ...]:
        """What PubTator found in title and abstract, the most frequent first."""
        service = self._tabled["pubtator"]
        records = service.records(await service.ask(ids=pmid)) if self._is_live else []
        counted: Counter[tuple[str, str]] = Counter()
        words: dict[tuple[str, str], str] = {}
        for one in (found for record in records for found in values_at(record, "passages.annotations")):
            key = text(one, "infons", "type"), text(one, "infons", "identifier")
            counted[key] += 1
            words.setdefault(key, text(one, "text"))
        return tuple(Entity(kind=k[0], id=k[1], words=words[k], count=n) for k, n in counted.most_common())

    async def full_text(self, ids: Mapping[str, str]) -> FullText:
        """The full text by the legal routes, in turn: PubMed Central, Europe PMC, an open copy that Unpaywall knows."""
        routes: list[str] = []
        pmc, doi = ids.get("pmc"), ids.get("doi")
        if pmc:
            for name, read in (("PubMed Central", self._of_pmc), ("Europe PMC", self._of_europe_pmc)):
                if document := await _tried(name, read(pmc), routes):
                    url = f"https://pmc.ncbi.nlm.nih.gov/articles/{pmc}/"
                    return FullText(document=marked(document), url=url, license=document.license or "")
        else:
            routes.append("PubMed Central and Europe PMC: the paper has no PMC id")
        if doi and self._email and self._is_live:
            reply = await _tried("Unpaywall", self._tabled["unpaywall"].ask(id=doi, email=self._email), routes)
            open_at = [*texts_at(reply, "best_oa_location.url_for_pdf"), *texts_at(reply, "best_oa_location.url")]
            if open_at:
                return FullText(url=open_at[0], license=text(reply, "best_oa_location", "license"))
        else:
            routes.append("Unpaywall: it needs a DOI, `retrieval.email` and PubMed live")
        return FullText(routes=tuple(routes))

    async def _of_pmc(self, pmc: str) -> Document | None:
        return _document_in([one async for one in self.eutils.efetch_full_texts([pmc])])

    async def _of_europe_pmc(self, pmc: str) -> Document | None:
        if not self._is_live:
            return None
        reply = await self._europe_pmc.get(f"{pmc}/fullTextXML", absent=frozenset([404]))
        with tempfile.TemporaryDirectory(prefix="medground-") as folder:
            (path := Path(folder, "reply.xml")).write_bytes(reply.body)
            try:
                return _document_in(read_full_texts(path) if reply.status == 200 else [])
            except Fault as fault:
                raise SourceUnavailable(fault.reason, source="europepmc") from None


def _document_in(found: Iterable[Item]) -> Document | None:
    return next((one for one in found if isinstance(one, Document)), None)


async def _tried(name: str, work: Awaitable[Any], routes: list[str]) -> Any:
    """What a route gives; what went wrong is noted, and the next is tried."""
    try:
        found = await work
    except MedgroundError as error:
        routes.append(f"{name}: failed ({error})")
        return None
    routes += [] if found else [f"{name}: no open copy"]
    return found
