"""Text as it is printed: without what a terminal or a page must not get, and the small words of English around numbers
and lists.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from medground.pubmed.characters import spell_out_greek

# Text that is safe to show: a document must not move the cursor, recolour a terminal or reverse the reading order.

CONTROLS = (
    "\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f"  # C0 but tab and newline, DEL, C1: escape sequences begin with these
    "\\xad\\u061c\\u180e\\u200b\\u200e\\u200f"  # soft hyphen, marks of direction, zero width
    "\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb"  # line separators, direction, invisible operators
    "\\ud800-\\udfff"  # half a character, as in file names that are not UTF-8
    "\\U00013430-\\U0001343f\\U0001bca0-\\U0001bca3\\U0001d173-\\U0001d17a\\U000e0001\\U000e0020-\\U000e007f"
)
"""Characters that are not shown: categories Cc, Cf, Cs, Zl and Zp, but those that Arabic shows as signs."""
_JOINED = (
    "\\u0600-\\u0dff\\u0f00-\\u109f\\u1780-\\u18af"  # scripts whose letters change their form beside a joiner
    "\\u2190-\\u2bff\\ufe0f\\U0001f000-\\U0001faff"  # emoji
)
_JOINERS = f"(?<![{_JOINED}])[\\u200c\\u200d]|[\\u200c\\u200d](?![{_JOINED}])"
"""Joiners where they join nothing: inside `aspi<zero width>rin` they only hide that two words differ."""
HIDDEN = re.compile(f"[{CONTROLS}]|{_JOINERS}")
"""One character that must not reach a reader."""


def clean(text: str) -> str:
    """Text of the same length, in which each control character is a space; newlines and tabs stay."""
    return HIDDEN.sub(" ", text)


def in_strings(value: Any, change: Callable[[str], str]) -> Any:
    """A JSON value with `change` made to each string in it but the names of fields."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, (list, tuple)):
        return [change(one) if isinstance(one, str) else in_strings(one, change) for one in value]
    if type(value) is dict or isinstance(value, Mapping):
        return {key: in_strings(one, change) for key, one in value.items()}
    return value


def one_line(text: str) -> str:
    """Clean text of the same length on one line: a value with a line break must not look like two lines of output.

    Spaces that align columns stay.
    """
    return clean(text).replace("\n", " ")


_NOT_ASCII = re.compile(r"[^\x00-\x7f]")


@lru_cache(maxsize=256)
def without_accents(text: str) -> str:
    """Behcet for Behçet, TNF-alpha for TNF-α; compatible characters become one."""
    if text.isascii():
        return text
    apart = unicodedata.normalize("NFKD", spell_out_greek(text))
    return _NOT_ASCII.sub(lambda found: "" if unicodedata.combining(found[0]) else found[0], apart)


# Plain English: sentences with a capital and an end, and counts with their nouns.

_SENTENCE_START = re.compile(r"[a-z]+(?=[\s,;.]|: |$)")


def joined(text: str) -> str:
    """Clean text as one line, with one space between words."""
    return " ".join(clean(text).split())


def sentence(text: str) -> str:
    """Text that begins with a capital and ends with a full stop; names such as `openai:gpt-5` stay as they are."""
    text = joined(text)
    return ended(text[0].upper() + text[1:] if _SENTENCE_START.match(text) else text)


def ended(text: str) -> str:
    """Text with a full stop, unless it is empty or has an end of its own."""
    return text if not text or text.rstrip("”\"')]").endswith((".", "?", "!")) else text + "."


def some(count: int, one: str, many: str = "") -> str:
    """A count with its noun."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
