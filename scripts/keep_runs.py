"""Keep runs among the results without the texts of their data set, which are not ours to give away.

    python scripts/keep_runs.py RUN.jsonl ... --out experiments/results/local

What is left is facts: ids, gold and given answers, statuses, documents by id, cost, and the header with everything that
could change a run. `medground eval compare` and `medground eval report` read the kept files as they read the runs.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from medground.evaluate.manifest import differences
from medground.evaluate.runs import read_run

WITHOUT = {"question": "", "text": "", "error": "", "trace": ""}


def keep(path: Path, folder: Path) -> Path:
    """Write one run without texts, under its recipe's name; over an earlier state of the same run only.

    Raises:
        SystemExit: another run of that name is kept there.
    """
    header, lines = read_run(path)
    place = folder / f"{header.dataset}_{header.recipe}.jsonl"
    if place.is_file() and (other := differences(read_run(place)[0], header)):
        sys.exit(f"{place} holds another run ({'; '.join(other.values())}); name another folder with --out")
    without = [line.model_copy(update=WITHOUT) for line in sorted(lines, key=lambda line: line.id)]
    kept = [header.model_dump_json(), *(line.model_dump_json(exclude_defaults=True) for line in without)]
    folder.mkdir(parents=True, exist_ok=True)
    place.write_text("".join(f"{one}\n" for one in kept), encoding="utf-8")
    return place


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=Path, nargs="+", metavar="RUN")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    for path in options.runs:
        print(f"{path.name} kept as {keep(path, options.out)}")


if __name__ == "__main__":
    main()
