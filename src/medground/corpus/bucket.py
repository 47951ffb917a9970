"""A corpus in object storage in S3's form, and the copy of its current snapshot from which this machine answers.

Below its address stand `objects/`, the files of all snapshots by their SHA-256; `snapshots/`, manifests by theirs; and
`CURRENT`, the one object that is ever replaced. It names a manifest, and is written last and on condition that nobody
wrote it meanwhile, so that every reader finds a snapshot that is whole.
"""

import contextlib
import hashlib
import os
import re
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from filelock import FileLock

from medground.corpus.faults import writing
from medground.corpus.library import CorpusFolder
from medground.corpus.manifest import FILE_NAME, FileEntry, Manifest, hash_file, manifest_of
from medground.corpus.snapshot import Snapshot, remove_unused
from medground.corpus.store import Place, Store
from medground.errors import ConfigError, SnapshotCorrupt, SourceUnavailable, UsageError, needing
from medground.home.files import link, make_folder, put, sync_tree
from medground.values.grouping import portions
from medground.values.steps import Progress, no_progress

with needing("s3", "a corpus in object storage"):
    import obstore
    from obstore import exceptions
    from obstore.store import S3Store

_CURRENT, _HASH = "CURRENT", re.compile("[0-9a-f]{64}").fullmatch
_PIECE = 8_000_000
"""Bytes in one request, which has `_SECONDS` to end."""
_SECONDS = 30
_REUSED, _WAITING = timedelta(hours=12), timedelta(hours=24)
"""A push relies on what is current, and on what others sent less than 12 hours ago. Nothing is removed as old within 24
hours, so a push has 12 hours to end."""


