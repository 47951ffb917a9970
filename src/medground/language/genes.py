"""The human protein-coding genes by their symbols and other names."""

import gzip
import re
from collections import Counter
from functools import cache
from importlib import resources

CODE = re.compile(r"(?=.*\d)(?=.*[^\W\d_])|\w+[A-Z]")
"""A word with a digit or a capital inside."""


def gene_names(name: str) -> tuple[str, ...]:
    """The symbol and the other codes of the one human gene that a code names; none where it names none, or several."""
    found = _genes().get(name.casefold(), ())
    return tuple(one for one in found if one.casefold() != name.casefold() and CODE.match(one) and len(one) > 2)


@cache
def gene_table() -> list[tuple[str, ...]]:
    """The human protein-coding genes: of each its symbol, then its other names."""
    stored = gzip.decompress((resources.files("medground") / "data" / "genes.tsv.gz").read_bytes()).decode("utf-8")
    return [tuple(filter(None, re.split(r"[\t|]", line))) for line in stored.splitlines()]


@cache
def _genes() -> dict[str, tuple[str, ...]]:
    rows = gene_table()
    symbols = {row[0].casefold() for row in rows}
    count = Counter(name.casefold() for row in rows for name in row)
    return {
        name.casefold(): row
        for row in rows
        for name in row
        if name == row[0] or (count[name.casefold()] == 1 and name.casefold() not in symbols)
    }
