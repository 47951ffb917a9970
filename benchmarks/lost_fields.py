"""Which fields of a folder of files, such as the test files of reference managers, are lost in reading, by form.

The files of a form lie in a folder with its name: `ris`, `nbib`, `wos`, `enw`, `medline`, `jats`, `bibtex`, `csl`,
`csv`. What they hold is told by the naive reader of the tests.

    python benchmarks/lost_fields.py FOLDER [--list]
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "kits"))

from fields_held import became, fields_held

from medground.corpus.readers import find_inputs
from medground.corpus.readers.compose import text_of
from medground.errors import BadDocument


def main(folder: Path, *, listed: bool) -> None:
    """Print how many fields were read, moved, told with a record that is not read, and lost without a word."""
    print("| form | files | fields | read | in another field | told | lost |\n|---|---|---|---|---|---|---|")
    for form in sorted(path for path in folder.iterdir() if path.is_dir()):
        counts: Counter[str] = Counter()
        for path in sorted(form.iterdir()):
            try:
                held = list(fields_held(text_of(path).lstrip("\ufeff"), form.name))
            except (ValueError, SyntaxError, BadDocument) as error:
                print(f"{path.name}: the naive reader cannot read it ({error})", file=sys.stderr)
                continue
            items: list[Any] = []
            try:
                items += [item for one in find_inputs([path]) for item in one.read(0)]
            except BadDocument as error:
                items.append(error)
            counts["files"] += bool(held)
            for what, one in became(held, items):
                counts[what] += 1
                if listed and what != "read":
                    print(what, path.name, *one)
        total = sum(counts[what] for what in ("read", "moved", "told", "lost"))
        shown = (counts["files"], total, counts["read"], counts["moved"], counts["told"], counts["lost"])
        print(f"| {form.name} | {' | '.join(f'{count:,}' for count in shown)} |")


if __name__ == "__main__":
    main(Path(sys.argv[1]), listed="--list" in sys.argv)
