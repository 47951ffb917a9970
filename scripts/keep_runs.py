"""Copy runs to the kept results without the texts of their data set, which we may not redistribute.

    python scripts/keep_runs.py RUN.jsonl ... --out experiments/results/local

Kept are facts: ids, gold and given answers, statuses, document ids, cost, and the header with everything that could
change a run. `medground eval compare` and `medground eval report` read the kept files like any run.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from medground_evaluate.run_file import differences, read_run

WITHOUT = {"question": "", "text": "", "error": "", "trace": ""}


def keep(path: Path, folder: Path) -> Path:
    """Write one run without texts, named after its data set and recipe. May replace an earlier state of the same run.

    Raises:
        SystemExit: a different run is kept there under that name.
    """
    header, lines = read_run(path)
    target = folder / f"{header.dataset}_{header.recipe}.jsonl"
    if target.is_file() and (other := differences(read_run(target)[0], header)):
        sys.exit(f"{target} is a different run ({'; '.join(other.values())}); choose another folder with --out")
    without = [line.model_copy(update=WITHOUT) for line in sorted(lines, key=lambda line: line.id)]
    kept = [header.model_dump_json(), *(line.model_dump_json(exclude_defaults=True) for line in without)]
    folder.mkdir(parents=True, exist_ok=True)
    target.write_text("".join(f"{one}\n" for one in kept), encoding="utf-8")
    return target


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=Path, nargs="+", metavar="RUN")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    for path in options.runs:
        print(f"{path.name} kept as {keep(path, options.out)}")


if __name__ == "__main__":
    main()
