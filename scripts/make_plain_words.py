"""Make `src/medground/data/plain_words.txt.gz`: plain English words that other lists lack.

    python scripts/make_plain_words.py /usr/share/dict/american-english-small /usr/share/dict/british-english-small

The lists are SCOWL's (Debian's packages wamerican-small and wbritish-small), Copyright 2000-2011 Kevin Atkinson, with
permission to use, copy, modify, distribute and sell them and the output created from them. A word of theirs is never
the name of a drug that we do not know. Words that the other lists know already are left out.
"""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

from medground.language import words
from medground.language.risk.notices import people_say

OUT = Path(__file__).resolve().parent.parent / "src" / "medground" / "data" / "plain_words.txt.gz"
SHORTEST = 4


def main(sources: list[str]) -> None:
    """Write the list."""
    found = {word for source in sources for word in Path(source).read_text(encoding="utf-8").split()}
    plain = [word for word in sorted(found) if word.isalpha() and word.islower() and len(word) >= SHORTEST]
    rare = [word for word in plain if words.weight(words.stem(word)) >= words.MOST and not people_say(word)]
    OUT.write_bytes(gzip.compress("\n".join(rare).encode("utf-8"), mtime=0))
    print(f"{len(rare)} words, {OUT.stat().st_size} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
