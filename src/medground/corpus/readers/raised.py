"""What a raised text means in print: an exponent, a citation, or a part of the word."""

from __future__ import annotations

import re
from typing import Literal

_CITED = re.compile(r"\[?\d{1,3}(?:\s?[,;\u2013\u2212-]\s?\d{1,3})*,?\]?")
_EXPONENT = re.compile(r"[-+\u2212\u2013]?\d+(?:\.\d+)?")
_UNIT = re.compile(r"(?:^|[\s/(\u00b7*])(?:[kcmnd\u00b5\u03bc]?m|[kc]g|[a-zA-Z]|mm|min|sec|\u03c7|chi|[A-Z]{1,2}O)$")
"""What carries an exponent or an index, not a citation: m2, kg/m2, R2, x2."""


def meaning(said: str, before: str) -> Literal["exponent", "citation", "text"]:
    """What a raised text means after the text before it: `10^6`, `mortality [1,2]`, or `m2` and `1st`."""
    said = said.strip()
    if before[-1:].isdigit() and _EXPONENT.fullmatch(said):
        return "exponent"
    return "citation" if _CITED.fullmatch(said) and not _UNIT.search(before) else "text"


def written(said: str, before: str) -> str:
    """A raised text as plain text: an exponent gets its sign, a citation is left out, as in our XML."""
    meant = meaning(said, before)
    return f"^{said.strip()}" if meant == "exponent" else "" if meant == "citation" else said
