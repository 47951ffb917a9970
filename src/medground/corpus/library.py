"""A user's corpora: named folders, each with a current snapshot."""

from __future__ import annotations

import contextlib
import re
import shutil
from contextlib import AbstractContextManager
from pathlib import Path

from medground.corpus import retraction_table, tables
from medground.corpus.faults import UnfinishedDamaged, corrupt, reading, writing
from medground.corpus.lexical import Lexical
from medground.corpus.manifest import Manifest, read_manifest, write_manifest
from medground.corpus.snapshot import LEXICAL, Snapshot, remove_unused
from medground.errors import SnapshotCorrupt, UsageError
from medground.home.files import locked, put, remove_unfinished, sync, sync_tree, write_whole
from medground.values.query import Filters

# The check of a snapshot before it is published: opened as a reader will open it, its parts have to agree.

_DOCUMENTS = 20
"""Documents that are looked up: a check of all would take as long as the build."""


def check_built(folder: Path, base: Path | None = None) -> None:
    """Check the files, counts and numbers of a snapshot, and that some of its documents are read and found.

    Files that are the very same in `base`, the snapshot it was made from, are not read again.

    Raises UnfinishedDamaged: it may not be published.
    """
    try:
        with Snapshot.open(folder, base) as snapshot, reading(folder):
            if snapshot.manifest.embedding is not None:
                snapshot.vectors()
            ids = _agreeing(folder, snapshot, is_new=base is None)
            if len(snapshot.documents(ids)) != len(ids):
                raise ValueError("a document cannot be read")
    except SnapshotCorrupt as error:
        raise UnfinishedDamaged(folder, str(error.__cause__ or error).partition(";")[0]) from error


