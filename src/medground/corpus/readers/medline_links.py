"""What a MEDLINE record says about other records: references, retractions, expressions of concern."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from medground.corpus.readers.xml import Element, flat_text, name_of


@dataclass(frozen=True)
class Links:
    """`references` and `retracts` hold document ids, each once; `cautions` says where it was corrected or retracted."""

    references: tuple[str, ...]
    retracts: tuple[str, ...]
    retracted: bool
    notice: bool
    concern: bool
    cautions: tuple[str, ...] = ()


# A retracted and republished paper is valid only in its new record. A partial retraction leaves the rest valid.
_RETRACTED = frozenset(["RetractionIn", "RetractedandRepublishedIn"])
_CONCERN = frozenset(["ExpressionOfConcernIn", "PartialRetractionIn"])
_CAUTIONS = {
    "ErratumIn": "A correction was published",
    "CorrectedandRepublishedIn": "It was corrected and published again",
    "RetractionIn": "The retraction notice",
    "RetractedandRepublishedIn": "It was retracted and published again",
    "PartialRetractionIn": "A part of it was retracted",
    "ExpressionOfConcernIn": "An expression of concern was published",
}
_LONGEST = 120
"""Characters of a reference to a notice without a PMID."""


def links_of(citation: Element, record: Element) -> Links:
    """Read the CommentsCorrections of a citation, in the formats of all years, and the record's reference list."""
    links = list(_corrections(citation))
    kinds = {kind for kind, _, _ in links}
    cited = [pmid for kind, pmid, _ in links if kind == "Cites"]
    listed = record.iterfind("PubmedData/ReferenceList//ArticleIdList/ArticleId[@IdType='pubmed']")
    cited += [(found.text or "").strip() for found in listed]
    return Links(
        references=_ids(cited),
        retracts=_ids([pmid for kind, pmid, _ in links if kind == "RetractionOf"]),
        retracted=bool(kinds & _RETRACTED),
        notice="RetractionOf" in kinds,
        concern=bool(kinds & _CONCERN),
        cautions=tuple(dict.fromkeys(_caution(*link) for link in links if link[0] in _CAUTIONS)),
    )


def _caution(kind: str, pmid: str, place: str) -> str:
    where = f"PMID:{pmid}" if pmid.isdecimal() else place[:_LONGEST]
    return f"{_CAUTIONS[kind]}: {where}" if where else f"{_CAUTIONS[kind]}."


def _corrections(citation: Element) -> Iterator[tuple[str, str, str]]:
    """Kind, PMID (or an empty string) and the reference in words.

    Before 2009, the kind was an element: `<RetractionIn><PMID>`.
    """
    for path in ("CommentsCorrectionsList/CommentsCorrections", "CommentsCorrections"):
        for correction in citation.iterfind(path):
            if kind := correction.get("RefType"):
                yield kind, *_place(correction)
            else:
                yield from ((name_of(old), *_place(old)) for old in correction)


def _place(correction: Element) -> tuple[str, str]:
    return (correction.findtext("PMID") or "").strip(), flat_text(correction.find("RefSource"))


def _ids(pmids: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(f"PMID:{pmid}" for pmid in pmids if pmid.isdecimal()))
