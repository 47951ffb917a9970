"""Make the package's list of retracted papers from a text file of PMIDs, one per line.

    python scripts/make_retracted.py PMIDS.txt [src/medground/data/retracted_pmids.txt.gz]

The output contains each PMID once, in order. The same list gives the same bytes.
"""

from __future__ import annotations

import argparse
import gzip
from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "src" / "medground" / "data" / "retracted_pmids.txt.gz"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path, help="text file of PMIDs, one per line")
    parser.add_argument("target", type=Path, nargs="?", default=TARGET, help="file to write")
    options = parser.parse_args()
    words = options.source.read_text(encoding="ascii").split()
    wrong = [word for word in words if not word.isdecimal()]
    if wrong:
        parser.error(f"{options.source} contains {wrong[0]!r}, which is not a PMID")
    pmids = sorted({int(word) for word in words})
    content = "".join(f"{pmid}\n" for pmid in pmids).encode("ascii")
    options.target.write_bytes(gzip.compress(content, compresslevel=9, mtime=0))
    print(f"{options.target}: {len(pmids):,} PMIDs, {options.target.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
