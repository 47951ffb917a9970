"""Make `src/medground/data/plain_words.txt.gz`: plain English words, and names of people and places.

    python scripts/make_plain_words.py /usr/share/dict

The lists are SCOWL's (Debian's packages wamerican and wbritish, small and large), Copyright 2000-2011 Kevin Atkinson,
with permission to use, copy, modify, distribute and sell them and the output created from them. A word of theirs is
never the name of a drug that we do not know. Of the words that only the large lists have, those in MeSH are left out.
"""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

from medground.pubmed.characters import american
from medground.pubmed.mesh import vocabulary

OUT = Path(__file__).resolve().parent.parent / "src" / "medground" / "data" / "plain_words.txt.gz"
SHORTEST = 4


def main(folder: Path) -> None:
    """Write the list."""
    more = _listed(folder, "-large")
    medical = {word for word in more if american(word) in vocabulary().words}
    plain = {word for word in _listed(folder, "-small") | (more - medical) if word.islower()}
    names = {word for word in more if word.istitle()}
    OUT.write_bytes(gzip.compress("\n".join(sorted(plain | names)).encode("utf-8"), mtime=0))
    print(f"{len(plain)} words, {len(names)} names, {OUT.stat().st_size} bytes")


def _listed(folder: Path, size: str) -> set[str]:
    texts = ((folder / f"{one}-english{size}").read_text(encoding="utf-8") for one in ("american", "british"))
    return {word for text in texts for word in text.split() if word.isalpha() and len(word) >= SHORTEST}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
