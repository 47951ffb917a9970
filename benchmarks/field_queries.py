"""Queries of every field with other values than in the tests, checked with lxml alone, over all raw PubMed files.

    python benchmarks/field_queries.py [--seeds 20] [--first 1]

Prints of each seed how many replies are equal, declared or silently different, and every one that is not equal.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "kits"))
sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "pubmed"))

from test_field_queries import RAW, citations, compared

from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.faces.eutils.catalogue import SnapshotCatalogue


def main() -> None:
    """Build, ask and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seeds", type=int, default=20)
    options.add_argument("--first", type=int, default=1)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        build(Library(home), "raw", find_inputs([RAW], None))
        with Library(home).open("raw") as snapshot:
            catalogue = SnapshotCatalogue.open(snapshot, home)

            def searched(query: str) -> dict[str, Any]:
                found = catalogue.search(query, None, "newest", start=0, limit=5000, check=lambda: None)
                told = {"outputmessages": found.reading.notes}
                return {"idlist": found.ids, "querytranslation": found.reading.translation, "warninglist": told}

            every = citations([*RAW.iterdir()])
            for seed in range(chosen.first, chosen.first + chosen.seeds):
                rows = [*compared(every, searched, seed)]
                print(seed, len(rows), dict(Counter(state for _, state, _ in rows)), flush=True)
                for _, state, told in rows:
                    if state != "equal":
                        print(f"  {state} {told}")


if __name__ == "__main__":
    main()
