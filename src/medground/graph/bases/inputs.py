"""The inputs of a source: its files by its readers, each document of the source's kind, and only those it wants."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

from medground.corpus.readers import READERS, find_inputs, survey
from medground.corpus.readers.base import Input, Item
from medground.errors import BadDocument
from medground.graph.bases.spec import MAPPED, InputSpec, SourceSpec, open_mapped
from medground.values.document import Document, SourceKind

Wanted = Mapping[str, tuple[str | int, ...]]


def inputs_of(source: SourceSpec, folder: Path) -> list[Input]:
    """What a source that is not a graph is read from, in order.

    Args:
        source: its specification.
        folder: the folder of the specification, from which paths are relative.

    Raises:
        UsageError: a path does not exist, or a reader is unknown.
        BadDocument: no file of an input can be read.
    """
    found: list[Input] = []
    for one in source.inputs:
        paths = one.resolved(folder)
        opened = [*_mapped(one, paths)] if one.fields else find_inputs(paths, one.reader)
        found += [_of_source(each, source, one) for each in opened]
    return found


def _mapped(one: InputSpec, paths: tuple[Path, ...]) -> Iterator[Input]:
    for path in paths:
        files = [path]
        if path.is_dir():
            suffixes = READERS[MAPPED].suffixes
            files = [file for file, refused in survey(path, MAPPED) if not refused and file.name.endswith(suffixes)]
            if not files:
                raise BadDocument("the folder contains no JSON Lines", file=str(path))
        for file in files:
            opened = open_mapped(file, one.fields, tuple(one.where), one.prefix)
            yield replace(opened, folder=str(path) if path.is_dir() else None)


def _of_source(opened: Input, source: SourceSpec, one: InputSpec) -> Input:
    """The input with its documents made those of the source; what shapes them is part of its fingerprint."""
    shape = repr((source.kind, sorted(one.where.items()), sorted(one.fields.items()), one.prefix))
    digest = hashlib.sha256(shape.encode()).hexdigest()[:8]
    return replace(
        opened,
        fingerprint=f"{opened.fingerprint}-{digest}",
        read=partial(_read, opened, source.kind, one.where),
        license=opened.license or source.described.licence,
    )


def _read(opened: Input, kind: SourceKind, where: Wanted, skip: int) -> Iterator[Item]:
    if not where:
        return (_of_kind(item, kind) for item in opened.read(skip))
    return islice(_chosen(opened, kind, where), skip, None)  # what is left out cannot be counted without reading it


def _chosen(opened: Input, kind: SourceKind, where: Wanted) -> Iterator[Item]:
    """The items that are wanted; if no document is, that is said, because it is a mistake in the specification.

    Raises:
        BadDocument: as the reader.
    """
    seen = kept = 0
    for item in opened.read(0):
        if isinstance(item, Document):
            seen += 1
            if not _wanted(item, where):
                continue
            kept += 1
        yield _of_kind(item, kind)
    if seen and not kept:
        asked = "; ".join(f"{name} = {', '.join(map(str, values))}" for name, values in where.items())
        yield BadDocument(f"none of its {seen:,} documents has {asked}; mend `where`", file=opened.name)


def _of_kind(item: Item, kind: SourceKind) -> Item:
    return item.model_copy(update={"kind": kind}) if isinstance(item, Document) and item.kind != kind else item


def _wanted(document: Document, where: Wanted) -> bool:
    return all(not set(map(str, values)).isdisjoint(_values(document, name)) for name, values in where.items())


def _values(document: Document, name: str) -> tuple[str, ...]:
    """The values of a field of a document, or of its metadata."""
    if name in document.metadata:
        return document.metadata[name]
    own = getattr(document, name, None) if name in Document.model_fields else None
    if isinstance(own, tuple):
        return tuple(map(str, own))
    return () if own is None else (str(own),)
