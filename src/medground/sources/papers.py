"""What services say of one paper: its other ids, what is like it or cites it, its full text, what it names."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from medground.errors import MedgroundError, SourceUnavailable
from medground.home.settings import Settings
from medground.sources.eutils.replies import read_full_texts
from medground.sources.http.retries import Fault
from medground.sources.literature.europepmc import europe_pmc
from medground.sources.live import text
from medground.sources.pubmed.source import PubMedRecords, open_client
from medground.sources.tabled import Tabled, texts_at, values_at
from medground.values.document import Document
from medground.values.identifiers import normal_id

Relation = Literal["similar", "citing", "references"]
LINKS: Mapping[Relation, str] = {
    "similar": "pubmed_pubmed",
    "citing": "pubmed_pubmed_citedin",
    "references": "pubmed_pubmed_refs",
}


@dataclass(frozen=True)
class Entity:
    """What a paper names, as PubTator read it: a kind such as `Gene`, an id of its vocabulary, and the words."""

    kind: str
    id: str
    words: str
    count: int


@dataclass(frozen=True)
class FullText:
    """The full text of a paper, or an address where it may be read, and what each route said.

    `license` is that of the copy at `url`.
    """

    document: Document | None = None
    url: str = ""
    license: str = ""
    routes: tuple[str, ...] = ()


class PaperServices:
    """NCBI, Europe PMC and Unpaywall. Only E-utilities are asked where PubMed is at an address of the user's own."""

    def __init__(self, settings: Settings) -> None:
        address = settings.retrieval.pubmed
        self.is_live = address in (None, "live")
        self.eutils = open_client(settings, None if self.is_live else address)
        self.records = PubMedRecords(self.eutils, "pubmed")
        self._email = settings.retrieval.email or ""
        self._europe_pmc = europe_pmc(settings)
        self._tabled = {name: Tabled(name, settings) for name in ("idconv", "pubtator", "unpaywall")}

    async def close(self) -> None:
        """Close all connections. Safe to call twice."""
        for close in (self.eutils.close, self._europe_pmc.close, *(one.close for one in self._tabled.values())):
            await close()

    async def ids(self, kind: str, values: Sequence[str]) -> dict[str, dict[str, str]]:
        """The ids of papers in PubMed Central, by the id of this kind that is known of each."""
        asked = ",".join(values)
        found: dict[str, dict[str, str]] = {}
        for one in await self._tabled["idconv"].records(ids=asked, email=self._email) if self.is_live else ():
            named = {"pmid": text(one, "pmid"), "pmc": text(one, "pmcid"), "doi": text(one, "doi")}
            known = {name: normal for name, value in named.items() if (normal := normal_id(name, value))}
            if kind in known and not text(one, "errmsg"):
                found[known[kind]] = known
        return found

    async def entities(self, pmid: str) -> tuple[Entity, ...]:
        """What PubTator found in title and abstract, the most frequent first."""
        records = await self._tabled["pubtator"].records(ids=pmid) if self.is_live else []
        counted: Counter[tuple[str, str]] = Counter()
        words: dict[tuple[str, str], str] = {}
        for one in (found for record in records for found in values_at(record, "passages.annotations")):
            key = text(one, "infons", "type"), text(one, "infons", "identifier")
            counted[key] += 1
            words.setdefault(key, text(one, "text"))
        return tuple(Entity(*key, words[key], count) for key, count in counted.most_common())

    async def full_text(self, ids: Mapping[str, str]) -> FullText:
        """The full text by the legal routes, in turn: PubMed Central, Europe PMC, an open copy that Unpaywall knows."""
        routes: list[str] = []
        if pmc := ids.get("pmc"):
            for name, read in (("PubMed Central", self._of_pmc), ("Europe PMC", self._of_europe_pmc)):
                if document := await _tried(name, read(pmc), routes):
                    return FullText(document, f"https://pmc.ncbi.nlm.nih.gov/articles/{pmc}/", document.license or "")
        else:
            routes.append("PubMed Central and Europe PMC: the paper has no PMC id")
        if (doi := ids.get("doi")) and self._email and self.is_live:
            reply = await _tried("Unpaywall", self._tabled["unpaywall"].ask(id=doi, email=self._email), routes)
            place = "best_oa_location"
            if url := next(iter([*texts_at(reply, f"{place}.url_for_pdf"), *texts_at(reply, f"{place}.url")]), ""):
                return FullText(None, url, text(reply, place, "license"), tuple(routes))
        else:
            routes.append("Unpaywall: it needs a DOI, `retrieval.email` and PubMed live")
        return FullText(routes=tuple(routes))

    async def _of_pmc(self, pmc: str) -> Document | None:
        found = [one async for one in self.eutils.efetch_full_texts([pmc])]
        return next((one for one in found if isinstance(one, Document)), None)

    async def _of_europe_pmc(self, pmc: str) -> Document | None:
        reply = await self._europe_pmc.get(f"{pmc}/fullTextXML", absent=frozenset([404]))
        with tempfile.TemporaryDirectory(prefix="medground-") as folder:
            (path := Path(folder, "reply.xml")).write_bytes(reply.body)
            try:
                found = read_full_texts(path) if reply.status == 200 else []
            except Fault as fault:
                raise SourceUnavailable(fault.reason, source="europepmc") from None
        return next((one for one in found if isinstance(one, Document)), None)


async def _tried(name: str, work: Awaitable[Any], routes: list[str]) -> Any:
    try:
        found = await work
    except MedgroundError as error:
        routes.append(f"{name}: failed ({error})")
        return None
    if not found:
        routes.append(f"{name}: it has no open copy")
    return found
