"""PubMed as a source: live at NCBI, or any service that speaks the E-utilities' protocol."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from medground.answer import SnapshotReference
from medground.corpus.chunk import chunk
from medground.document import Document, Hit, Passage, SourceKind
from medground.errors import SourceUnavailable, UsageError
from medground.lookup import ConceptQuery, Found, Lookup, PlainWords, ProteinQuery, Ranker
from medground.pubmed import to_pubmed
from medground.pubmed.eutils import MOST_FOUND, Eutils, Sort
from medground.pubmed.eutils_cache import AnswerCache
from medground.pubmed.eutils_service import NCBI, EutilsService
from medground.pubmed.eutils_transport import Transport
from medground.query import And, Filters

_CACHE = Path("cache", "eutils")
_MOST_HELD = 2000
"""Records in memory: those of a few searches."""
_KINDS: frozenset[SourceKind] = frozenset(["research", "book"])


class PubMedSource:
    """Searches PubMed. One ranking, `pubmed`: the service's own order, one hit per record.

    The service ranks records; of each, the passage that shares most words with the question is the hit. What a search
    has read is kept, so that fetching it costs nothing.

    Args:
        client: the E-utilities; the source closes it.
        order: how the service orders what it finds.
    """

    kinds: frozenset[SourceKind] = _KINDS

    def __init__(self, client: Eutils, order: Sort = "relevance") -> None:
        self._client = client
        self._order: Sort = order
        self._read: dict[str, Document] = {}
        self._closed = False

    @classmethod
    def open(
        cls, home: Path, url: str | None = None, *, email: str | None = None, api_key: str | None = None
    ) -> PubMedSource:
        """PubMed at NCBI, or the service at `url`; answers are kept under `home/cache/eutils`.

        Raises:
            ConfigError: `url` is no address.
        """
        place = EutilsService(
            name="pubmed:live" if url is None else f"pubmed:{url.rstrip('/')}",
            address=url or NCBI,
            email=email,
            api_key=api_key,
        )
        return cls(Eutils(Transport(place, AnswerCache(home / _CACHE))))

    @property
    def name(self) -> str:
        """`pubmed:live`, or `pubmed:` and the address."""
        return self._client.name

    @property
    def state(self) -> SnapshotReference | None:
        """None: what is behind the address can change."""
        return None

    def accepts(self, lookup: Lookup) -> bool:
        """Query trees, in the service's own order."""
        return lookup.wants(Ranker.LEXICAL) and not isinstance(lookup.asked, PlainWords | ConceptQuery | ProteinQuery)

    async def search(self, lookup: Lookup, filters: Filters) -> Found:
        """Search, and read the records found.

        Raises:
            UsageError: the tree asks for something that PubMed has no field for, or for more than it gives out.
            SourceUnavailable: PubMed could not be asked, whatever the reason.
            RateLimited: PubMed asks to wait.
        """
        self._check_open()
        query, limit = lookup.asked, lookup.limit or MOST_FOUND
        if isinstance(query, PlainWords | ConceptQuery | ProteinQuery):
            raise UsageError(f"{self.name} takes query trees, not a {query.type} query")
        if not self.accepts(lookup):
            raise UsageError(f"{self.name} cannot search by vectors; ask for the lexical ranker")
        if limit > MOST_FOUND:
            raise UsageError(f"a search takes a limit from 1 to {MOST_FOUND}, not {limit}")
        # PubMed has no field for our kinds, and holds two of them only.
        limits = filters.model_copy(update={"kinds": ()}).as_query()
        if filters.kinds and not _KINDS & set(filters.kinds):
            return Found(lookup, self.name, rankings=((),), notes=("PubMed holds research and books only",))
        if not any(letter.isalnum() for letter in to_pubmed(query)):
            return Found(lookup, self.name, rankings=((),))
        term = to_pubmed(query if limits is None else And(parts=(query, limits)))
        result = await self._client.esearch(term, limit=limit, sort=self._order)
        found = await self.fetch([f"PMID:{pmid}" for pmid in result.ids])
        documents = [d for d in found.values() if not filters.kinds or d.kind in filters.kinds]
        lost = len(result.ids) - len(found)
        notes = [f"nothing was found for {phrase!r}" for phrase in result.not_found] if not result.ids else []
        notes += [f"{lost} of {len(result.ids)} records found could not be read"] if lost else []
        return Found(lookup, self.name, rankings=(self._hits(documents, lookup.text),), notes=tuple(notes))

    async def fetch(self, ids: Sequence[str]) -> dict[str, Document]:
        """Records by id, in the order asked; ids that PubMed does not hold, or that are none of its own, are absent.

        Raises:
            SourceUnavailable: PubMed could not be asked.
            RateLimited: PubMed asks to wait.
        """
        self._check_open()
        found = {i: self._read[i] for i in ids if i in self._read}
        missing = [i.removeprefix("PMID:") for i in ids if _is_pmid(i) and i not in found]
        async for item in self._client.efetch(missing):
            if isinstance(item, Document):
                found[item.id] = item
        self._read = dict([*self._read.items(), *found.items()][-_MOST_HELD:])
        return {i: found[i] for i in ids if i in found}

    async def close(self) -> None:
        """Let go of the connections. Safe to call twice."""
        self._closed = True
        await self._client.close()

    def _hits(self, documents: Sequence[Document], text: str) -> tuple[Hit, ...]:
        return tuple(
            Hit(passage=_best_passage(document, text), ranker="pubmed", rank=rank, score=1 / rank, source=self.name)
            for rank, document in enumerate(documents, start=1)
        )

    def _check_open(self) -> None:
        if self._closed:
            raise SourceUnavailable("the source is closed", source=self.name)


def _best_passage(document: Document, text: str) -> Passage:
    """The passage that shares most words with the question; the first of equals."""
    wanted = set(text.casefold().split())
    return max(chunk(document), key=lambda passage: len(wanted & set(passage.text.casefold().split())))


def _is_pmid(document_id: str) -> bool:
    prefix, _, name = document_id.partition(":")
    return prefix == "PMID" and name.isascii() and name.isdigit() and len(name) <= 12
