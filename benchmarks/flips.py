"""Random flips of one bit in the files of a corpus: what `verify` sees, and what a search does with them.

    python benchmarks/flips.py --home HOME --corpus NAME [--count 300] [--question TEXT]

A corpus is copied; each flip is drawn from its number: a file of its state, and a bit of it. Then the corpus is
searched by words and vectors and verified, each by the command line, and the file is restored. Two ways, in turn:

- `written`: by another program, within a day of the last comparison with the sums, with the time of change put back;
- `rotten`: in a state whose sums were not compared within the day, as a disk that rots does it.

What a disk does to a file within a day of the comparison cannot be made here: it is promised to be seen by `verify`.

A search that prints something else than before, and no error, is `silent`: what must not be.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import random
import shutil
import tempfile
from collections import Counter
from pathlib import Path

from medground.corpus.library import Library
from medground.corpus.manifest import CHECKED
from medground.faces.cli.app import main as medground

WAYS = ("written", "rotten")
CRASHES = ("Traceback", "internal error")


def said(*words: str) -> tuple[int, str]:
    """How a command ends, and all that it prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            medground([*words])
        except SystemExit as stopped:
            return int(stopped.code or 0), out.getvalue()
    return 0, out.getvalue()


def flip(path: Path, bit: int, times: tuple[int, int]) -> None:
    """Flip a bit, and put the times of before back."""
    content = bytearray(path.read_bytes())
    content[bit // 8] ^= 1 << bit % 8
    path.write_bytes(content)
    os.utime(path, ns=times)


def outcome(before: tuple[int, str], now: tuple[int, str]) -> str:
    """What became of a search."""
    if any(word in now[1] for word in CRASHES):
        return "crashed"
    if now[0]:
        return "told"
    return "same" if now == before else "silent"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--corpus", required=True)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--question", default="Does exercise lower blood pressure?")
    options = parser.parse_args()
    found: Counter[tuple[str, str, str]] = Counter()
    with tempfile.TemporaryDirectory() as place:
        home = Path(place)
        os.environ["MEDGROUND_HOME"] = str(home)
        (home / "models").symlink_to((options.home / "models").resolve())
        shutil.copytree(options.home / "corpora" / options.corpus, home / "corpora" / options.corpus)
        state = Library(home).current(options.corpus)
        files = sorted(p for p in state.rglob("*") if p.is_file() and p.stat().st_size and p.name != CHECKED)
        search = ("corpus", "search", options.corpus, options.question)
        before = said(*search)
        for number in range(options.count):
            way, draw = WAYS[number % len(WAYS)], random.Random(number)
            path = draw.choice(files)
            good, stat = path.read_bytes(), path.stat()
            said(*search)  # its sums are compared, and that is remembered
            if way == "rotten":
                (state / CHECKED).unlink(missing_ok=True)
            times = (stat.st_atime_ns, stat.st_mtime_ns)
            flip(path, draw.randrange(len(good) * 8), times)
            searched, (code, _) = outcome(before, said(*search)), said("corpus", "verify", options.corpus)
            found[way, path.suffix or path.name, searched] += 1
            found[way, path.suffix or path.name, "seen by verify"] += bool(code)
            found[way, "all", searched] += 1
            found[way, "all", "seen by verify"] += bool(code)
            path.write_bytes(good)
            os.utime(path, ns=times)
    heads = ("told", "same", "silent", "crashed")
    print("| way | file | flips |", *(f"search: {head} |" for head in heads), "seen by verify |")
    print("| --- " * (len(heads) + 4) + "|")
    for way, name in sorted({key[:2] for key in found}):
        counts = [found[way, name, head] for head in heads]
        print("|", *(f"{cell} |" for cell in (way, name, sum(counts), *counts, found[way, name, "seen by verify"])))


if __name__ == "__main__":
    main()
