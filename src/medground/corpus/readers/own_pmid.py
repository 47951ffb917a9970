"""The PMID that a text gives as its own, and not as that of a paper which it cites."""

from __future__ import annotations

import re
from collections.abc import Iterable

from medground.identifiers import pmid_in_address

_NAMED = r"\b(?:(?:PubMed )?PMID|PubMed(?: ID)?)\s?[:#]?\s?(\d{4,8})\b"
_OTHERS = r"(?:[\s;,.|()\[\]]|\bPMCID:?\s?PMC\d+|\bdoi:?\s?10\.\S+|https?://\S+|\[?PubMed - indexed for MEDLINE\]?)*"
_ALONE = re.compile(rf"{_OTHERS}{_NAMED}{_OTHERS}", re.IGNORECASE)
_CITED_AS = re.compile(rf"[A-Z][^;]{{1,80}}\b\d{{4}}\b[^;]{{0,12}};.{{0,160}}?{_NAMED}{_OTHERS}")
"""As databases print a record: `Thorax. 2011 Jan;66(1):1-9. doi: 10.1136/x. PMID: 12345678`."""
_LONGEST = 300


def own_pmid(lines: Iterable[str]) -> str | None:
    """The PMID of the paper itself, from a line that names nothing else; None if there is none, or more than one."""
    found = {pmid for line in lines if (pmid := _in_line(" ".join(line.split())))}
    return found.pop() if len(found) == 1 else None


def _in_line(line: str) -> str | None:
    if len(line) > _LONGEST:
        return None
    if match := _ALONE.fullmatch(line) or _CITED_AS.fullmatch(line):
        return match[1]
    return pmid_in_address(line)
