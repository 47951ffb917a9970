"""What all services that are searched live have in common: no snapshot, and documents of recent searches at hand."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from medground.corpus.readers.compose import printable
from medground.corpus.readers.services import values_at
from medground.errors import SourceUnavailable
from medground.language.words import terms
from medground.values.document import Document, Hit, Passage, SourceKind
from medground.values.lookup import Lookup, Ranker
from medground.values.query import Filters


class Closable(Protocol):
    """A client with connections."""

    async def close(self) -> None:
        """Close them. Safe to call twice."""


class LiveSource:
    """A service that is searched live. One ranking in its own order, with one hit for each document.

    Documents of recent searches stay in memory, at most `kept`, so that fetching them needs no request. The source
    closes the client, which is None where the service is not configured. The ranking has the name of the source.
    """

    kinds: frozenset[SourceKind]
    state: None = None
    """A live service changes, so that no snapshot is searched."""

    def __init__(self, name: str, client: Closable | None, *, kept: int, ranker: str = "") -> None:
        self.name = name
        self._ranker = ranker or name
        self._connections = client
        self._most_kept = kept
        self._kept: dict[str, Document] = {}
        self._closed = False

    def accepts(self, lookup: Lookup) -> bool:
        """Query trees, for rankers by words."""
        return lookup.wants(Ranker.LEXICAL) and lookup.of_texts

    def held(self, ids: Sequence[str]) -> dict[str, Document]:
        """Documents of recent searches, from memory."""
        return {i: self._kept[i] for i in ids if i in self._kept}

    async def fetch(self, ids: Sequence[str]) -> dict[str, Document]:
        """Documents by id, in the order of `ids`; what the service cannot have is left out.

        Raises what `Source.fetch` raises, RateLimited, and NotConfigured without a key.
        """
        self._check_open()
        found = self.held(ids)
        if missing := [i for i in dict.fromkeys(ids) if i not in found and self._may_have(i)]:
            found |= {document.id: document for document in await self._read(missing)}
            self._keep(found.values())
        return {i: found[i] for i in ids if i in found}

    def _may_have(self, document_id: str) -> bool:
        """Whether the id has the form of the service's ids."""
        return True

    async def _read(self, ids: Sequence[str]) -> Iterable[Document]:
        """The documents with these ids, as far as there are any."""
        return ()

    async def close(self) -> None:
        """Close the connections. Safe to call twice."""
        self._closed = True
        if self._connections is not None:
            await self._connections.close()

    def _keep(self, documents: Iterable[Document]) -> None:
        for document in documents:
            self._kept.pop(document.id, None)
            self._kept[document.id] = document
        for oldest in list(self._kept)[: max(len(self._kept) - self._most_kept, 0)]:
            del self._kept[oldest]

    def _ranking(self, passages: Iterable[Passage]) -> tuple[Hit, ...]:
        return tuple(
            Hit(passage=passage, ranker=self._ranker, rank=rank, score=1 / rank, source=self.name)
            for rank, passage in enumerate(passages, start=1)
        )

    def _check_open(self) -> None:
        if self._closed:
            raise SourceUnavailable("the source is closed", source=self.name)


def best_of(passages: Iterable[Passage], text: str) -> Passage:
    """The passage that shares most words with a text; the first if several do."""
    wanted = set(terms(text))
    return max(passages, key=lambda passage: len(wanted.intersection(terms(passage.text))))


def within(document: Document, filters: Filters, date: str = "published") -> bool:
    """Whether the filters allow a record, whose types of publication are not known; `date` is the kind that counts."""
    if filters.publication_types or filters.where or (filters.ids and document.id not in filters.ids):
        return False
    if filters.kinds and document.kind not in filters.kinds:
        return False
    year, day = document.year or 0, document.dates.get(date, "")
    if not (filters.year_from or 0) <= year <= (filters.year_to or 9999):
        return False
    last = filters.date_to or "9999"
    return (filters.date_from or "") <= day and day[: len(last)] <= last


def lines_in(document: Document) -> list[Passage]:
    """The lines of a record, each a passage with its section."""
    passages: list[Passage] = []
    at = 0
    for line in document.text.split("\n"):
        if line.strip():
            passages.append(document.passage(at, at + len(line), document.section_at(at)))
        at += len(line) + 1
    return passages


# Reading fields of a service's JSON, which may lack any of them or have them in another form.

Json = Mapping[str, Any]


def part(value: Any, *names: str) -> Json:
    """The object under these names, one in the other; empty where there is none."""
    return next(parts(value, ".".join(names)), {})


def parts(value: Any, place: str) -> Iterator[Json]:
    """The objects in the list at a dotted place."""
    return (one for one in values_at(value, place) if isinstance(one, Mapping))


def text(value: Any, *names: str) -> str:
    """The text, or the number as text, under these names, in one line; empty where there is none."""
    found = values_at(value, ".".join(names))
    told = found[0] if len(found) == 1 else None
    return "" if isinstance(told, bool) or not isinstance(told, str | int | float) else _line(str(told))


def texts(value: Any, name: str) -> list[str]:
    """The texts in the list under a name."""
    return [_line(one) for one in values_at(value, name) if isinstance(one, str)]


def _line(told: str) -> str:
    """In one line, without control characters and lone surrogates."""
    return " ".join(printable(told).split())
