"""PubMed as a source, and its records by their ids: live at NCBI, or any service with the E-utilities protocol."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from medground.corpus.chunk import chunk
from medground.errors import SourceUnavailable, UsageError
from medground.home.secrets import shown_address
from medground.home.settings import Settings
from medground.language.clean import some
from medground.pubmed.printer import to_pubmed
from medground.pubmed.typed import typed_query
from medground.sources.base import SourceDeclaration, tree_of
from medground.sources.eutils.client import MOST_FOUND, NCBI, AnswerCache, Eutils, EutilsService, Sort, Transport
from medground.sources.http.wire import open_wire
from medground.sources.live import LiveSource, best_of
from medground.sources.pubmed.plain_query import NOTHING, PlainAsked, plain_asked, spoken_part
from medground.sources.pubmed.query import conjuncts
from medground.values.document import Document, SourceKind
from medground.values.grouping import portions
from medground.values.lookup import Found, Lookup
from medground.values.query import Filters, Query, Words, all_of
from medground.values.where import field_name, own_fields

_CACHE = Path("cache", "eutils")
_MOST_KEPT = 2000
"""Most records kept in memory; enough for a few searches."""


@dataclass(frozen=True)
class _Asked:
    """What is sent to PubMed, and its limits, in PubMed's syntax; nothing is sent without a term, and `notes` say why.

    Only documents of these kinds are kept. `plain` is how plain words were read; None of a query.
    """

    term: str = ""
    limits: str = ""
    kinds: frozenset[str] = frozenset()
    plain: PlainAsked | None = None
    notes: tuple[str, ...] = ()

    def limited(self, term: str) -> str:
        """A query with the limits."""
        return f"({term}) AND ({self.limits})" if self.limits else term


class PubMedSource(LiveSource):
    """Searches PubMed. One ranking, `pubmed`, in the service's own order with one hit per record.

    The hit is the passage of the record that shares most words with the question.
    """

    kinds = frozenset[SourceKind](["research", "book"])

    def __init__(self, client: Eutils) -> None:
        super().__init__(client.name, client, kept=_MOST_KEPT, ranker="pubmed")
        self._client = client

    async def search(self, lookup: Lookup, filters: Filters) -> Found:
        """Search, and read the records found. Raises what `Source.search` raises."""
        limit = lookup.limit or MOST_FOUND
        asked = self._asked(lookup, filters)
        if not asked.term:
            return Found(lookup, self.name, rankings=((),), notes=asked.notes)
        order: Sort = "pub_date" if asked.plain and asked.plain.newest else "relevance"
        sent = asked.limited(asked.term)
        result = await self._client.esearch(sent, limit=limit, sort=order)
        ids, notes = result.ids, list(asked.notes)
        few = result.count
        for wider in asked.plain.wider if asked.plain else ():
            if len(ids) >= limit:
                break
            sent = asked.limited(wider.text)
            result = await self._client.esearch(sent, limit=limit, sort=order)
            ids = tuple(dict.fromkeys([*ids, *result.ids]))[:limit]
        if asked.plain and sent != asked.limited(asked.term):
            notes.append(_said_of(asked.plain, few))
        if asked.plain:
            count = f"{result.count:,} {'record' if result.count == 1 else 'records'}"
            notes.append(f"the last search sent found {count}: {self._client.page(sent)}")
        found = await self.fetch([f"PMID:{pmid}" for pmid in ids])
        if ids and not found:
            raise SourceUnavailable(f"it found {some(len(ids), 'record')} and sent none; ask again", source=self.name)
        documents = [d for d in found.values() if not asked.kinds or d.kind in asked.kinds]
        unread = len(ids) - len(found)
        notes += [f"nothing was found for {phrase!r}" for phrase in result.not_found] if not ids else []
        notes += [f"{unread} of {len(ids)} records found could not be read"] if unread else []
        ranking = self._ranking(best_of(chunk(document), lookup.text) for document in documents)
        return Found(lookup, self.name, rankings=(ranking,), notes=tuple(notes), sent=sent)

    async def count(self, lookup: Lookup, filters: Filters) -> int:
        """Number of records that match; kinds are not told apart. One small request, and no record is fetched.

        Raises what `CountingSource.count` raises.
        """
        asked = self._asked(lookup, filters)
        return await self._client.count(asked.limited(asked.term)) if asked.term else 0

    def _asked(self, lookup: Lookup, filters: Filters) -> _Asked:
        self._check_open()
        query = tree_of(lookup, self.name, MOST_FOUND)
        if not self.accepts(lookup):
            raise UsageError(f"{self.name} cannot search by vectors; ask for the lexical ranker")
        # PubMed has no field for kinds, and holds only two of them.
        ids = tuple(filter(_is_pmid, filters.ids))
        if filters.ids and not ids:  # only documents of other sources are asked for
            return _Asked()
        kinds = frozenset([*filters.kinds, *(value for name, value in filters.where if field_name(name) == "kind")])
        where = tuple(pair for pair in filters.where if field_name(pair[0]) != "kind")
        limits = filters.replace(kinds=(), ids=ids, where=where).as_query()
        if kinds and not kinds & self.kinds:
            return _Asked(notes=("PubMed contains only research articles and books",))
        if own := own_fields(filters):
            return _Asked(notes=(f"PubMed has no field {', '.join(own)}",))
        if ids and isinstance(query, Words) and query.field is None and limits is not None:
            return _Asked(to_pubmed(limits), kinds=kinds)  # few records, which are ranked by what they say later on
        dated = any((filters.year_from, filters.year_to, filters.date_from, filters.date_to))
        term, plain = _read(lookup, query, dated=dated)
        if plain and plain.query.tree == NOTHING:
            return _Asked(notes=("the question names nothing that PubMed could be searched for",))
        if not any(letter.isalnum() for letter in term):
            return _Asked()
        both = [limit for limit in (limits, plain.years if plain else None) if limit is not None]
        return _Asked(term, to_pubmed(all_of(both)) if both else "", kinds, plain, plain.notes if plain else ())

    def _may_have(self, document_id: str) -> bool:
        return _is_pmid(document_id)

    async def _read(self, ids: Sequence[str]) -> list[Document]:
        items = self._client.efetch([i.removeprefix("PMID:") for i in ids])
        return [item async for item in items if isinstance(item, Document)]


def _read(lookup: Lookup, query: Query, *, dated: bool) -> tuple[str, PlainAsked | None]:
    """The query in PubMed's syntax, and how plain words were read. What a person typed in it stays as it is."""
    text = query.text if isinstance(query, Words) else lookup.shown
    typed = typed_query(text)
    if typed is not None and (isinstance(query, Words) or typed == query):
        return text, None
    if not isinstance(query, Words) or query.field is not None:
        return to_pubmed(query), None
    before, _, also = text.partition(lookup.text) if lookup.text else (text, "", "")
    question = text if before else lookup.text
    plain = plain_asked(question, "" if before else also, None if dated else datetime.now(UTC).year)
    return plain.query.text, plain


