"""The packaged table of MeSH, and a heading of it."""

import gzip
import zlib
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from medground.errors import SnapshotCorrupt

_COLUMNS = 4


@dataclass(frozen=True, slots=True)
class Heading:
    """A MeSH heading: ID (`D008382`), name (`Marfan Syndrome`), entry terms and tree numbers (`C05.116.099.674`)."""

    id: str
    name: str
    entry_terms: tuple[str, ...] = ()
    trees: tuple[str, ...] = ()

    @property
    def is_publication_type(self) -> bool:
        """Whether the heading describes what a record is, not what it is about."""
        return bool(self.trees) and all(tree.startswith("V") for tree in self.trees)


@dataclass(frozen=True, slots=True)
class Table:
    """The columns of the table. Entry terms and tree numbers are still joined by `|`."""

    ids: tuple[str, ...]
    names: tuple[str, ...]
    entry_terms: tuple[str, ...]
    trees: tuple[str, ...]

    def heading(self, number: int) -> Heading:
        """Return the heading of a line."""
        terms, trees = self.entry_terms[number], self.trees[number]
        return Heading(
            id=self.ids[number],
            name=self.names[number],
            entry_terms=tuple(terms.split("|")) if terms else (),
            trees=tuple(trees.split("|")) if trees else (),
        )


def read_table(path: Path | None = None) -> Table:
    """Read the packaged table, or another one in the same format.

    Raises SnapshotCorrupt: the file is not a valid table.
    """
    stored = path or resources.files("medground") / "data" / "mesh.tsv.gz"
    try:
        text = gzip.decompress(stored.read_bytes()).decode("utf-8")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as failure:
        raise SnapshotCorrupt(f"the MeSH table cannot be read ({failure}); reinstall medground") from failure
    # Slice one flat list: splitting each of 30,000 lines separately would take twice as long.
    cells = text.replace("\n", "\t").split("\t")
    ids = tuple(cells[0::_COLUMNS])
    if len(cells) % _COLUMNS or len(ids) != text.count("\n") + 1 or not all(id_.startswith("D") for id_ in ids):
        raise SnapshotCorrupt("the MeSH table has a line without four columns; reinstall medground")
    return Table(ids, tuple(cells[1::_COLUMNS]), tuple(cells[2::_COLUMNS]), tuple(cells[3::_COLUMNS]))
