"""A user's corpora: named folders, each with a current snapshot; and where any word for a corpus leads."""

import contextlib
import re
import shutil
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from medground.corpus import retraction_table, tables
from medground.corpus.faults import UnfinishedDamaged, corrupt, reading, writing
from medground.corpus.lexical import Lexical
from medground.corpus.manifest import Manifest, read_manifest, write_manifest
from medground.corpus.snapshot import LEXICAL, Snapshot, remove_unused
from medground.corpus.store import Place, Store
from medground.errors import SnapshotCorrupt, UsageError
from medground.home.files import locked, put, remove_unfinished, sync, sync_tree, write_whole
from medground.language.clean import clean
from medground.values.query import Filters
from medground.values.steps import Progress, no_progress

# The check of a snapshot before it is published: opened as a reader will open it, its parts have to agree.

_DOCUMENTS = 20
"""Documents that are looked up: a check of all would take as long as the build."""


def check_built(folder: Path, base: Path | None) -> None:
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
_TITLE = "TITLE"
"""What a person called it."""
_ADDRESS = "ADDRESS"
"""In the folder of a name that stands for a corpus at an address."""
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


# Where a user's word for a corpus leads: to a name of the home folder, to a folder elsewhere, or to an address.

_SOLR = "medground.corpus.solr.place:SolrPlace"
_SCHEMES: Mapping[str, str] = {"s3": "medground.corpus.bucket:Bucket", "solr+http": _SOLR, "solr+https": _SOLR}
"""What makes the place of an address, by its scheme, of the address, the home folder and the name for answers."""


def elsewhere(word: str) -> bool:
    """Whether a word leads out of the home folder: an address, or the path of a corpus's folder."""
    return "://" in word or ("/" in word and (Path(word).expanduser() / _CURRENT).is_file())


@dataclass(frozen=True)
class CorpusFolder(Place):
    """A corpus in a folder: of a home folder, or of a disk that several machines share."""

    folder: Path
    name: str = ""

    def state(self) -> str:
        return self.current().name

    def info(self) -> Manifest:
        return read_manifest(self.current())

    def open(self, progress: Progress = no_progress) -> Snapshot:
        current = self.current()
        while True:
            try:
                return Snapshot.open(current, name=self.name)
            except SnapshotCorrupt:
                before, current = current, self.current()
                if current == before:
                    raise  # no build has just replaced it

    def verify(self) -> Manifest:
        with self.open() as snapshot:
            snapshot.verify()
            return snapshot.manifest

    def remove(self, *, old: bool = False) -> None:
        folder = self.folder
        if not folder.is_dir():
            raise self._unknown()
        with self.lock(), writing(folder):
            if old:
                self.remove_old(self.current(), kept=1)
            else:
                (folder / _CURRENT).unlink(missing_ok=True)
                sync(folder)  # from here on the corpus is gone, even if the rest fails
                shutil.rmtree(folder)

    def current(self) -> Path:
        """Folder of the current snapshot."""
        folder = self.folder
        try:
            pointer = (folder / _CURRENT).read_text(encoding="ascii").strip()
        except FileNotFoundError:
            raise self._unknown() from None
        except (OSError, UnicodeDecodeError):
            pointer = ""
        if not _SNAPSHOT.fullmatch(pointer) or not (folder / pointer).is_dir():
            raise corrupt(folder, f"{_CURRENT} does not name a snapshot")
        return folder / pointer

    def remove_old(self, current: Path, kept: int = _KEPT) -> None:
        """Delete the oldest snapshots without readers, until `kept` are left with the current one."""
        others = [path for path in self.folder.iterdir() if _SNAPSHOT.fullmatch(path.name) and path != current]
        for old in sorted(others, key=lambda path: path.stat().st_mtime, reverse=True)[kept - 1 :]:
            remove_unused(old)

    def lock(self) -> AbstractContextManager[object]:
        """Let only one process at a time change it; UsageError if another process is changing it."""
        name = self.folder.name
        busy = f"corpus {name} is being built by another process; wait for it or stop it"
        with writing(self.folder.parent):
            return locked(self.folder.with_name(f".{name}.lock"), busy)

    def _unknown(self) -> UsageError:
        name, existing = self.folder.name, ", ".join(_names(self.folder.parent)) or "none"
        return UsageError(
            f"no corpus {name!r} (existing: {existing}); [[build one with `medground corpus build {name} PATH`|"
            f"build one in a terminal: medground corpus build {name} PATH|name one of those]]"
        )


def _names(folder: Path) -> list[str]:
    found = {path.parent.name for what in (_CURRENT, _ADDRESS) for path in folder.glob(f"*/{what}")}
    return sorted(name for name in found if _NAME.fullmatch(name))


