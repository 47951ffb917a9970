"""Plain English words, and names of people and places: what is not the name of a disease or a drug that we do not know.

The list is made by `scripts/make_plain_words.py`. Words that the model of risk has learned are not among them: what
that model learns must not change which questions are refused.
"""

import functools
import gzip
from importlib import resources


def is_plain(word: str) -> bool:
    """Whether a lower-case word is plain English, or the name of a person or a place."""
    return word in plain_words()


@functools.cache
def plain_words() -> frozenset[str]:
    """Plain English words, in lower case, and names of people and places."""
    stored = (resources.files("medground") / "data" / "plain_words.txt.gz").read_bytes()
    return frozenset(gzip.decompress(stored).decode("utf-8").split())
