"""Change the passages, words and vectors of a snapshot's copy at the price of what changed.

Passage numbers stay without gaps: new passages take the numbers of removed ones, and what is left over is filled with
the last passages. In the word index a removed passage still counts in the statistics of its words, so a snapshot that
was patched has a hash of its own, and once a fifth of the passages was removed the index is made anew.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from medground.corpus.chunk import chunk
from medground.corpus.embedding.base import Embedder, embed_passages
from medground.corpus.lexical import LexicalWriter
from medground.corpus.phases import embedded, link_tree
from medground.corpus.snapshot import LEXICAL, Snapshot
from medground.corpus.tables import PassageRow
from medground.corpus.writer import DatabaseWriter
from medground.document import Document

_RENEW_ABOVE = 0.2
_TEXTS = 256


@dataclass
class Patched:
    """What became of the passages.

    Attributes:
        added: new passages with their documents.
        moved: for each passage that was moved, its number before and now.
        removed: passages that the word index still counts, since it was made.
        origin: hash of the snapshot from which passages were last removed, if the word index still counts any.
    """

    added: list[tuple[PassageRow, Document]] = field(default_factory=list)
    moved: list[tuple[int, int]] = field(default_factory=list)
    removed: int = 0
    origin: str = ""


def patch_passages(database: DatabaseWriter, base: Snapshot, folder: Path, limit: int) -> Patched:
    """Cut the new documents, give every passage a number, and bring the word index up to date."""
    freed = sorted(database.freed)
    amended = database.cut_and_amended()
    origin = base.manifest.hash if freed or amended else base.manifest.origin
    patched = Patched(removed=base.manifest.removed + len(freed), origin=origin)
    free = iter(freed)
    following = base.manifest.counts.passages
    for parent, document in database.uncut():
        for passage in chunk(document, limit):
            number = next(free, None)
            if number is None:
                number, following = following, following + 1
            row = PassageRow(number, parent, passage.start, passage.end, passage.section)
            patched.added.append((row, document))
    database.place(row for row, _ in patched.added)
    moving = database.fill(list(free))
    patched.moved = [(old, new) for old, new, _ in moving]
    replaced = {document for _, _, document in moving}.union(amended)
    total = database.passage_count()
    if base.has_metadata and patched.removed + sum(amended.values()) <= _RENEW_ABOVE * total:
        link_tree(base.folder / LEXICAL, folder / LEXICAL)
        again = [entry for document in sorted(replaced) for entry in database.passages_of(document)]
        gone = [*database.gone, *dict.fromkeys(document.id for _, document in again)]
        _write_words(folder, gone, [*patched.added, *again])
        patched.removed += len(again)  # moved passages are removed, and added under their new numbers
    else:
        _write_words(folder, (), database.passages_from(0))
        patched.removed, patched.origin = 0, ""
    return patched


def patch_vectors(patched: Patched, total: int, base: Snapshot, folder: Path, embedder: Embedder) -> None:
    """Copy the vectors of the earlier snapshot, and give the new passages theirs; `total` is the number of passages."""
    import numpy as np

    from medground.corpus.vectors import FILE_NAME, check_vectors

    before = base.vectors()
    shutil.copyfile(base.folder / FILE_NAME, folder / FILE_NAME)
    row = 2 * embedder.dimensions
    with (folder / FILE_NAME).open("r+b") as file:

        def write(numbers: Iterable[int], vectors: np.typing.NDArray[np.floating]) -> None:
            for number, vector in zip(numbers, np.ascontiguousarray(vectors, dtype="<f2"), strict=True):
                file.seek(number * row)
                file.write(vector.tobytes())

        for first in range(0, len(patched.moved), _TEXTS):
            moved = patched.moved[first : first + _TEXTS]
            write([new for _, new in moved], before.take(np.array([old for old, _ in moved], dtype=np.int64)))
        for first in range(0, len(patched.added), _TEXTS):
            added = patched.added[first : first + _TEXTS]
            made = embed_passages(embedder, [embedded(one, document) for one, document in added])
            check_vectors(made, embedder.dimensions)
            write([one.number for one, _ in added], made)
        file.truncate(total * row)


def _write_words(folder: Path, gone: Iterable[str], entries: Iterable[tuple[PassageRow, Document]]) -> None:
    with LexicalWriter.open(folder / LEXICAL) as words:
        for document_id in gone:
            words.delete(document_id)
        for row, document in entries:
            words.add(row, document)
        words.finish()
