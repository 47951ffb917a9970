"""Metadata of one record for esummary."""

from __future__ import annotations

from dataclasses import dataclass

from medground.document import Document
from medground.pubmed.records_fields import date_of
from medground.pubmed.server.abstracts import abstract_parts
from medground.pubmed.server.dates import publication_date, timestamp
from medground.pubmed.server.medline_xml import pmid_of, types_of


@dataclass(frozen=True)
class Summary:
    """Metadata of a record, without its abstract. Dates are in NCBI's formats."""

    id: str
    date: str
    sort_date: str
    journal: str
    authors: tuple[str, ...]
    title: str
    language: str
    types: list[str]
    status: str
    ids: list[tuple[str, str]]
    entered: str
    has_abstract: bool

    @classmethod
    def of(cls, record: Document) -> Summary:
        """Build the summary of a record."""
        pmid, published = pmid_of(record), date_of(record, "published")
        return cls(
            id=pmid,
            date=publication_date(published) if published else "",
            sort_date=timestamp(published),
            journal=record.journal or "",
            authors=record.authors,
            title=record.title,
            language=record.language or "und",
            types=types_of(record),
            status="PubMed - indexed for MEDLINE" if record.mesh else "PubMed",
            ids=[("pubmed", pmid), *((k, v) for k, v in record.identifiers.items() if k not in ("pmid", "pubmed"))],
            entered=timestamp(date_of(record, "entered")),
            has_abstract=bool(abstract_parts(record)),
        )

    @property
    def last_author(self) -> str:
        """The last author, or an empty string."""
        return self.authors[-1] if self.authors else ""

    @property
    def doi(self) -> str:
        """`doi: 10....`, or an empty string."""
        found = dict(self.ids).get("doi")
        return f"doi: {found}" if found else ""
