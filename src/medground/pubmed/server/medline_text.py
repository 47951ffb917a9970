"""Format records as text: the MEDLINE and abstract formats."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

from medground.document import Document, MeshHeading
from medground.pubmed.records_fields import date_of
from medground.pubmed.server.abstracts import abstract_parts
from medground.pubmed.server.dates import publication_date, timestamp
from medground.pubmed.server.medline_xml import pmid_of, status_of, types_of

_WIDTH = 82
_STARTS = 6
_AID_KINDS = ("pii", "doi", "bookaccession", "mid")


def medline_text(records: Iterable[Document]) -> str:
    """Format records as MEDLINE: four-letter fields, wrapped, with a blank line before each record."""
    return "".join("\n" + "".join(_field(tag, value) for tag, value in _fields(record)) for record in records)


def abstract_text(records: Iterable[Document]) -> str:
    """Format records as PubMed's numbered abstracts, separated by two blank lines; empty if there are none."""
    texts = ["\n\n".join(_paragraphs(number, record)) for number, record in enumerate(records, start=1)]
    return "\n\n\n".join(texts) + "\n" if texts else ""


def _fields(record: Document) -> Iterator[tuple[str, str]]:
    yield "PMID", pmid_of(record)
    yield "OWN", "NLM"
    yield "STAT", status_of(record)
    yield "DP", publication_date(date_of(record, "published"))
    yield "TI", record.title
    yield from (("AID", f"{record.identifiers[k]} [{k}]") for k in _AID_KINDS if k in record.identifiers)
    yield "AB", " ".join(f"{p.label}: {p.text}" if p.label else p.text for p in abstract_parts(record))
    yield from (("AU", author) for author in record.authors)
    yield "LA", record.language or "und"
    yield from (("PT", kind) for kind in types_of(record))
    yield "TA", record.journal or ""
    yield "JT", record.journal or ""
    yield from (("MH", _heading(heading)) for heading in record.mesh)
    yield from (("RN", f"{one.number} ({one.name})") for one in record.substances)
    yield from (("OT", word) for word in record.keywords)
    yield "EDAT", timestamp(date_of(record, "entered")).removesuffix(" 00:00")
    yield "PMC", record.identifiers.get("pmc", "")
    yield "SO", _citation_source(record)


def _field(tag: str, value: str) -> str:
    value = " ".join(value.split())
    if not value:
        return ""
    lines = textwrap.wrap(value, _WIDTH, break_long_words=False, break_on_hyphens=False)
    return f"{tag:<4}- " + ("\n" + " " * _STARTS).join(lines) + "\n"


def _heading(heading: MeshHeading) -> str:
    """Format a heading, such as `*Asthma/drug therapy/*prevention & control`."""
    own = "*" if heading.major and not heading.major_qualifiers else ""
    qualifiers = ("*" * (name in heading.major_qualifiers) + name for name in heading.qualifiers)
    return "/".join([own + heading.descriptor, *qualifiers])


def _citation_source(record: Document) -> str:
    date = publication_date(date_of(record, "published"))
    return f"{record.journal}. {date}." if record.journal else f"{date}." if date else ""


def _paragraphs(number: int, record: Document) -> Iterator[str]:
    ids = [f"DOI: {record.identifiers['doi']}"] if "doi" in record.identifiers else []
    ids += [f"PMCID: {record.identifiers['pmc']}"] if "pmc" in record.identifiers else []
    status = "  [Indexed for MEDLINE]" if record.mesh else ""
    yield f"{number}. {_citation_source(record)}".rstrip()
    yield _wrapped(record.title)
    if record.authors:
        yield _wrapped(", ".join(record.authors) + ".")
    yield from (_wrapped(f"{p.label}: {p.text}" if p.label else p.text) for p in abstract_parts(record))
    yield "\n".join([*ids, f"PMID: {pmid_of(record)}{status}"])


def _wrapped(text: str) -> str:
    return textwrap.fill(text, 80, break_long_words=False, break_on_hyphens=False)
