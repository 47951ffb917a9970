"""Make the table of retractions that ships from a file of PMIDs and a table of DOIs.

    python scripts/make_retracted.py PMIDS.txt DOIS.tsv[.gz] --month 2026-08 [src/medground/data/retracted.tsv.gz]

PMIDS.txt has one PMID per line. DOIS.tsv has the columns `doi`, `notice_doi` and `nature` (`retraction` or `concern`)
among others; `--month` is that of its newest row. The same files give the same bytes.
"""

from __future__ import annotations

import argparse
import csv
import gzip
from pathlib import Path

from medground.corpus.retraction_table import Nature, Row, packed
from medground.values.identifiers import normal_doi

TARGET = Path(__file__).resolve().parent.parent / "src" / "medground" / "data" / "retracted.tsv.gz"
NATURES: dict[str, Nature] = {"retraction": "retracted", "concern": "concern"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pmids", type=Path, help="text file of PMIDs, one per line")
    parser.add_argument("dois", type=Path, help="table of DOIs with the nature of each notice")
    parser.add_argument("--month", required=True, help="month of the newest row, such as 2026-08")
    parser.add_argument("target", type=Path, nargs="?", default=TARGET, help="file to write")
    options = parser.parse_args()
    rows: list[Row] = []
    for word in options.pmids.read_text(encoding="ascii").split():
        if not word.isdecimal():
            parser.error(f"{options.pmids} contains {word!r}, which is not a PMID")
        rows.append(Row((f"pmid:{int(word)}",), "retracted"))
    opened = gzip.open if options.dois.suffix == ".gz" else open
    with opened(options.dois, "rt", encoding="utf-8") as table:
        for row in csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE):
            doi, nature = normal_doi(row["doi"]), NATURES.get(row["nature"])
            if doi is None or nature is None:
                parser.error(
                    f"{options.dois} contains {row['doi']!r} ({row['nature']}), which is no DOI or has no nature"
                )
            notice = normal_doi(row["notice_doi"])
            rows.append(Row((f"doi:{doi}",), nature, f"doi:{notice}" if notice else ""))
    options.target.write_bytes(packed(rows, options.month))
    print(f"{options.target}: {len(rows):,} rows, {options.target.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