class Library:
    """Corpora under `home/corpora`, and by their address those elsewhere.

    A corpus is a folder of immutable snapshots. Its file `CURRENT` names one of them and is always replaced as a
    whole. Methods that take a name raise UsageError if it is not valid or no corpus has it, those that read a snapshot
    SnapshotCorrupt if it does not match its manifest, and those that change a corpus StorageFailed if the disk fails.
    Those that a `Place` has take whatever word leads to one.
    """

    def __init__(self, home: Path) -> None:
        self.folder = home / "corpora"
        retraction_table.use(home)

    def folder_of(self, name: str) -> Path:
        """Folder of a corpus, whether or not it exists."""
        if elsewhere(name):
            raise UsageError(f"{name[:200]} is changed where it was built; change it there, then push it here")
        if not _NAME.fullmatch(name):
            raise UsageError(
                f"{name[:80]!r} is not a valid corpus name; "
                "use 1 to 64 of a-z 0-9 . _ - and start with a letter or a digit, such as my-papers"
            )
        return self.folder / name

    def title(self, name: str) -> str:
        """The name of a corpus as people read it: what it was called when it was uploaded, or made of its own."""
        given = self.folder_of(name) / _TITLE
        return clean(given.read_text(encoding="utf-8")) if given.is_file() else title_of(name)

    def entitle(self, name: str, title: str) -> None:
        """Keep the name that a person gave to a corpus; it holds for later builds too."""
        folder = self.folder_of(name)
        with writing(folder):
            write_whole(folder / _TITLE, " ".join(clean(title).split()))

    def list(self) -> tuple[str, ...]:
        """Names of the corpora that can be opened, sorted."""
        return tuple(_names(self.folder))

    def has(self, name: str) -> bool:
        """Whether a corpus with this name exists; an address is taken to lead to one."""
        return elsewhere(name) or any((self.folder_of(name) / what).is_file() for what in (_CURRENT, _ADDRESS))

    def at(self, word: str) -> Place:
        """The place that a name, an address or the path of a corpus's folder leads to.

        Raises UsageError: it leads nowhere; ConfigError: an extra is missing.
        """
        address, name = (word, "") if elsewhere(word) else (self.address_of(word), word)
        scheme, is_address, _ = address.partition("://")
        if not is_address:
            return CorpusFolder(Path(address).expanduser().resolve()) if address else self._own(name)
        if scheme not in _SCHEMES:
            raise UsageError(f"no corpus is kept at {scheme[:20]}://; addresses begin with {'://, '.join(_SCHEMES)}://")
        module, _, kind = _SCHEMES[scheme].partition(":")
        place: Place = getattr(import_module(module), kind)(address, self.folder.parent, name)
        return place

    def address_of(self, name: str) -> str:
        """The address that a name of this home stands for; empty if its corpus is here."""
        try:
            return (self.folder_of(name) / _ADDRESS).read_text(encoding="utf-8").strip()
        except OSError:
            return ""

    def follow(self, name: str, address: str) -> None:
        """Let a name stand for the corpus at an address, whatever is current there. Raises UsageError: it is taken."""
        if (self.folder_of(name) / _CURRENT).is_file():
            raise UsageError(f"corpus {name} was built here; follow {address} under another name")
        self.at(address).info()
        with writing(self.folder):
            write_whole(self.folder_of(name) / _ADDRESS, f"{address}\n")

    def open(self, word: str, progress: Progress = no_progress) -> Store:
        """Open the current snapshot; where that is elsewhere, what is needed of it is fetched."""
        return self.at(word).open(progress)

    def built(self, word: str) -> Snapshot:
        """Open the current snapshot with what its build reported of its files. Raises UsageError: they are not here."""
        store = self.open(word)
        if isinstance(store, Snapshot):
            return store
        store.close()
        raise UsageError(f"{word} is not in a folder of this machine; do this where it was built")

    def info(self, word: str) -> Manifest:
        """The manifest of the current snapshot."""
        return self.at(word).info()

    def state(self, word: str) -> str:
        """A name of the current snapshot that no other snapshot of the place has."""
        return self.at(word).state()

    def verify(self, word: str) -> Manifest:
        """Check all that is stored of the current snapshot; the error names what differs."""
        return self.at(word).verify()

    def remove(self, word: str) -> None:
        """Delete a corpus with any unfinished build of it; of one that is at an address, only its name here."""
        if not elsewhere(word) and self.address_of(word):
            self.at(word).forget()
            with writing(self.folder):
                shutil.rmtree(self.folder_of(word))
        else:
            self.at(word).remove()

    def current(self, name: str) -> Path:
        """Folder of the current snapshot of a corpus of this home."""
        return self._own(name).current()

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
        self._own(name).remove_old(target)
        return read_manifest(target)

    def lock(self, name: str) -> AbstractContextManager[object]:
        """Let only one process at a time change a corpus; UsageError if another process is, or it is not kept here."""
        if address := self.address_of(name):
            raise UsageError(f"{name} stands for {address}; change it where it was built, or use another name")
        return self._own(name).lock()

    def _own(self, name: str) -> CorpusFolder:
        return CorpusFolder(self.folder_of(name), name)

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
