"""Make the package's list of retracted papers from a file of PMIDs and a table of DOIs.

    python scripts/make_retracted.py PMIDS.txt DOIS.tsv[.gz] [src/medground/data/retracted.txt.gz]

PMIDS.txt has one PMID per line. DOIS.tsv has the columns `doi` and `nature` (`retraction` or `concern`) among others.
The output names each paper once, in order, as `Document.paper` does: the retracted ones, a blank line, and those with
an expression of concern. The same files give the same bytes.
"""

from __future__ import annotations

import argparse
import csv
import gzip
from pathlib import Path

from medground.values.identifiers import normal_doi

TARGET = Path(__file__).resolve().parent.parent / "src" / "medground" / "data" / "retracted.txt.gz"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pmids", type=Path, help="text file of PMIDs, one per line")
    parser.add_argument("dois", type=Path, help="table of DOIs with the nature of each notice")
    parser.add_argument("target", type=Path, nargs="?", default=TARGET, help="file to write")
    options = parser.parse_args()
    papers: dict[str, set[str]] = {"retraction": set(), "concern": set()}
    for word in options.pmids.read_text(encoding="ascii").split():
        if not word.isdecimal():
            parser.error(f"{options.pmids} contains {word!r}, which is not a PMID")
        papers["retraction"].add(f"pmid:{int(word)}")
    opened = gzip.open if options.dois.suffix == ".gz" else open
    with opened(options.dois, "rt", encoding="utf-8") as table:
        for row in csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE):
            doi, nature = normal_doi(row["doi"]), row["nature"]
            if doi is None or nature not in papers:
                parser.error(f"{options.dois} contains {row['doi']!r} ({nature}), which is not a DOI or has no nature")
            papers[nature].add(f"doi:{doi}")
    parts = (papers["retraction"], papers["concern"] - papers["retraction"])
    content = "\n\n".join("\n".join(sorted(part)) for part in parts)
    options.target.write_bytes(gzip.compress(content.encode(), compresslevel=9, mtime=0))
    print(f"{options.target}: {sum(map(len, parts)):,} papers, {options.target.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
