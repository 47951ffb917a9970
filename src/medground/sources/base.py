"""The contract of a source: a lookup goes in, ranked hits and facts come out; documents are fetched by id."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

from medground.errors import UsageError
from medground.home.registry import find, unknown
from medground.home.settings import Settings
from medground.home.settings_groups import SettingsSection
from medground.values.answer import SnapshotReference
from medground.values.document import Document, SourceKind
from medground.values.graph import ConceptFound, GraphFact
from medground.values.lookup import ConceptQuery, Found, Lookup, PlainWords, ProteinQuery, Ranker
from medground.values.query import Filters, Query, Words
from medground.values.source_plan import SourceDescription

MOST_HITS = 10_000
"""Highest limit of a lookup."""


@runtime_checkable
class Source(Protocol):
    """Where documents and facts come from."""

    @property
    def name(self) -> str:
        """Its name in settings and answers, such as `corpus:starter`."""

    @property
    def kinds(self) -> frozenset[SourceKind]:
        """The kinds of document that it may hold."""

    @property
    def state(self) -> SnapshotReference | None:
        """The snapshot that is searched, or None for a live source."""

    def accepts(self, lookup: Lookup) -> bool:
        """Whether it can search for this: it understands the form of `lookup.asked` and has a wanted ranker."""

    async def search(self, lookup: Lookup, filters: Filters) -> Found:
        """Search for a lookup that it accepts, within `filters`. `lookup.limit` is set.

        Raises UsageError: the source does not accept the lookup, the limit is too high, or the source lacks a field of
        the query; SourceUnavailable: the source could not be searched; RateLimited: the source asks for fewer calls.
        """

    async def fetch(self, ids: Sequence[str]) -> dict[str, Document]:
        """Documents by id. Unknown ids are left out. Raises SourceUnavailable: the source could not be searched."""

    async def close(self) -> None:
        """Release its files and connections. Safe to call twice."""


@runtime_checkable
class FactSource(Protocol):
    """A source whose stored facts can answer a question directly. Optional, in addition to `Source`."""

    def entails(self, fact: GraphFact) -> bool:
        """Whether the stored relation, read again, entails the fact's sentence."""


@runtime_checkable
class WebSearch(Protocol):
    """A search engine of the web: its hits are results, not documents, and `fetch` reads their pages. Optional."""

    @property
    def finds_pages(self) -> Literal[True]:
        """Tells such a source from others; it is searched only by recipes that read pages."""


@runtime_checkable
class ConceptSource(Protocol):
    """A source that knows concepts by id, name and synonym. Optional, in addition to `Source`."""

    async def concept(self, term: str, limit: int) -> ConceptFound:
        """The concepts that a term names, and at most `limit` lines about them.

        Raises SourceUnavailable: the source could not be searched.
        """


@runtime_checkable
class FileSource(Protocol):
    """A source that knows the files of its documents. Optional, in addition to `Source`."""

    def file_of(self, document_id: str) -> Path | None:
        """The file from which a document was read; None if it is not known."""


@runtime_checkable
class FieldSource(Protocol):
    """A source whose documents have metadata fields of their own. Optional, in addition to `Source`."""

    @property
    def fields(self) -> frozenset[str]:
        """Names of these fields, in lower case."""


@runtime_checkable
class CountingSource(Protocol):
    """A source that can count what a lookup finds without fetching it. Optional, in addition to `Source`."""

    async def count(self, lookup: Lookup, filters: Filters) -> int:
        """Number of documents that a lookup finds within `filters`; a source may stop counting at `lookup.limit`.

        Raises UsageError: as for `search`; SourceUnavailable: the source could not be searched; RateLimited: the source
        asks for fewer calls.
        """


@runtime_checkable
class HoldingSource(Protocol):
    """A source that has documents of recent searches at hand. Optional, in addition to `Source`."""

    def held(self, ids: Sequence[str]) -> dict[str, Document]:
        """Those of these documents that it can give without asking anything."""


@runtime_checkable
class RecallingSource(Protocol):
    """A source that fetches only what it has found, and can be told what it found in an earlier run. Optional."""

    def recall(self, documents: Iterable[Document]) -> None:
        """Take up documents of searches that were made before."""


@runtime_checkable
class DescribedSource(Protocol):
    """A source that says what it holds, for a planner of sources. Optional, in addition to `Source`."""

    @property
    def described(self) -> SourceDescription | None:
        """Its description; None if it was built without one."""


@runtime_checkable
class TermsSource(Protocol):
    """A source that knows the terms under which its texts may be used. Optional, in addition to `Source`."""

    @property
    def terms(self) -> SourceDescription | None:
        """The description whose licence and origin go with its texts; None if none is recorded."""


def suited(lookup: Lookup, source: Source) -> Lookup | None:
    """The lookup in a form that the source accepts: as it is, else its text as plain words or `Words`; None if in none.

    Stored facts and the web are searched in plain words too, but only by the steps that can read what they return.
    """
    if source.accepts(lookup):
        return lookup
    if isinstance(source, FactSource | WebSearch) or not (lookup.of_texts and lookup.text):
        return None
    offered = (lookup.replace(asked=form(text=lookup.text)) for form in (PlainWords, Words))
    return next(filter(source.accepts, offered), None) if lookup.wants(Ranker.LEXICAL) else None


def tree_of(lookup: Lookup, source: str, most: int = MOST_HITS) -> Query:
    """The query tree of a lookup. Raises UsageError: it has another form, or its limit is above `most`."""
    if isinstance(lookup.asked, PlainWords | ConceptQuery | ProteinQuery):
        raise UsageError(f"{source} takes query trees, not a {lookup.asked.type} query")
    if (lookup.limit or 1) > most:
        raise UsageError(f"a search of {source} takes a limit from 1 to {most}, not {lookup.limit}")
    return lookup.asked


@dataclass(frozen=True, kw_only=True)
class SourceDeclaration:
    """How a source that is not a corpus is opened, so that no shared file has to know it.

    `open` may raise ConfigError, and sends nothing yet. `settings` is its own section of the settings.
    """

    name: str
    open: Callable[[Settings], Source]
    settings: type[SettingsSection] | None = None


def find_source(name: str) -> SourceDeclaration:
    """The declaration of a source that is not a corpus.

    Raises UsageError: no source has this name; ConfigError: it needs a package that is not installed.
    """
    if (found := find("sources", name, SourceDeclaration)) is None:
        raise unknown("sources", name)
    return found
