"""What a MEDLINE record says about other records: references, retractions, expressions of concern."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from medground.corpus.readers.xml import Element, name_of


@dataclass(frozen=True)
class Links:
    """`references` and `retracts` hold document ids, each once."""

    references: tuple[str, ...]
    retracts: tuple[str, ...]
    retracted: bool
    concern: bool


# A retracted and republished paper is valid only in its new record. A partial retraction leaves the rest valid.
_RETRACTED = frozenset(["RetractionIn", "RetractedandRepublishedIn"])
_CONCERN = frozenset(["ExpressionOfConcernIn", "PartialRetractionIn"])


def links_of(citation: Element, record: Element) -> Links:
    """Read the CommentsCorrections of a citation, in the formats of all years, and the record's reference list."""
    links = list(_corrections(citation))
    kinds = {kind for kind, _ in links}
    cited = [pmid for kind, pmid in links if kind == "Cites"]
    listed = record.iterfind("PubmedData/ReferenceList//ArticleIdList/ArticleId[@IdType='pubmed']")
    cited += [(found.text or "").strip() for found in listed]
    return Links(
        references=_ids(cited),
        retracts=_ids([pmid for kind, pmid in links if kind == "RetractionOf"]),
        retracted=bool(kinds & _RETRACTED),
        concern=bool(kinds & _CONCERN),
    )


def _corrections(citation: Element) -> Iterator[tuple[str, str]]:
    """Kind and PMID (or an empty string). Before 2009, the kind was an element: `<RetractionIn><PMID>`."""
    for path in ("CommentsCorrectionsList/CommentsCorrections", "CommentsCorrections"):
        for correction in citation.iterfind(path):
            if kind := correction.get("RefType"):
                yield kind, (correction.findtext("PMID") or "").strip()
            else:
                yield from ((name_of(old), (old.findtext("PMID") or "").strip()) for old in correction)


def _ids(pmids: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(f"PMID:{pmid}" for pmid in pmids if pmid.isdecimal()))
