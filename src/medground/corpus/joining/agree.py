"""Whether a record is the one of a document: their titles decide, because a PDF may show the DOI of another paper.

Measured on the titles of 194 articles against those of the 5,028 papers that they cite: `benchmarks/joining.py`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rapidfuzz import fuzz

from medground.corpus.joining.base import Outcome
from medground.document import Document

_ALIKE = 75.0
"""Titles with this share of letters in common, in order, are those of one paper."""
_SURE = 95.0
"""Below this, the years must agree too."""
_YEARS_APART = 1
"""A paper that is online in one year may be printed in the next."""
_BEGINNING = 25
"""So many letters of a title are enough to recognise it where the other has its subtitle, too."""
_NO_TITLE = 20
"""What has fewer letters may be the heading of a journal ("Research article"): the text is looked at, too."""
_SHOWN = 40
"""A title of so many letters is recognised at the start of a text."""
_START = 2000
"""Characters."""
_PREFIX = re.compile(r"\W*(?:retracted|withdrawn)(?: article| paper)?\s*[:\]]", re.IGNORECASE)
_TRANSLATED = re.compile(r"\s*\[.*\]\W*", re.DOTALL)


def decide(document: Document, matches: Sequence[Document]) -> tuple[Outcome, Document | None]:
    """The record of a document among those that share an id with it, or why there is none."""
    names = set(document.paper)
    if not names:
        return "no id", None
    if not matches:
        return "not found", None
    agreeing = [record for record in matches if agrees(document, record)]
    if not agreeing:
        return "title", None
    common = {r.id: (len(names & set(r.paper)), r.id.startswith("PMID:")) for r in agreeing}
    best = max(common.values())
    chosen = [record for record in agreeing if common[record.id] == best]
    return ("joined", chosen[0]) if len(chosen) == 1 else ("several", None)


def agrees(document: Document, record: Document) -> bool:
    """Whether the title of a record does not plainly disagree with what a document says."""
    own, other = _letters(document.title), _letters(record.title)
    if not other:
        return True
    if len(own) < _NO_TITLE and _is_shown(other, document):
        return True
    if not own:
        return not document.lines  # the ids of a PDF are read off its first page, so they need a title beside them
    alike = fuzz.ratio(own, other)
    short, long = sorted((own, other), key=len)
    if alike >= _SURE or (len(short) >= _BEGINNING and long.startswith(short)):
        return True
    if _TRANSLATED.fullmatch(record.title) and alike < _ALIKE:
        return _share_an_author(document, record)
    return alike >= _ALIKE and _same_time(document, record)


def _is_shown(title: str, document: Document) -> bool:
    return len(title) >= _SHOWN and fuzz.partial_ratio(title, _letters(document.text[:_START])) >= _SURE


def _same_time(document: Document, record: Document) -> bool:
    return document.year is None or record.year is None or abs(document.year - record.year) <= _YEARS_APART


def _share_an_author(document: Document, record: Document) -> bool:
    """For a title that the record has only in translation: whether a family name is in both lists of authors."""
    return bool(_families(document) & _families(record))


def _families(document: Document) -> set[str]:
    return {_letters(re.split(r"[\s,]", author.strip())[0]) for author in document.authors} - {""}


def _letters(title: str) -> str:
    return re.sub(r"[\W_]+", "", _PREFIX.sub("", title, count=1).casefold())