def _agreeing(folder: Path, snapshot: Snapshot, *, is_new: bool) -> list[str]:
    """Ids of some documents, for which the word index holds the passages that the database holds."""
    counts, words, ids = snapshot.manifest.counts, Lexical(folder / LEXICAL), []
    with contextlib.closing(tables.opened(folder)) as database:
        last = database.execute("SELECT coalesce(max(number) + 1, 0) FROM passages").fetchone()[0]
        rows = database.execute("SELECT coalesce(max(document), 0) FROM passages").fetchone()[0]
        found = database.execute("SELECT count(*) FROM passages").fetchone()[0] if is_new else last
        if (found, last) != (counts.passages, counts.passages):
            raise ValueError(f"{found} passages with numbers up to {last}, not {counts.passages}")
        if is_new and (have := database.execute("SELECT count(*) FROM documents").fetchone()[0]) != counts.documents:
            raise ValueError(f"{have} documents, not {counts.documents}")
        for first in range(0, rows + 1, max(1, rows // _DOCUMENTS)):
            query = "SELECT number, id FROM documents WHERE number >= ? ORDER BY number LIMIT 1"
            for number, document_id in database.execute(query, (first,)).fetchall():
                query = "SELECT number FROM passages WHERE document = ? ORDER BY number"
                stored = [row[0] for row in database.execute(query, (number,))]
                if words.numbers(Filters(ids=(document_id,))) != stored:
                    raise ValueError(f"the word index has other passages of {document_id} than the database")
                ids.append(document_id)
    return list(dict.fromkeys(ids))


_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_SNAPSHOT = re.compile(r"[0-9a-f]{16}(-[0-9]{1,6})?")
_CURRENT = "CURRENT"
STARTER = "starter"
"""The corpus that is built on first use."""
STARTER_TITLE = "Rare diseases (HPO)"
GRAPH_FILE = "graph.sqlite"
"""The attachment of a snapshot that holds its graph."""
_KEPT = 2
"""Snapshots kept on disk in addition to those in use: the current one, and the one before it, for late readers."""


def title_of(name: str) -> str:
    """The name of a corpus as people read it."""
    return STARTER_TITLE if name == STARTER else re.sub("[-_]+", " ", name)


class Library:
    """Corpora under `home/corpora`.

    A corpus is a folder of immutable snapshots. Its file `CURRENT` names one of them and is always replaced as a
    whole. Methods that take a name raise UsageError if it is not valid or no corpus has it, those that read a snapshot
    SnapshotCorrupt if it does not match its manifest, and those that change a corpus StorageFailed if the disk fails.
    """

    def __init__(self, home: Path) -> None:
        self.folder = home / "corpora"
        retraction_table.use(home)

    def folder_of(self, name: str) -> Path:
        """Folder of a corpus, whether or not it exists."""
        if not _NAME.fullmatch(name):
            raise UsageError(
                f"{name[:80]!r} is not a valid corpus name; "
                "use 1 to 64 of a-z 0-9 . _ - and start with a letter or a digit, such as my-papers"
            )
        return self.folder / name

    def list(self) -> tuple[str, ...]:
        """Names of the corpora that can be opened, sorted."""
        if not self.folder.is_dir():
            return ()
        return tuple(sorted(p.parent.name for p in self.folder.glob(f"*/{_CURRENT}") if _NAME.fullmatch(p.parent.name)))

    def has(self, name: str) -> bool:
        """Whether a corpus with this name exists."""
        return (self.folder_of(name) / _CURRENT).is_file()

    def open(self, name: str) -> Snapshot:
        """Open the current snapshot."""
        current = self.current(name)
        while True:
            try:
                return Snapshot.open(current)
            except SnapshotCorrupt:
                before, current = current, self.current(name)
                if current == before:
                    raise  # no build has just replaced it

    def info(self, name: str) -> Manifest:
        """The manifest of the current snapshot."""
        return read_manifest(self.current(name))

    def verify(self, name: str) -> Manifest:
        """Check every file of the current snapshot against its manifest; the error names one that differs."""
        with self.open(name) as snapshot:
            snapshot.verify()
            return snapshot.manifest

    def remove(self, name: str) -> None:
        """Delete a corpus, including any unfinished build of it."""
        folder = self.folder_of(name)
        if not folder.is_dir():
            raise self._unknown(name)
        with self.lock(name), writing(folder):
            (folder / _CURRENT).unlink(missing_ok=True)
            sync(folder)  # from here on the corpus is gone, even if the rest fails
            shutil.rmtree(folder)

    def current(self, name: str) -> Path:
        """Folder of the current snapshot."""
        folder = self.folder_of(name)
        try:
            pointer = (folder / _CURRENT).read_text(encoding="ascii").strip()
        except FileNotFoundError:
            raise self._unknown(name) from None
        except (OSError, UnicodeDecodeError):
            pointer = ""
        if not _SNAPSHOT.fullmatch(pointer) or not (folder / pointer).is_dir():
            raise corrupt(folder, f"{_CURRENT} does not name a snapshot")
        return folder / pointer

    def publish(self, name: str, built: Path, manifest: Manifest, base: Path | None = None) -> Manifest:
        """Make a finished folder the current snapshot, and delete older unused ones. The caller holds the lock.

        This is the only way in: the manifest is written, all is flushed to disk and checked, and one pointer moves.
        `base` is the folder of the snapshot that it was made from, which the caller holds open.

        If an intact snapshot with the same hash, read from the same files and described alike, already exists, it is
        kept and the new one is deleted.

        Raises UnfinishedDamaged: the folder cannot be opened, or its parts do not agree; the current snapshot stays;
        OSError: it cannot be written.
        """
        write_manifest(built, manifest)
        sync_tree(built)
        folder = self.folder_of(name)
        target = self._target(folder, manifest)
        if target.exists():
            shutil.rmtree(built)
        else:
            check_built(built, base)
            put(built, target)
        remove_unfinished(folder)
        write_whole(folder / _CURRENT, f"{target.name}\n")
        others = [path for path in folder.iterdir() if _SNAPSHOT.fullmatch(path.name) and path != target]
        for old in sorted(others, key=lambda path: path.stat().st_mtime, reverse=True)[_KEPT - 1 :]:
            remove_unused(old)
        return read_manifest(target)

    def lock(self, name: str) -> AbstractContextManager[object]:
        """Let only one process at a time change a corpus; UsageError if another process is changing it."""
        busy = f"corpus {name} is being built by another process; wait for it or stop it"
        with writing(self.folder):
            return locked(self.folder_of(name).with_name(f".{name}.lock"), busy)

    def _unknown(self, name: str) -> UsageError:
        existing, advice = ", ".join(self.list()) or "none", f"build one with `medground corpus build {name} PATH`"
        return UsageError(f"no corpus {name!r} (existing: {existing}); {advice}")

    def _target(self, folder: Path, manifest: Manifest) -> Path:
        """Folder for a snapshot with this manifest: that of an intact one, or a free name."""
        for count in range(1, 1_000_000):
            candidate = folder / (manifest.hash[:16] + (f"-{count}" if count > 1 else ""))
            if not candidate.exists():
                return candidate
            with contextlib.suppress(SnapshotCorrupt), Snapshot.open(candidate) as snapshot:
                known = snapshot.manifest
                if (known.sources, known.described) == (manifest.sources, manifest.described):
                    snapshot.verify()
                    return candidate
        raise corrupt(folder, "too many damaged snapshots")
