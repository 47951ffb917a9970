"""What is no evidence whatever it says: retracted papers, and notices about other papers. They are set aside before
reading, and shown.

A retraction notice, an expression of concern and an erratum repeat what a paper claimed in order to take it back, to
doubt it or to correct it. A record names its kind as its type, or in its title only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Protocol

from medground.document import Hit, Retraction

RETRACTED = "retracted"
NOTICE = "a retraction notice"
CONCERN = "an expression of concern"
ERRATUM = "an erratum"

_STATES: Mapping[Retraction, str] = {"retracted": RETRACTED, "notice": NOTICE}
_TYPES: Mapping[str, str] = {
    "retracted publication": RETRACTED,
    "retracted-article": RETRACTED,
    "retraction of publication": NOTICE,
    "retraction notice": NOTICE,
    "retraction": NOTICE,
    "expression of concern": CONCERN,
    "expression-of-concern": CONCERN,
    "published erratum": ERRATUM,
    "erratum": ERRATUM,
    "correction": ERRATUM,
}
_TITLES: Mapping[str, re.Pattern[str]] = {
    RETRACTED: re.compile(r"\W*(?:retracted|withdrawn)(?: article| paper)?\s*[:\]]", re.IGNORECASE),
    NOTICE: re.compile(
        r"\W*(?:(?:notice|statement) of retraction\b|(?:partial )?retraction(?: (?:notice|note|statement)\b|\s*:|"
        r"\s*to\b| of\s*[:\"“‘']|\s*[.–—]|$)|withdrawal notice\b)",
        re.IGNORECASE,
    ),
    CONCERN: re.compile(r"\W*(?:\w+ )?expressions? of (?:editorial )?concern\b", re.IGNORECASE),
    ERRATUM: re.compile(
        r"\W*(?:errat(?:um|a)\b|corrigend(?:um|a)\b|(?:(?:author|publisher)(?:['’]?s['’]?)? )?correction"
        r"(?:\s*:|\s*to\s*:|\s*[.–—]|$)|(?:author|publisher)(?:['’]?s['’]?)? correction\b)",
        re.IGNORECASE,
    ),
}
"""How such records are headed. "Retraction of the gingiva" and "Correction of anaemia" are papers."""


class Record(Protocol):
    """A document, a passage of one, or how an answer lists it."""

    @property
    def title(self) -> str: ...
    @property
    def publication_types(self) -> tuple[str, ...]: ...
    @property
    def retraction(self) -> Retraction: ...


def why_aside(record: Record) -> str | None:
    """Why a record is no evidence, such as `retracted` or `a retraction notice`; None where it may be.

    A paper that an expression of concern stands against may be: a reader is told.
    """
    if state := _STATES.get(record.retraction):
        return state
    named = (_TYPES.get(kind.casefold()) for kind in record.publication_types)
    headed = (kind for kind, title in _TITLES.items() if title.match(record.title))
    return next(filter(None, named), None) or next(headed, None)


def set_aside(hits: Sequence[Hit]) -> tuple[list[Hit], dict[str, str]]:
    """The hits that may be evidence, and why the others may not, by document id in rank order.

    One source's word is enough: an older corpus may not know yet that a paper was retracted.
    """
    reasons: dict[str, str] = {}
    for hit in hits:
        if reason := why_aside(hit.passage):
            reasons.setdefault(hit.passage.document_id, reason)
    return [hit for hit in hits if hit.passage.document_id not in reasons], reasons
