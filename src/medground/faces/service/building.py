"""Corpora made from uploaded files: built or added to in a thread, stopped at once, the old state in use until the end.

What calls this decides who may do so. A build that fails or is stopped leaves the corpus as it was, and nothing of what
was uploaded for it.
"""

import asyncio
import contextlib
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path, PurePath
from shutil import rmtree
from typing import Literal

from medground.corpus.build import add, build
from medground.corpus.library import STARTER, Library
from medground.corpus.manifest import Manifest
from medground.corpus.readers.every import find_inputs
from medground.corpus.received import drop, forget_other_uploads, keep
from medground.errors import BadDocument, Stopped, UsageError
from medground.models.embedders import open_embedder
from medground.values.steps import Progress
from medground.wording.progress import built, phase

Mode = Literal["new", "add", "replace"]
_ABANDONED = 24 * 3600.0
_BETWEEN = 0.2
"""Seconds between two reports of the same phase."""


def check(library: Library, name: str, mode: Mode) -> None:
    """Check, before anything is received, that a corpus can be built in this way.

    Raises UsageError: the name is not valid or reserved, or a corpus does or does not exist that should not or should.
    """
    exists = library.has(name)
    if name == STARTER:
        raise UsageError(f"the corpus {STARTER} comes with Medground; choose another name")
    if mode == "new" and exists:
        raise UsageError(f"a corpus {name!r} exists already; add to it, replace it, or choose another name")
    if mode == "add":
        library.info(name)


def kept_aside(received: Path) -> Path:
    """Move received files aside, so that they outlive the request that brought them; a build moves them on."""
    place = received.with_name(f"{received.name}-waiting")
    received.rename(place)
    return place


def forget_abandoned(folder: Path, now: Callable[[], float] = time.time) -> None:
    """Delete uploads that an earlier process left behind, a day old or more."""
    for place in folder.glob("*"):
        with contextlib.suppress(OSError):
            if now() - place.stat().st_mtime > _ABANDONED:
                rmtree(place, ignore_errors=True)


async def build_uploaded(
    library: Library, name: str, received: Path, mode: Mode, embed: str | None, progress: Progress
) -> Manifest:
    """Build a corpus from received files. Cancelling this stops the build, and waits until it has stopped.

    Args:
        received: a folder with the files; it is moved away by a build.
        mode: `new`: there must be no such corpus yet; `add`: there must be one; `replace`: there may be one.
        embed: the embedding model; None for none, or, for `add`, that of the corpus.
        progress: called, in another thread, with what the build does, in words.

    Raises UsageError: as for `check`, or another process is changing the corpus; ConfigError: the embedding model
    cannot be used; BadDocument: none of the files can be read; the message names the first; StorageFailed: writing to
    disk failed.
    """
    stop, calmly = threading.Event(), _calmly(progress)

    def report(step: str, done: int, total: int | None) -> None:
        if stop.is_set():
            raise Stopped("the build was stopped; the corpus is as it was")
        calmly(step, done, total)

    def work() -> Manifest:
        manifest = _build(library, name, received, mode, embed, report)
        with library.built(name) as snapshot:
            over = [PurePath(file.name).name for file in snapshot.file_report().files if file.reason is not None]
        progress(built(manifest, over), manifest.counts.documents, manifest.counts.documents)
        return manifest

    running = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        stop.set()
        await asyncio.wait([running])
        running.exception()  # it was stopped, and nothing else asks why
        raise


def _build(library: Library, name: str, received: Path, mode: Mode, embed: str | None, progress: Progress) -> Manifest:
    try:
        check(library, name, mode)
        place = keep(library, name, received)
    except BaseException:
        rmtree(received, ignore_errors=True)
        raise
    try:
        inputs = find_inputs([place])
        if mode == "add":
            existing = library.info(name).embedding
            embedder = open_embedder(existing.name, library.folder.parent) if existing else None
            return add(library, name, inputs, embedder=embedder, progress=progress)
        embedder = open_embedder(embed, library.folder.parent) if embed else None
        manifest = build(library, name, inputs, embedder=embedder, progress=progress)
    except BadDocument as error:
        drop(place)
        reason = error.reason.replace(f"{place}{os.sep}", "").replace(str(place), "the upload")
        raise BadDocument(reason, file=PurePath(error.file).name, position=error.position) from None
    except BaseException:
        drop(place)
        raise
    forget_other_uploads(library.folder_of(name), place)
    return manifest


def _calmly(progress: Progress) -> Progress:
    """Reports of the same phase only now and then, in words."""
    last = ("", 0.0)

    def report(step: str, done: int, total: int | None) -> None:
        nonlocal last
        now = time.monotonic()
        if step != last[0] or done == total or now - last[1] >= _BETWEEN:
            last = (step, now)
            progress(phase(step), done, total)

    return report
