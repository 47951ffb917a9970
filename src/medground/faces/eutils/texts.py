"""Records as text: in the MEDLINE format, and as PubMed's abstracts."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from medground.corpus.readers.medline_record import Abstract, MedlineRecord, Person
from medground.home.files import tables
from medground.values.document import MeshHeading

_WIDTH = 82
_STARTS = 6
_CORRECTIONS: dict[str, str] = tables("faces/eutils", "fields")["corrections"]


def medline_text(records: Iterable[MedlineRecord]) -> str:
    """Format records as MEDLINE: four-letter fields, wrapped, with a blank line before each record."""
    return "".join("\n" + "".join(_field(tag, value) for tag, value in _fields(record)) for record in records)


def abstract_text(records: Iterable[MedlineRecord]) -> str:
    """Format records as PubMed's numbered abstracts, separated by two blank lines; empty if there are none."""
    texts = ["\n\n".join(filter(None, _paragraphs(number, one))) for number, one in enumerate(records, start=1)]
    return "\n\n\n".join(texts) + "\n" if texts else ""


def labelled(abstract: Abstract) -> list[str]:
    """The paragraphs of an abstract, each after its label."""
    return [f"{label}: {text}" if label else text for label, text in abstract.parts]


def citation_source(record: MedlineRecord) -> str:
    """Where and when it was published: `J Clin Oncol. 2012 Jun 20;30(18):2248-55.`"""
    place = record.volume + (f"({record.issue})" if record.issue else "") + (f":{record.pages}" if record.pages else "")
    when = ";".join(filter(None, (record.printed, place)))
    return " ".join(f"{part}." for part in (record.abbreviation, when) if part)


def _fields(record: MedlineRecord) -> Iterator[tuple[str, str]]:
    """The fields in NLM's order."""
    for tag, values in _before_people(record):
        yield from ((tag, value) for value in values)
    yield from _people(record.authors, "FAU", "AU")
    for tag, values in _after_people(record):
        yield from ((tag, value) for value in values)


def _before_people(record: MedlineRecord) -> Iterator[tuple[str, Sequence[str]]]:
    yield "PMID", [record.pmid]
    yield "OWN", [record.citation.get("Owner", "NLM")]
    yield "STAT", [record.citation.get("Status", "Publisher")]
    yield "DCOM", [record.dates.get("completed", "").replace("-", "")]
    yield "LR", [record.dates.get("revised", "").replace("-", "")]
    yield "IS", [f"{number} ({kind})" for kind, number in record.issns]
    yield "VI", [record.volume]
    yield "IP", [record.issue]
    yield "DP", [record.printed]
    yield "TI", [record.english_title]
    yield "BTI", record.texts("Book/BookTitle")
    yield "CTI", record.texts("Book/CollectionTitle")
    yield "PB", record.texts("Book/Publisher/PublisherName")
    yield "ISBN", record.texts("Book/Isbn")
    yield "PG", [record.pages]
    yield "LID", [f"{value} [{kind}]" for kind, value in record.locations]
    yield "AB", [" ".join(labelled(record.abstract))]
    yield "OAB", [" ".join(labelled(one)) for one in record.other_abstracts]
    yield "CI", [record.abstract.rights]


