"""Records that are never evidence: retracted papers, and notices about other papers. They are set aside before
reading, but shown.

A retraction notice, an expression of concern and an erratum repeat the claim of a paper in order to withdraw, question
or correct it. A record may say what it is in its publication types, or only in its title. A paper may also have been
retracted since its record was read: `marked` looks it up in the table of `retraction_table.py`. Every document, passage
and kept answer passes it when it is read, so that a newer table holds at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from medground.corpus.banners import Said, parts_of, said_alone, said_by
from medground.corpus.retraction_table import GRAVE, Nature, table, title_name
from medground.values.document import Document, Hit, Passage, Retraction

if TYPE_CHECKING:
    from medground.values.answer import SourceDocument

RETRACTED = "retracted"
REMOVED = "removed by its publisher"
NOTICE = "a retraction notice"
CONCERN = "an expression of concern"
ERRATUM = "an erratum"
_BEFORE = 6
"""Words that may stand before the title of the paper that a title is about."""
ON_THE_LIST = "It is on the list of retracted papers, regardless of what the record itself says."

_REASONS: Mapping[Said, str] = {
    "retracted": RETRACTED,
    "withdrawn": "withdrawn",
    "removed": REMOVED,
    "notice": NOTICE,
    "concern": CONCERN,
    "erratum": ERRATUM,
}
"""Why a record that is said to be so is not evidence."""
_STATES: Mapping[str | None, Retraction] = {RETRACTED: "retracted", NOTICE: "notice"}


_PARTS = re.compile(r"[;|,()\[\]]")
_NOT_IN_A_TYPE = re.compile(r"[^\w'’]+|_+")


R = TypeVar("R", Document, Passage, "SourceDocument")
Record: TypeAlias = "Document | Passage | SourceDocument"


def listed() -> Mapping[str, Nature]:
    """What the table says of papers, by their names as `Document.paper` has them."""
    return table().natures


def is_retracted(paper: str) -> bool:
    """Whether a paper, such as `pmid:1`, is on the list of those that were retracted."""
    return listed().get(paper) in GRAVE


def _natures(record: Record) -> list[Nature]:
    """What the table says of a record, by its ids; by its title, only if it has no id: it may be published again."""
    names = () if record.kind == "graph" else record.paper or (title_name(record.title),)
    return [nature for name in filter(None, names) if (nature := listed().get(name)) is not None]


def state_of(record: Record) -> Retraction:
    """What is known of a record today, by its own words and by the list of retracted papers; the gravest counts.

    A notice stays one: it reports a retraction, and some lists name it along with the paper.
    """
    if record.retraction in ("retracted", "notice"):
        return record.retraction
    if said := _STATES.get(why_aside(record)):
        return said
    known = _natures(record)
    if not set(known).isdisjoint(GRAVE):
        return "retracted"
    return "concern" if "concern" in known else "notice" if "notice" in known else record.retraction


def marked(record: R) -> R:
    """The record with its state today, and with a caution where only the list tells of its retraction."""
    now = state_of(record)
    if now == record.retraction:
        return record
    changes: dict[str, Any] = {"retraction": now}
    if now == "retracted" and not isinstance(record, Passage) and why_aside(record) is None:
        changes["cautions"] = tuple(dict.fromkeys([*record.cautions, ON_THE_LIST, *_notices(record)]))
    return record.replace(**changes)


def _notices(record: Record) -> list[str]:
    found = (table().notices.get(name, "-") for name in (*record.paper, title_name(record.title)))
    return [f"Its notice is https://doi.org/{one.removeprefix('doi:')}." for one in found if one != "-"]


def marked_hit(hit: Hit) -> Hit:
    """The hit with its passage as `marked`."""
    passage = marked(hit.passage)
    return hit if passage is hit.passage else hit.replace(passage=passage)


def why_aside(record: Record) -> str | None:
    """Why a record is not evidence, such as `retracted` or `a retraction notice`; None if it may be.

    A paper with a published expression of concern may be evidence; readers are warned.
    """
    if record.retraction in ("retracted", "notice"):
        return _REASONS[record.retraction]
    return (_said_of(record.publication_types) or (None,))[0] or _REASONS.get(said_by(record.title) or "in doubt")


def state_of_types(kinds: Iterable[str]) -> Retraction:
    """What publication types alone say of a record: that it is retracted, or a retraction notice."""
    return next(filter(None, map(_STATES.get, _said_of(tuple(kinds)))), "none")


def doubt(record: Record) -> str | None:
    """What a reader must check of a record that may be evidence; None if there is nothing."""
    if record.retraction == "concern":
        return "has a published expression of concern"
    if why_aside(record) is not None:
        return None
    if said_by(record.title) == "in doubt":
        return "its title suggests a notice about another paper"
    if "corrected" in _natures(record):
        return "has a published correction"
    if _names_listed(record.title):
        return "its title holds that of a retracted paper"
    return None


def _names_listed(title: str) -> bool:
    """Whether a title, a part of it, or what follows its first words or precedes its last is that of a listed paper."""
    words = title.split()
    beside = range(1, min(_BEFORE, len(words)))
    parts = [*parts_of(title), *(" ".join(some) for at in beside for some in (words[at:], words[:-at]))]
    return any(listed().get(name) in GRAVE for name in filter(None, map(title_name, parts)))


@lru_cache(maxsize=4096)
def _said_of(kinds: tuple[str, ...]) -> tuple[str, ...]:
    """Why a record of these publication types is not evidence: `Retracted_Article.` is read as `retracted article`."""
    parts = (_NOT_IN_A_TYPE.sub(" ", part).strip().casefold() for kind in kinds for part in _PARTS.split(kind))
    return tuple(_REASONS[said] for part in parts if (said := said_alone(part)))


def set_aside(hits: Sequence[Hit]) -> tuple[list[Hit], dict[str, str]]:
    """The hits that may be evidence, and why the others may not, by document id in rank order.

    It is enough that one source reports a retraction: an older corpus may not know of it yet.
    """
    reasons: dict[str, str] = {}
    for hit in hits:
        if reason := why_aside(hit.passage):
            reasons.setdefault(hit.passage.document_id, reason)
    return [hit for hit in hits if hit.passage.document_id not in reasons], reasons
