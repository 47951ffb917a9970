"""Year, journal and identifiers of a paper, from what its first page and its running heads say.

What nobody says stays empty. The date on which the file was made is not a year of publication.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"<>\u201c\u201d]+")
_PMID = re.compile(r"\bPMID:?\s*(\d{4,8})\b")
_PMC = re.compile(r"\bPMC\s?(\d{4,9})\b")
_YEAR = r"((?:19|20)\d\d)"
_YEARS = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        rf"\bpublished(?: online)?(?: on)?:?\s*[^.;]{{0,25}}?\b{_YEAR}\b",
        rf"\bposted(?: online)?(?: on)?:?\s*[^.;]{{0,25}}?\b{_YEAR}\b",
        rf"\b{_YEAR}\s*[;,:]\s*(?:\d+|vol)",
        rf"\bvol(?:ume|\.)?\s*\d+[^;]{{0,40}}?\b{_YEAR}\b",
        rf"(?:©|\(c\)|copyright)\s*(?:the author\(?s?\)?\s*)?{_YEAR}\b",
        rf"\b\d+\s*\({_YEAR}\)",
        rf"\(\s*{_YEAR}\s*\)",
        rf"\b{_YEAR}\b",
    )
)
"""Where a year is, the surest first: the last is a year by itself, in a line above the title."""
_JOURNAL = re.compile(
    r"^(?P<name>[A-Z][^\d|,;()\u2022\u00b7]{2,80}?)[\s,.;(|\u2022\u00b7]+"
    rf"(?:vol\w*\.?\s*\d+[^\d]{{1,14}}|published )?{_YEAR}\b",
    re.I,
)
_PREPRINT = re.compile(
    r"\b(medRxiv|bioRxiv|Research Square|arXiv|SSRN|Preprints\.org|OSF Preprints)\b[^.]{0,20}preprint"
)
_NO_JOURNAL = re.compile(
    r"received|accepted|published|copyright|©|et al|authors?$|"
    r"^(?:vol\w*|no|issue|january|february|march|april|may|june|july|august|september|october|november|december|"
    r"page|doi|https?)\b",
    re.I,
)


def year_of(said: Sequence[str], first_page: str) -> int | None:
    """The year of publication; that of receipt does not count."""
    for pattern in _YEARS[:-1]:
        for text in (*said, first_page):
            if found := pattern.search(text):
                return int(found[1])
    plain = (text for text in said[:4] if not re.search(r"received|accepted|revised", text, re.I))
    return next((int(found[1]) for text in plain if (found := _YEARS[-1].search(text))), None)


def journal_of(said: Sequence[str]) -> str | None:
    """The journal, or the server of a preprint."""
    if posted := next((found[1] for text in said if (found := _PREPRINT.search(text))), None):
        return posted
    for text in said:
        for part in (text, *re.split(r"\s[|\u2022\u00b7]\s", text)):
            found = _JOURNAL.match(part.strip())
            if found and not _NO_JOURNAL.search(found["name"]):
                return found["name"].strip(" .,-\u2013")
    return None


def identifiers_of(said: Sequence[str], first_page: str = "", pmid: str | None = None) -> dict[str, str]:
    """DOI, PMID and PMC id, each the first that is said.

    Args:
        said: what stands above the text and in the margins, and what the file says of itself.
        first_page: the text; a PMID in it may be that of a paper which it cites.
        pmid: what a line of the first page gives as its own.
    """
    found = {"pmid": pmid} if pmid else {}
    for text in (*said, first_page):
        if "doi" not in found and (doi := _doi(text)):
            found["doi"] = doi
        for kind, pattern, prefix in (("pmid", _PMID, ""), ("pmc", _PMC, "PMC")):
            if kind == "pmid" and text is first_page:
                continue
            if kind not in found and (match := pattern.search(text)):
                found[kind] = prefix + match[1]
    return found


def _doi(text: str) -> str:
    """The first DOI, made whole where a line end broke it; one that stays without any digit is none."""
    for match in _DOI.finditer(text):
        value = match[0]
        broken = value[-1] in "-/_" or (value[-1] == "." and not re.search(r"/.*\d", value))
        if broken and (rest := re.match(r"\s(\S*\d\S*)", text[match.end() :])):
            value += rest[1]
        value = value.rstrip(".,;:)]}\u201d'").lower()
        if re.search(r"/.*\d", value):
            return value
    return ""
