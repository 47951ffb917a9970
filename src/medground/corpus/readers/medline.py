"""MEDLINE and PubMed XML of every DTD year: articles, books, deleted citations, retractions.

The text of a document is its abstract, with one section per label. Without an abstract it is another abstract
(`OtherAbstract`), or else the title. A document is followed by its record as the file has it (`RawRecord`) and, if it
is a retraction notice, by a `Retracts` item for the papers that it retracts.
"""

import hashlib
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from medground.corpus.readers.base import Deleted, Item, RawRecord, Retracts, numbered
from medground.corpus.readers.compose import Composition, make_document
from medground.corpus.readers.medline_record import RECORDS, Correction, MedlineRecord, Typed
from medground.corpus.readers.values import imprint_of, pubmed_ids
from medground.corpus.readers.xml import Element, name_of, record_xml, records
from medground.corpus.retraction import state_of_types

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
_SETS = ("PubmedArticleSet", "MedlineCitationSet", "PubmedBookArticleSet", "BookDocumentSet")
_DELETIONS = ("DeleteCitation", "DeleteDocument")
MEDLINE_ROOTS = frozenset([*RECORDS, *_SETS, "DeleteCitation"])


def read_medline(path: Path, *, raw: bool = False) -> Iterator[Item]:
    """The records of a file in order; the position of a bad one is its number, counting from 1.

    `raw`: each document is followed by the XML that it was read from.
    """
    found = records(path, [*RECORDS, *_DELETIONS], MEDLINE_ROOTS)
    yield from numbered(found, lambda element: _items(element, raw=raw), path, "record")


def _items(element: Element, *, raw: bool) -> Iterator[Item]:
    if name_of(element) in _DELETIONS:
        yield Deleted(tuple(f"PMID:{pmid.text}" for pmid in element.iterfind("PMID")))
        return
    record = MedlineRecord(element)
    pmid = record.pmid
    if not pmid.isdecimal():
        raise ValueError(f"{pmid[:40]!r} is not a PMID")
    composition, links = Composition(), record.corrections
    for label, text in _abstract(record):
        composition.add(text, label or None)
    title, types, languages = record.title, record.types, record.languages
    document = make_document(
        {
            "id": f"PMID:{pmid}",
            "title": title,
            "text": composition.text or title,
            "sections": composition.sections,
            "kind": "book" if record.is_book else "research",
            "year": year_of(record.dates),
            "dates": record.dates,
            "journal": record.journal or None,
            "authors": tuple(name for person in record.authors if person.is_valid and (name := person.name)),
            "language": languages[0] if languages else None,
            "mesh": record.headings,
            "keywords": tuple(dict.fromkeys(word for _, word in record.keywords)),
            "substances": record.substances,
            "publication_types": types,
            "identifiers": {"pmid": pmid, **record.identifiers},
            "imprint": {} if record.is_book else imprint_of(record.volume, record.issue, record.pages),
            "references": pubmed_ids(_linked(links, "Cites") + record.references),
            "url": f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/",
            "retraction": _state(links, types),
            "cautions": tuple(dict.fromkeys(_cautions(links))),
        }
    )
    yield document
    if raw:
        xml = record_xml(element)  # packed a third faster than with the best compression, for 6 % more
        yield RawRecord(document.id, zlib.compress(xml, 1), hashlib.sha256(xml).digest())
    if retracts := pubmed_ids(_linked(links, "RetractionOf")):
        yield Retracts(retracts)


def year_of(dates: Mapping[str, str]) -> int | None:
    """The year of publication, or else the first year in which the record is known to exist."""
    if "published" in dates:
        return int(dates["published"][:4])
    return min((int(dates[kind][:4]) for kind in ("entered", "created", "completed") if kind in dates), default=None)


def _abstract(record: MedlineRecord) -> Typed:
    every = (record.abstract, *record.other_abstracts)
    return next((one.parts for one in every if any(text for _, text in one.parts)), ())


def _state(links: Sequence[Correction], types: tuple[str, ...]) -> str:
    kinds, said = {link.kind for link in links}, state_of_types(types)
    if kinds & _RETRACTED or said == "retracted":
        return "retracted"
    if "RetractionOf" in kinds or said == "notice":
        return "notice"
    return "concern" if kinds & _CONCERN else "none"


def _cautions(links: Sequence[Correction]) -> Iterator[str]:
    for kind, pmid, place in links:
        if kind in _CAUTIONS:
            where = f"PMID:{pmid}" if pmid.isdecimal() else place[:_LONGEST]
            yield f"{_CAUTIONS[kind]}: {where}" if where else f"{_CAUTIONS[kind]}."


def _linked(links: Sequence[Correction], kind: str) -> tuple[str, ...]:
    return tuple(link.pmid for link in links if link.kind == kind)