class Bucket(Place):
    """The corpus at `s3://BUCKET/PREFIX`, with the keys and the endpoint of the usual AWS_* variables.

    What was fetched of it is in the home folder's cache. `name` is for answers.

    Raises UsageError: the address is no such address; ConfigError: that of the endpoint is none.
    """

    def __init__(self, address: str, home: Path, name: str = "") -> None:
        parts, prefix = urlsplit(address), urlsplit(address).path.strip("/")
        if not re.fullmatch(r"[a-z0-9][a-z0-9.-]{1,62}", parts.netloc) or parts.query or parts.fragment:
            raise UsageError("a corpus in object storage is s3://BUCKET/PREFIX; keys stand in AWS_ACCESS_KEY_ID ...")
        endpoint = urlsplit(os.environ.get("AWS_ENDPOINT_URL", "https://s3.amazonaws.com"))
        if endpoint.scheme not in ("http", "https") or not endpoint.hostname:
            raise ConfigError("AWS_ENDPOINT_URL is no address; it begins with https:// or http:// and names a host")
        self.address, self._bucket, self.name = f"s3://{parts.netloc}/{prefix}", parts.netloc, name
        self._host = endpoint.netloc.rpartition("@")[2]
        self._cache = home / "cache" / "corpora" / hashlib.sha256(self.address.encode()).hexdigest()[:16]
        self._store = S3Store(
            parts.netloc,
            prefix=prefix or None,
            client_options={"allow_http": True, "timeout": f"{_SECONDS}s", "connect_timeout": "5s"},
            retry_config={"max_retries": 3, "retry_timeout": timedelta(seconds=_SECONDS)},
        )

    def state(self) -> str:
        if (found := self._current()) is None:
            raise self._nothing()
        return found[0]

    def info(self) -> Manifest:
        return self._manifest(self.state())[0]

    def open(self, progress: Progress = no_progress) -> Store:
        tried = set[str]()
        while True:
            state = self.state()
            try:
                return Snapshot.open(self._fetched(state, progress), name=self.name)
            except SnapshotCorrupt:
                if state in tried and self.state() == state:
                    raise
                tried.add(state)  # its copy here is damaged, or another snapshot has become current
                with self._locked():
                    remove_unused(self._cache / state[:16])

    def verify(self) -> Manifest:
        manifest, _ = self._manifest(self.state())
        for entry in manifest.files.values():
            for _ in self._pieces(entry):
                pass  # compared at the end
        return manifest

    def ready(self, name: str) -> tuple[tuple[str, Any] | None, Manifest | None]:
        """What is current, as `_current` has it, with its manifest unless that is damaged."""
        before, known = self._current(), None
        if before:
            with contextlib.suppress(SnapshotCorrupt):  # a push repairs it
                known = self._manifest(before[0])[0]
        if known and known.name != name:
            raise UsageError(f"{self.address} holds the corpus {known.name}; push {name} elsewhere")
        return before, known

    def push(self, base: Snapshot, progress: Progress = no_progress) -> Manifest:
        base.verify()
        content = (base.folder / FILE_NAME).read_bytes()
        state, (before, known) = hashlib.sha256(content).hexdigest(), self.ready(base.manifest.name)
        self._send(base, {entry.sha256 for entry in known.files.values()} if known else set(), progress)
        with self._asking():
            obstore.put(self._store, f"snapshots/{state}.json", content)
            try:
                obstore.put(self._store, _CURRENT, state.encode(), mode=before[1] if before else "create")
            except (exceptions.AlreadyExistsError, exceptions.PreconditionError):
                raise UsageError(f"another push changed {self.address} meanwhile; push again to replace that") from None
        return base.manifest

    def remove(self, *, old: bool = False) -> None:
        kept = set[str]()
        if old:
            state = self.state()
            files = self._manifest(state)[0].files.values()
            kept = {f"snapshots/{state}.json", *(f"objects/{entry.sha256}" for entry in files)}
        with self._asking():
            found = {path: age for what in ("snapshots", "objects") for path, (_, age) in self._listed(what)}
            if not found:
                raise self._nothing()
            if not old:
                obstore.delete(self._store, _CURRENT)  # from here on the corpus is gone
            gone = [path for path, age in found.items() if path not in kept and (not old or age > _WAITING)]
            for some in portions(gone, 1000):
                obstore.delete(self._store, some)
        if not old:
            self.forget()

    def forget(self) -> None:
        with self._locked():
            shutil.rmtree(self._cache, ignore_errors=True)

    def _current(self) -> tuple[str, Any] | None:
        """The current state, and on what condition it may be replaced; None where there is none."""
        with self._asking():
            try:
                found = obstore.get(self._store, _CURRENT)
                state = bytes(found.bytes()).decode("ascii", "replace")
            except FileNotFoundError as error:
                if "<Code>NoSuchBucket" in str(error):
                    raise
                return None
        if not _HASH(state):
            raise self._corrupt(_CURRENT, "does not name a snapshot")
        return state, {key: value for key, value in found.meta.items() if key in ("e_tag", "version") and value}

    def _manifest(self, state: str) -> tuple[Manifest, bytes]:
        path = f"snapshots/{state}.json"
        with self._asking(path):
            content = bytes(obstore.get(self._store, path).bytes())
        if hashlib.sha256(content).hexdigest() != state:
            raise self._corrupt(path)
        manifest = manifest_of(content, self.address)
        if any(".." in name or name.startswith("/") or not _HASH(one.sha256) for name, one in manifest.files.items()):
            raise self._corrupt(path, "names files that no build makes")
        return manifest, content

    def _listed(self, folder: str) -> Iterator[tuple[str, tuple[int, timedelta]]]:
        """The objects below a name, with size and age."""
        for some in obstore.list(self._store, prefix=folder):
            yield from ((one["path"], (one["size"], datetime.now(UTC) - one["last_modified"])) for one in some)

    def _send(self, base: Snapshot, current: set[str], progress: Progress) -> None:
        """Send the files that are not there yet."""
        done = 0
        with self._asking():
            there = dict(self._listed("objects"))
            for name, entry in base.manifest.files.items():
                progress("send", done, base.manifest.size)
                size, age = there.get(path := f"objects/{entry.sha256}", (-1, _WAITING))
                if size != entry.size or not (entry.sha256 in current or age < _REUSED):
                    obstore.put(self._store, path, base.folder / name, chunk_size=_PIECE)
                done += entry.size
        progress("send", done, done)

    def _fetched(self, state: str, progress: Progress) -> Path:
        """The folder of a snapshot in the cache; it is there only whole. Processes that need it wait for the first."""
        folder, unfinished, done = self._cache / state[:16], self._cache / f"fetching-{state[:16]}", 0
        if folder.is_dir():
            return folder
        with self._locked(), writing(self._cache):
            if folder.is_dir():
                return folder
            manifest, content = self._manifest(state)
            for name, entry in manifest.files.items():
                progress("fetch", done, manifest.size)
                path, done = unfinished / name, done + entry.size
                there = (one for one in self._cache.glob(f"*/{name}") if one.stat().st_size == entry.size)
                kept = next((one for one in there if hash_file(one) == entry.sha256), None)
                make_folder(path.parent)
                if kept is None:
                    path.unlink(missing_ok=True)
                    with path.open("wb") as file:
                        file.writelines(self._pieces(entry))
                elif kept != path:
                    path.unlink(missing_ok=True)
                    link(kept, path)
            (unfinished / FILE_NAME).write_bytes(content)
            sync_tree(unfinished)
            put(unfinished, folder)
            progress("fetch", done, done)
            CorpusFolder(self._cache).remove_old(folder)
            for stale in self._cache.glob("fetching-*"):
                shutil.rmtree(stale, ignore_errors=True)
        return folder

    def _pieces(self, entry: FileEntry) -> Iterator[bytes]:
        """The content of an object; SnapshotCorrupt at its end if it is not what its name says."""
        path, digest = f"objects/{entry.sha256}", hashlib.sha256()
        for start in range(0, entry.size, _PIECE):
            with self._asking(path):
                piece = bytes(obstore.get_range(self._store, path, start=start, end=min(start + _PIECE, entry.size)))
            digest.update(piece)
            yield piece
        if digest.hexdigest() != entry.sha256:
            raise self._corrupt(path)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """One process at a time changes the cache; others wait."""
        with writing(self._cache):
            make_folder(self._cache)
            lock = FileLock(self._cache.with_suffix(".lock")).acquire()
        with lock:
            yield

    @contextlib.contextmanager
    def _asking(self, path: str = "the snapshot") -> Iterator[None]:
        """Tell in one line, without keys, what the service refused; `path` is an object that has to be there."""
        try:
            yield
        except FileNotFoundError as error:
            if "<Code>NoSuchBucket" in str(error):
                missing = f"{self._host} has no bucket {self._bucket}"
                raise UsageError(f"{missing}; create it or correct the address") from None
            raise SnapshotCorrupt(f"{self.address}: {path} is missing; push the corpus again") from None
        except exceptions.BaseError as error:
            denied = isinstance(error, exceptions.PermissionDeniedError | exceptions.UnauthenticatedError)
            if denied or "169.254.169.254" in str(error):  # where a machine of Amazon's gets its keys
                keys = "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
                what = "refuses the keys" if denied else "needs keys"
                raise ConfigError(f"{self._host} {what} for {self.address}; set {keys} to such as may") from None
            reason = f"{self._host} cannot be reached or did not answer; check AWS_ENDPOINT_URL and the network"
            raise SourceUnavailable(reason, source=self.address) from None

    def _nothing(self) -> UsageError:
        return UsageError(f"no corpus is at {self.address}; send one with medground corpus push NAME {self.address}")

    def _corrupt(self, path: str, what: str = "does not match its SHA-256") -> SnapshotCorrupt:
        return SnapshotCorrupt(f"{self.address}: {path} {what}; delete that object, then push the corpus again")