def _after_people(record: MedlineRecord) -> Iterator[tuple[str, Sequence[str]]]:
    history = dict(record.history)
    yield "AD", record.texts("Article/Affiliation")
    yield "LA", record.languages
    yield "SI", ["/".join(filter(None, bank)) for bank in record.databanks]
    yield "GR", ["/".join(filter(None, grant)) for grant in record.grants]
    yield "PT", record.types
    yield "TT", record.texts("Article/VernacularTitle")
    yield "DEP", [record.date("Article/ArticleDate")]
    yield "PL", record.texts("MedlineJournalInfo/Country")
    yield "TA", [record.abbreviation]
    yield "JT", [record.journal]
    yield "JID", record.texts("MedlineJournalInfo/NlmUniqueID")
    yield "RN", [f"{one.number} ({one.name})" for one in record.substances]
    yield "NM", record.texts("SupplMeshList/SupplMeshName")
    yield "SB", record.texts("CitationSubset")
    for kind, pmid, place in record.corrections:
        if kind in _CORRECTIONS:
            yield _CORRECTIONS[kind], [f"{place} PMID: {pmid}" if pmid else place]
    yield "GS", record.texts("GeneSymbolList/GeneSymbol")
    yield "MH", [*map(_mesh_heading, record.headings)]
    yield "RF", record.texts("NumberOfReferences")
    yield "OID", [f"{one.get('Source')}: {one.text}" for one in record.citation.iterfind("OtherID")]
    owner = ""
    for owned, word in record.keywords:
        yield "OTO", [owned] if owned != owner else []
        yield "OT", [word]
        owner = owned
    yield "COIS", record.texts("CoiStatement")
    yield "SFM", record.texts("SpaceFlightMission")
    yield "GN", record.texts("GeneralNote")
    yield "EDAT", [history.get("pubmed", "")]
    yield "MHDA", [history.get("medline", "")]
    yield "CRDT", [history.get("entrez", "") or record.dates.get("created", "").replace("-", "/")]
    yield "PHST", [f"{stamp} [{state}]" for state, stamp in record.history]
    yield "AID", [f"{value} [{kind}]" for kind, value in record.article_ids if kind not in ("pubmed", "pmc")]
    yield "PMC", [value for kind, value in record.ids if kind == "pmc"]
    yield "PST", [record.publication_status]
    doi = dict(record.article_ids).get("doi", "")
    yield "SO", [citation_source(record) + (f" doi: {doi}." if doi else "")]


def _people(people: Iterable[Person], full: str, short: str) -> Iterator[tuple[str, str]]:
    for person in people:
        if person.is_valid:
            yield from [("CN", person.group)] if person.group else [(full, person.full_name), (short, person.name)]
            yield from (("AUID", f"{kind}: {value}") for kind, value in person.ids)
            yield from (("AD", place) for place in person.affiliations)


def _field(tag: str, value: str) -> str:
    value = " ".join(value.split())
    if not value:
        return ""
    lines = textwrap.wrap(value, _WIDTH, break_long_words=False, break_on_hyphens=False)
    return f"{tag:<4}- " + ("\n" + " " * _STARTS).join(lines) + "\n"


def _mesh_heading(heading: MeshHeading) -> str:
    """Format a heading, such as `*Asthma/drug therapy/*prevention & control`."""
    own = "*" if heading.major and not heading.major_qualifiers else ""
    qualifiers = ("*" * (name in heading.major_qualifiers) + name for name in heading.qualifiers)
    return "/".join([own + heading.descriptor, *qualifiers])


def _paragraphs(number: int, record: MedlineRecord) -> Iterator[str]:
    ids = dict(record.article_ids)
    status = "  [Indexed for MEDLINE]" if record.citation.get("Status") == "MEDLINE" else ""
    yield f"{number}. {citation_source(record)}".rstrip()
    yield _wrapped(record.title)
    names = [person.name for person in record.authors if person.is_valid]
    yield _wrapped(", ".join(names) + ".") if names else ""
    for abstract in (record.abstract, *record.other_abstracts):
        yield from map(_wrapped, labelled(abstract))
        yield _wrapped(abstract.rights)
    yield from (
        _wrapped(f"{kind.replace('In', ' in')}: {place}")
        for kind, _, place in record.corrections
        if kind in _CORRECTIONS
    )
    told = [f"{name}: {ids[kind]}" for kind, name in (("doi", "DOI"), ("pmc", "PMCID")) if kind in ids]
    yield "\n".join([*told, f"PMID: {record.pmid}{status}"])


def _wrapped(text: str) -> str:
    return textwrap.fill(text, 80, break_long_words=False, break_on_hyphens=False)
