"""Records that are never evidence: retracted papers, and notices about other papers. They are set aside before
reading, but shown.

A retraction notice, an expression of concern and an erratum repeat the claim of a paper in order to withdraw, question
or correct it. A record may say what it is in its publication types, or only in its title. A paper may also have been
retracted since its record was read: `marked` looks it up in the list of `medground/data`, which
`scripts/make_retracted.py` makes. Every document, passage and kept answer passes it when it is read, so that a longer
list holds at once.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from medground.corpus.retraction_words import Said, said_alone, said_by
from medground.values.document import Document, Hit, Passage, Retraction

if TYPE_CHECKING:
    from medground.values.answer import SourceDocument

RETRACTED = "retracted"
REMOVED = "removed by its publisher"
NOTICE = "a retraction notice"
CONCERN = "an expression of concern"
ERRATUM = "an erratum"
ON_THE_LIST = "It is on the list of retracted papers, whatever the record itself says."

_STATES: Mapping[Retraction, str] = {"retracted": RETRACTED, "notice": NOTICE}
_TITLES: Mapping[Said, str] = {
    "retracted": RETRACTED,
    "removed": REMOVED,
    "notice": NOTICE,
    "concern": CONCERN,
    "erratum": ERRATUM,
}
_THINGS = (" publication", " article", " paper", " review", " letter", " chapter", " manuscript", " preprint")
_TYPES: Mapping[str, str] = {
    **{f"{done}{what}": RETRACTED for done in ("retracted", "withdrawn") for what in ("", *_THINGS)},
    "d016441": RETRACTED,  # in MeSH
    "d016440": NOTICE,
    **{f"retraction{what}": NOTICE for what in ("", " notice", " note", " statement", " letter")},
    **{f"retraction of{what}": NOTICE for what in _THINGS},
    "partial retraction": NOTICE,
    "withdrawal": NOTICE,
    "removal": NOTICE,
    "expression of concern": CONCERN,
    "editorial expression of concern": CONCERN,
    "published erratum": ERRATUM,
    "erratum": ERRATUM,
    "corrigendum": ERRATUM,
    "correction": ERRATUM,
}
_SAID: Mapping[str | None, Retraction] = {RETRACTED: "retracted", NOTICE: "notice"}
_PARTS = re.compile(r"[;|,()\[\]]")
_NOT_IN_A_TYPE = re.compile(r"[^\w'’]+|_+")


class Record(Protocol):
    """A document, one of its passages, or its entry in an answer."""

    @property
    def title(self) -> str: ...
    @property
    def publication_types(self) -> tuple[str, ...]: ...
    @property
    def retraction(self) -> Retraction: ...
    @property
    def paper(self) -> tuple[str, ...]: ...


R = TypeVar("R", Document, Passage, "SourceDocument")


@cache
def listed() -> Mapping[str, Retraction]:
    """What the list says of papers, by their names as `Document.paper` has them. It is read at the first look-up."""
    packed = files("medground.data").joinpath("retracted.txt.gz").read_bytes()
    retracted, concern = gzip.decompress(packed).decode().split("\n\n")
    known: dict[str, Retraction] = dict.fromkeys(retracted.split(), "retracted")
    known.update(dict.fromkeys(concern.split(), "concern"))
    return known


def state_of(record: Record) -> Retraction:
    """What is known of a record today, by its own words and by the list of retracted papers; the gravest counts.

    A notice stays one: it reports a retraction, and some lists name it along with the paper.
    """
    if record.retraction in ("retracted", "notice"):
        return record.retraction
    if said := _SAID.get(why_aside(record)):
        return said
    known = [listed().get(name) for name in record.paper]
    return "retracted" if "retracted" in known else "concern" if "concern" in known else record.retraction


def marked(record: R) -> R:
    """The record with its state today, and with a caution where only the list tells of its retraction."""
    now = state_of(record)
    if now == record.retraction:
        return record
    changes: dict[str, Any] = {"retraction": now}
    if now == "retracted" and not isinstance(record, Passage) and why_aside(record) is None:
        changes["cautions"] = tuple(dict.fromkeys([*record.cautions, ON_THE_LIST]))
    return record.model_copy(update=changes)


def marked_hit(hit: Hit) -> Hit:
    """The hit with its passage as `marked`."""
    passage = marked(hit.passage)
    return hit if passage is hit.passage else hit.model_copy(update={"passage": passage})


def why_aside(record: Record) -> str | None:
    """Why a record is not evidence, such as `retracted` or `a retraction notice`; None if it may be.

    A paper with a published expression of concern may be evidence; readers are warned.
    """
    if state := _STATES.get(record.retraction):
        return state
    named = (_named(_plain(part)) for kind in record.publication_types for part in _PARTS.split(kind))
    if reason := next(filter(None, named), None):
        return reason
    return _TITLES.get(said_by(record.title) or "in doubt")


def state_of_types(kinds: Iterable[str]) -> Retraction:
    """What publication types alone say of a record: that it is retracted, or a retraction notice."""
    reasons = filter(None, (_named(_plain(part)) for kind in kinds for part in _PARTS.split(kind)))
    return next((state for reason in reasons if (state := _SAID.get(reason))), "none")


def doubt(record: Record) -> str | None:
    """What a reader must check of a record that may be evidence; None if there is nothing."""
    if record.retraction == "concern":
        return "has a published expression of concern"
    if why_aside(record) is None and said_by(record.title) == "in doubt":
        return "may be a notice about another paper, going by its title"
    return None


def _named(kind: str) -> str | None:
    """Why a record of a publication type, as `_plain` has it, is not evidence; None if it may be."""
    return _TYPES.get(kind) or _STATES.get(said_alone(kind) or "none")


def _plain(kind: str) -> str:
    """A publication type as `_TYPES` has it: `Retracted_Article.` as `retracted article`."""
    return _NOT_IN_A_TYPE.sub(" ", kind).strip().casefold()


def set_aside(hits: Sequence[Hit]) -> tuple[list[Hit], dict[str, str]]:
    """The hits that may be evidence, and why the others may not, by document id in rank order.

    It is enough that one source reports a retraction: an older corpus may not know of it yet.
    """
    reasons: dict[str, str] = {}
    for hit in hits:
        if reason := why_aside(hit.passage):
            reasons.setdefault(hit.passage.document_id, reason)
    return [hit for hit in hits if hit.passage.document_id not in reasons], reasons
