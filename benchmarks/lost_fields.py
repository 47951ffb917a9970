"""Which fields of a folder of files, such as the test files of reference managers, are lost in reading, by form.

The files of a form lie in a folder with its name: `ris`, `nbib`, `wos`, `enw`, `medline`, `jats`, `bibtex`, `csl`,
`csv`. What they hold is told by the naive reader of the tests.

    python benchmarks/lost_fields.py FOLDER [--list]
"""

from __future__ import annotations

import csv
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "kits"))

from fields_held import FORMS, Held, became, fields_held

from medground.corpus.readers import find_inputs
from medground.corpus.readers.compose import text_of
from medground.errors import BadDocument

_NAMES = dict.fromkeys(("author", "authors"), "author") | {"abstract": "text", "container-title": "journal"}
_NAMES |= {name: name for name in ("title", "year", "journal", "doi", "pmid")}
_ENTRY = re.compile(r"^[ \t]*@(?!comment|string|preamble)\w+\s*\{", re.IGNORECASE | re.MULTILINE)
_FIELD = re.compile(r"[,\n{]\s*(\w+)\s*=\s*(?=[{\"\d])")


def _objects(text: str) -> Iterator[Held]:
    content = json.loads(text)
    for number, record in enumerate(content if isinstance(content, list) else [content], start=1):
        for name, value in record.items():
            for one in value if isinstance(value, list) else [value]:
                said = one.get("family") or one.get("literal") if isinstance(one, dict) else one
                yield number, _NAMES.get(name.casefold(), ""), str(said or "")


def _rows(text: str) -> Iterator[Held]:
    rows = csv.reader(text.splitlines(keepends=True), csv.Sniffer().sniff(text[:9999], ",;\t"))
    kinds, line = [_NAMES.get(name.strip("\ufeff ").casefold(), "") for name in next(rows)], rows.line_num + 1
    for row in rows:
        yield from ((line, kind, value) for kind, value in zip(kinds, row, strict=False))
        line = rows.line_num + 1


def _entries(text: str) -> Iterator[Held]:
    starts = [found.start() for found in _ENTRY.finditer(text)]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=False):
        for found in _FIELD.finditer(text, start, end):
            kind = _NAMES.get(found[1].casefold(), "")
            yield text.count("\n", 0, start) + 1, kind, _closed(text[found.end() : end]) if kind else ""


def _closed(text: str) -> str:
    """A value in braces or quotes, or a number."""
    depth = 0
    for at, letter in enumerate(text):
        depth += {"{": 1, "}": -1}.get(letter, 0)
        if depth == 0 and at and letter == {"{": "}", '"': '"'}.get(text[0]):
            return text[1:at]
    return re.split(r"[,}\n]", text)[0]


OTHERS = {"bibtex": _entries, "csl": _objects, "csv": _rows}


def held_in(text: str, form: str) -> Iterator[Held]:
    """The fields of each record of a text, in whichever form."""
    if form in FORMS:
        yield from fields_held(text, form)
        return
    for record, kind, value in OTHERS[form](text):
        for one in re.split(r"[;|]|\s+and\s+", value) if kind == "author" else [value]:
            if kind and (said := " ".join(one.split())) and said != "others":
                yield record, kind, said


def main(folder: Path, *, listed: bool) -> None:
    """Print how many fields were read, moved, told with a record that is not read, and lost without a word."""
    print("| form | files | fields | read | in another field | told | lost |\n|---|---|---|---|---|---|---|")
    for form in sorted(path for path in folder.iterdir() if path.is_dir()):
        counts: Counter[str] = Counter()
        for path in sorted(form.iterdir()):
            try:
                held = list(held_in(text_of(path).lstrip("\ufeff"), form.name))
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
