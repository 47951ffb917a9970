"""Give a corpus another description: the next snapshot has the same files and another manifest."""

from __future__ import annotations

import os
import shutil

from medground.corpus.faults import writing
from medground.corpus.library import Library
from medground.corpus.manifest import Manifest, read_manifest, write_manifest
from medground.described import SourceDescription
from medground.durable import sync_tree

_WORK = "building-described"


def redescribed(library: Library, name: str, described: SourceDescription) -> Manifest:
    """Replace the description of a corpus; nothing is read or indexed again.

    Raises:
        UsageError: no corpus has this name, or it is being built.
        SnapshotCorrupt: its manifest is damaged.
        StorageFailed: writing to disk failed.
    """
    with library.lock(name):
        base = library.current(name)
        manifest = library.info(name).model_copy(update={"described": described})
        work = library.folder_of(name) / _WORK
        with writing(work):
            shutil.rmtree(work, ignore_errors=True)
            shutil.copytree(base, work, copy_function=_link)
            (work / "manifest.json").unlink()  # its link leads to that of the other snapshot
            write_manifest(work, manifest)
            sync_tree(work)
            return read_manifest(library.publish(name, work, manifest))


def _link(source: str, target: str) -> None:
    """Files of a snapshot never change, so that two snapshots may share them; a disk without links gets a copy."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
