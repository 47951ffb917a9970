"""A user's knowledge bases: which corpora belong together, and what was counted in them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from pydantic import Field, ValidationError

from medground.corpus.faults import writing
from medground.corpus.library import GRAPH_FILE, Library
from medground.corpus.store import Store
from medground.errors import ConfigError, UsageError
from medground.home.files import locked, write_whole
from medground.values.document import Frozen

FORMAT = 1
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,30}")


class Counted(Frozen):
    """What was counted in the snapshot with a hash.

    Words are separated by white space. Concepts, definitions and relations are those of a graph.
    """

    hash: str
    documents: int = 0
    chunks: int = 0
    words: int = 0
    concepts: int | None = None
    definitions: int | None = None
    relations: int | None = None

    @property
    def words_per_chunk(self) -> float | None:
        """Mean number of words in a passage; None where there is no passage."""
        return self.words / self.chunks if self.chunks else None


class Base(Frozen):
    """The record of a knowledge base: its sources in the order of the specification, and the file of that.

    `pending` are sources that a build has begun and not finished.
    """

    format: int = FORMAT
    name: str
    sources: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()
    counted: Mapping[str, Counted] = Field(default_factory=dict)
    spec: str = ""

    @property
    def corpora(self) -> tuple[str, ...]:
        """Names of the corpora of its sources, in their order."""
        return tuple(corpus_name(self.name, source) for source in self.sources)


def corpus_name(base: str, source: str) -> str:
    """The corpus of a source of a base."""
    return f"{base}.{source}"


def checked_name(name: str) -> str:
    """The name of a base, if it is one. Raises ValueError: it is not."""
    if not _NAME.fullmatch(name):
        raise ValueError(
            f"{name[:80]!r} is not a name of a knowledge base; use 1 to 31 of a-z 0-9 _ - and no path, such as omni"
        )
    return name


class Bases:
    """The records under `home/knowledge`."""

    def __init__(self, home: Path) -> None:
        self.folder = home / "knowledge"

    def list(self) -> tuple[str, ...]:
        """Names of all bases, finished or not, sorted."""
        return tuple(sorted(path.stem for path in self.folder.glob("*.json") if _NAME.fullmatch(path.stem)))

    def read(self, name: str) -> Base:
        """A base that can be opened.

        Raises UsageError: the name is not valid, there is no such base, or its first build has not finished;
        ConfigError: its record is damaged, or was made by a newer Medground.
        """
        found = self.find(name)
        if found is None:
            known = ", ".join(self.list()) or "none"
            raise UsageError(
                f"no knowledge base {name!r} (existing: {known}); "
                "[[build one with medground kb build SPEC|build one in a terminal: medground kb build SPEC|"
                "name one of those]]"
            )
        if not found.sources:
            raise UsageError(
                f"the knowledge base {name} is half-built; finish it with medground kb build {found.spec or 'SPEC'}"
            )
        return found

    def find(self, name: str) -> Base | None:
        """The record of a base, also of a half-built one; None if there is none.

        Raises UsageError: the name is not valid; ConfigError: the record is damaged, or was made by a newer Medground.
        """
        path = self._path(name)
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"{path} cannot be read ({error})") from None
        try:
            base = Base.model_validate_json(text)
        except ValidationError:
            base = None
        if base is None or base.format != FORMAT or base.name != name:
            raise ConfigError(f"{path} is damaged or of a newer Medground; delete it and run medground kb build again")
        return base

    def write(self, base: Base) -> None:
        """Store a record, replacing any of its name in one step. Raises StorageFailed: writing to disk failed."""
        path = self._path(base.name)
        with writing(self.folder):
            write_whole(path, base.model_dump_json(indent=1) + "\n")

    def forget(self, name: str) -> None:
        """Delete a record, if there is one."""
        with writing(self.folder):
            self._path(name).unlink(missing_ok=True)

    def lock(self, name: str) -> AbstractContextManager[object]:
        """Let only one process at a time change a base. Raises UsageError: another process is changing it."""
        busy = f"the knowledge base {name} is being built by another process; wait for it or stop it"
        with writing(self.folder):
            return locked(self._path(name).with_name(f".{name}.lock"), busy)

    def _path(self, name: str) -> Path:
        try:
            return self.folder / f"{checked_name(name)}.json"
        except ValueError as error:
            raise UsageError(str(error)) from None


def counted(snapshot: Store) -> Counted:
    """Count a snapshot. Reads every passage once. Raises SnapshotCorrupt: the snapshot has changed since its build."""
    counts = snapshot.manifest.counts
    size = {"documents": counts.documents, "chunks": counts.passages}
    size["words"] = sum(len(text.split()) for text in snapshot.passage_texts())
    if (path := snapshot.attachment(GRAPH_FILE)) is not None:
        from medground.graph.concept_store import ConceptStore

        with ConceptStore.open(path) as store:
            size |= store.size._asdict()
    return Counted(hash=snapshot.manifest.hash, **size)


def of_source(base: Base, source: str, library: Library) -> Counted:
    """What a source of a base holds; a corpus that has changed since it was counted is counted again.

    Raises UsageError: the corpus was removed; SnapshotCorrupt: it differs from its manifest.
    """
    with library.open(corpus_name(base.name, source)) as snapshot:
        known = base.counted.get(source)
        return known if known is not None and known.hash == snapshot.manifest.hash else counted(snapshot)


def of_base(base: Base, library: Library) -> dict[str, Counted]:
    """What each source of a base holds. Raises what `of_source` raises."""
    return {source: of_source(base, source, library) for source in base.sources}


def table(rows: Sequence[tuple[str, Counted]]) -> Iterator[str]:
    """The lines of the table: the text sources, then the graphs with their own columns."""
    texts = [(name, one) for name, one in rows if one.concepts is None]
    graphs = [(name, one) for name, one in rows if one.concepts is not None]
    width = max(map(len, ["Source", *(name for name, _ in rows)]))
    if texts:
        yield _row("Source", width, "#Docs", "#Chunks", "#Words/Chunk")
        for name, one in texts:
            mean = one.words_per_chunk
            yield _row(name, width, f"{one.documents:,}", f"{one.chunks:,}", "-" if mean is None else f"{mean:.1f}")
    if graphs:
        yield _row("" if texts else "Source", width, "#Concepts", "#Definitions", "#Relations")
        for name, one in graphs:
            yield _row(name, width, *(f"{value or 0:,}" for value in (one.concepts, one.definitions, one.relations)))


def _row(name: str, width: int, *cells: str) -> str:
    return f"{name:<{width}}" + "".join(f"  {cell:>12}" for cell in cells)
