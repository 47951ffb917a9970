"""Open sources of records by the names that users give them."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from medground.corpus.joining.base import Records
from medground.corpus.joining.from_corpus import CorpusRecords
from medground.corpus.library import Library
from medground.corpus.manifest import Enriched
from medground.document import Document
from medground.errors import ConfigError, MedgroundError, SourceUnavailable, UsageError
from medground.settings import Settings

PUBMED = "pubmed"
"""PubMed as the settings have it: live, or the address in `retrieval.pubmed`."""
_OPENS_PUBMED = "medground.corpus.joining.from_pubmed:open_records"
"""Named and not imported: PubMed's client stands above the corpora, and is slow to import."""
NONE = "none"
"""No source: documents become as their files have them."""


def open_records(
    library: Library, name: str, sources: Sequence[str], settings: Settings | None = None
) -> list[Records]:
    """The sources of records for a corpus, in the order of their names.

    Args:
        library: the corpora of the home folder.
        name: the corpus that is to be enriched.
        sources: names of other corpora, `pubmed`, `live`, or the address of a PubMed service; `none` alone for none.
        settings: where the email and the key for PubMed are taken from; `Settings.load()` by default.

    Raises:
        UsageError: no corpus has such a name, or a corpus is to be enriched from itself.
        ConfigError: an address is not valid, or PubMed needs a package that is not installed.
        SnapshotCorrupt: the manifest of a corpus is damaged.
    """
    wanted = dict.fromkeys(PUBMED if source == "live" else source for source in sources)
    if NONE in wanted:
        if len(wanted) > 1:
            raise UsageError("none cannot be named together with other sources of records")
        return []
    return [_opened(library, name, source, settings) for source in wanted]


def remembered(library: Library, name: str, settings: Settings | None = None) -> list[Records]:
    """The sources of records that a corpus remembers. One that is gone is there, and cannot be asked.

    Raises:
        UsageError: no corpus has this name.
        SnapshotCorrupt: its manifest is damaged.
    """
    found: list[Records] = []
    for entry in library.info(name).enriched:
        try:
            found.append(_opened(library, name, entry.name, settings))
        except MedgroundError:
            found.append(_Gone(entry))
    return found


class _Gone:
    """A source of records that cannot be opened any more."""

    def __init__(self, entry: Enriched) -> None:
        self.name = entry.name
        self.source = entry.source
        self.state = entry.state

    async def find(self, documents: Sequence[Document]) -> list[tuple[Document, ...]]:
        raise SourceUnavailable("it is no longer there", source=self.source)

    async def close(self) -> None:
        return None


def _opened(library: Library, name: str, source: str, settings: Settings | None) -> Records:
    if source == PUBMED or "://" in source:
        return _pubmed(source, settings or Settings.load())
    if source == name:
        raise UsageError(f"corpus {name} cannot be enriched from itself; name another corpus, or pubmed")
    if source not in library.list():
        raise UsageError(f"no corpus {source[:80]!r} to enrich from; {_nearest(source, library.list(), name)}")
    return CorpusRecords(library, source)


def _pubmed(source: str, settings: Settings) -> Records:
    module, _, function = _OPENS_PUBMED.partition(":")
    try:
        opened: Records = getattr(import_module(module), function)(source, settings)
    except ImportError as error:
        raise ConfigError(
            f'source {PUBMED!r} needs a package ({error.name} is missing); run: pip install "medground[services]"'
        ) from None
    return opened


def _nearest(source: str, corpora: Sequence[str], name: str) -> str:
    from rapidfuzz import fuzz, process

    known = [PUBMED, *(corpus for corpus in corpora if corpus != name)]
    near = [match for match, _, _ in process.extract(source, known, scorer=fuzz.WRatio, limit=3, score_cutoff=60)]
    return f"the nearest: {', '.join(near)}" if near else f"use one of {', '.join(known[:20])}"