def _said_of(plain: PlainAsked, found: int) -> str:
    """That records on some of the subjects follow, for the reader of an answer."""
    named = "; ".join(map(spoken_part, conjuncts(plain.query.tree)))
    few = "no record matches" if not found else f"only {found} {'record matches' if found == 1 else 'records match'}"
    return f"{few} all of: {named}; the rest are on some of them, the rarest first"


def _is_pmid(document_id: str) -> bool:
    prefix, _, name = document_id.partition(":")
    return prefix == "PMID" and name.isascii() and name.isdigit() and len(name) <= 12


def open_client(settings: Settings, address: str | None, name: str = "pubmed") -> Eutils:
    """A client for PubMed at NCBI, or for the service at an address, with the user's email and key.

    Raises ConfigError: the address is not one, or there is no folder to replay.
    """
    key, email = settings.keys.ncbi, settings.retrieval.email
    shown = name if name != "pubmed" else f"pubmed:{shown_address(address).rstrip('/') if address else 'live'}"
    place = EutilsService(shown, address or NCBI, email=email, api_key=key.get_secret_value() if key else None)
    wire = open_wire(settings)
    # Replies from the cache would not be recorded, and would stand in for replies that were not.
    cache = AnswerCache(settings.home / _CACHE) if wire is None else None
    return Eutils(Transport(place, cache, wire=wire))


