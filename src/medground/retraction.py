"""Records that are never evidence: retracted papers, and notices about other papers. They are set aside before
reading, but shown.

A retraction notice, an expression of concern and an erratum repeat the claim of a paper in order to withdraw, question
or correct it. A record may say what it is in its publication types, or only in its title.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Protocol

from medground.document import Hit, Retraction

RETRACTED = "retracted"
REMOVED = "removed by its publisher"
NOTICE = "a retraction notice"
CONCERN = "an expression of concern"
ERRATUM = "an erratum"

_STATES: Mapping[Retraction, str] = {"retracted": RETRACTED, "notice": NOTICE}
_TYPES: Mapping[str, str] = {
    "retracted publication": RETRACTED,
    "retracted article": RETRACTED,
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
_FOR = r"{} for\s*(?:[:\"“‘']|.*\bet al\b)"
"""A notice names a paper by its authors or in quotes: "Correction for guessing" is a paper."""
_TITLES: Mapping[str, re.Pattern[str]] = {
    RETRACTED: re.compile(
        r"\W*(?:retracted|withdrawn)(?: (?:article|paper|as (?:a )?duplicate|and republished))?(?:\s*[:)\]]|\s+[-–—]\s)"
        r"|.*[\[(](?:retracted|withdrawn)(?: (?:article|paper))?[\])]\W*$",
        re.IGNORECASE,
    ),
    REMOVED: re.compile(r"\W*(?:temporary removal|temporarily removed|removed)(?:\s*[:)\]]|\s+[-–—]\s)", re.IGNORECASE),
    NOTICE: re.compile(
        r"\W*(?:(?:notice|statement) of retraction\b|(?:partial )?retraction(?: (?:notice|note|statement)\b|\s*:|"
        r"\s*to\b| of\s*[:\"“‘']|\s*[.–—]|$)|(?:withdrawal|removal) notice\b|withdrawal\s*:|"
        + _FOR.format("retraction")
        + ")",
        re.IGNORECASE,
    ),
    CONCERN: re.compile(r"\W*(?:\w+ )?expressions? of (?:editorial )?concern\b", re.IGNORECASE),
    ERRATUM: re.compile(
        r"\W*(?:errat(?:um|a)\b|corrigend(?:um|a)\b|(?:(?:author|publisher)(?:['’]?s['’]?)? )?correction"
        r"(?:\s*:|\s*to\s*:|\s*[.–—]|$)|(?:author|publisher)(?:['’]?s['’]?)? correction\b|"
        + _FOR.format("correction")
        + ")",
        re.IGNORECASE,
    ),
}
"""How the titles of such records begin. "Retraction of the gingiva" and "Correction of anaemia" are papers."""


class Record(Protocol):
    """A document, one of its passages, or its entry in an answer."""

    @property
    def title(self) -> str: ...
    @property
    def publication_types(self) -> tuple[str, ...]: ...
    @property
    def retraction(self) -> Retraction: ...


def why_aside(record: Record) -> str | None:
    """Why a record is not evidence, such as `retracted` or `a retraction notice`; None if it may be.

    A paper with a published expression of concern may be evidence; readers are warned.
    """
    if state := _STATES.get(record.retraction):
        return state
    named = (_TYPES.get(kind.casefold()) for kind in record.publication_types)
    headed = (kind for kind, title in _TITLES.items() if title.match(record.title))
    return next(filter(None, named), None) or next(headed, None)


def set_aside(hits: Sequence[Hit]) -> tuple[list[Hit], dict[str, str]]:
    """The hits that may be evidence, and why the others may not, by document id in rank order.

    It is enough that one source reports a retraction: an older corpus may not know of it yet.
    """
    reasons: dict[str, str] = {}
    for hit in hits:
        if reason := why_aside(hit.passage):
            reasons.setdefault(hit.passage.document_id, reason)
    return [hit for hit in hits if hit.passage.document_id not in reasons], reasons