def own_address(settings: Settings) -> str | None:
    """The address of the user's own service of PubMed; None for NCBI."""
    address = settings.retrieval.pubmed
    return None if address == "live" else address


def _open(settings: Settings) -> PubMedSource:
    return PubMedSource(open_client(settings, own_address(settings)))


PUBMED = SourceDeclaration(name="pubmed", open=_open)


# Records by their ids. PMIDs are fetched 200 at a time. DOIs and PMC ids are searched as article identifiers, several
# in one query, and what is found is fetched; only a record that has the id itself counts.

_IDS_AT_ONCE = 40
"""Ids in one search."""
_PER_ID = 5
"""Records that are expected for one id at most; a search with more is split."""


class PubMedRecords:
    """The records of PubMed, found by their ids. `name` is what the user calls the service: `pubmed`, or an address."""

    state = ""

    def __init__(self, client: Eutils, name: str) -> None:
        self._client = client
        self.name = name
        self.source = client.name

    async def find(self, documents: Sequence[Document]) -> list[tuple[Document, ...]]:
        """For each document, the records that share a PMID, PMC id or DOI with it.

        Raises SourceUnavailable: PubMed could not be asked; RateLimited: PubMed asks for fewer requests; ConfigError:
        PubMed rejected the API key.
        """
        names = [name.split(":", 1) for document in documents for name in document.paper]
        found: dict[str, dict[str, Document]] = {}

        def named(names: Iterable[str]) -> tuple[Document, ...]:
            return tuple({i: record for name in names for i, record in found.get(name, {}).items()}.values())

        await self._add(found, dict.fromkeys(value for kind, value in names if kind == "pmid" and len(value) <= 12))
        # Other ids are asked only where the PMID's record does not have them.
        others = (value for kind, value in names if kind != "pmid" and not named([f"{kind}:{value}"]))
        left = [value for value in dict.fromkeys(others) if '"' not in value]
        pmids: dict[str, None] = {}
        for part in portions(left, _IDS_AT_ONCE):
            pmids |= dict.fromkeys(await self._searched(part))
        await self._add(found, [pmid for pmid in pmids if not named([f"pmid:{pmid}"])])
        return [named(document.paper) for document in documents]

    async def close(self) -> None:
        """Close the connections; the next `find` opens them again."""
        await self._client.close()

    async def _add(self, found: dict[str, dict[str, Document]], pmids: Iterable[str]) -> None:
        """Add the records of these PMIDs, under each name of their papers."""
        async for item in self._client.efetch([*pmids]):
            if isinstance(item, Document):
                for name in item.paper:
                    found.setdefault(name, {})[item.id] = item

    async def _searched(self, values: Sequence[str]) -> list[str]:
        limit = _PER_ID * len(values)
        result = await self._client.esearch(" OR ".join(f'"{value}"[aid]' for value in values), limit=limit)
        if result.count <= limit or len(values) == 1:
            return [*result.ids]
        half = len(values) // 2
        return [*await self._searched(values[:half]), *await self._searched(values[half:])]


def open_records(source: str, settings: Settings) -> PubMedRecords:
    """The records of PubMed as the settings have it (`pubmed`), or of a service at an address.

    Raises ConfigError: the address is not valid, or a package is not installed.
    """
    address = source if "://" in source else own_address(settings)
    return PubMedRecords(open_client(settings, address), source)
