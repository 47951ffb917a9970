"""Records as PubMed XML: those that were kept as they are, and the smallest form of documents from other files."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta

from markupsafe import Markup

from medground.corpus.readers.medline_record import MedlineRecord
from medground.corpus.readers.values import MONTHS
from medground.corpus.readers.xml import record_element
from medground.faces.eutils.exchange import Context, InvalidRequest, Parameters
from medground.faces.eutils.records_fields import date_of, types_of
from medground.home.files import tables
from medground.language.names import name_of
from medground.pubmed.filters import between, days
from medground.pubmed.mesh import vocabulary
from medground.values.document import Document
from medground.values.grouping import portions
from medground.values.query import DateField, Query
from medground.wording.templates import template

_KINDS: dict[str, DateField] = tables("faces/eutils", "fields")["dates"]
_MOST_DAYS = 1_000_000


def date_limit(parameters: Parameters, today: date) -> Query | None:
    """Return the date limit of a request, or None. Like NCBI, this ignores one date without the other."""
    name = parameters.text("datetype").lower()
    if name not in _KINDS:
        raise InvalidRequest(f"Invalid value of datetype: {name[:20]}")
    if parameters.has("reldate"):
        days_back = min(parameters.number("reldate", 0, _MOST_DAYS), today.toordinal() - 1)
        return between(_KINDS[name], today - timedelta(days=days_back), date.max)
    if parameters.has("mindate") and parameters.has("maxdate"):
        low, high = _days(parameters.text("mindate")), _days(parameters.text("maxdate"))
        return between(_KINDS[name], low[0], high[1])
    return None


def _days(value: str) -> tuple[date, date]:
    found = days(value.replace("-", "/"))
    if found is None:
        raise InvalidRequest(f"Invalid date: {value[:20]}")
    return found


_BATCH = 200


def held(context: Context, ids: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the IDs that exist with their records, each a PubmedArticle or PubmedBookArticle, in batches.

    What was read from MEDLINE or PubMed XML is as it was there; other documents have the smallest form that holds them.
    """
    for batch in portions(ids, _BATCH):
        context.check()
        raw = context.catalogue.raw(batch)
        made = context.catalogue.fetch([each for each in batch if each not in raw])
        for each in batch:
            if each in raw:
                yield each, _whole(raw[each])
            elif each in made:
                yield each, article(made[each])


def _whole(xml: bytes) -> bytes:
    """A record in the element in which NCBI has it, with the data around a bare citation of older files."""
    if xml.startswith(b"<BookDocument"):
        return b"<PubmedBookArticle>%s</PubmedBookArticle>" % xml
    if not xml.startswith(b"<MedlineCitation"):
        return xml
    record = MedlineRecord(record_element(xml))
    entered = next((record.dates[kind] for kind in ("created", "published") if kind in record.dates), "")
    return b"<PubmedArticle>%s%s</PubmedArticle>" % (xml, _data(record.pmid, entered, record.identifiers).encode())


def _data(pmid: str, entered: str, identifiers: Mapping[str, str], cited: Sequence[str] = ()) -> str:
    """A PubmedData. An unknown month or day of entry becomes the first, as at NCBI."""
    ids = [(kind, value) for kind, value in identifiers.items() if kind in _ID_KINDS]
    day = [*entered.split("-"), "01", "01"][:3]
    return template(__package__, "pubmed_data.xml").render(pmid=pmid, entered=day, ids=ids, cited=cited)


_ID_KINDS = frozenset(["doi", "pii", "pmcpid", "pmpid", "pmc", "mid", "sici", "medline", "pmcid"])
_ID_KINDS |= {"pmcbook", "bookaccession"}
_CORRECTIONS = {"retracted": "RetractionIn", "concern": "ExpressionOfConcernIn"}
_PLAIN = ("Journal Article",)
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


def article(record: Document) -> bytes:
    """The smallest PubmedArticle that holds a document."""
    published = date_of(record, "published").split("-")
    types = record.publication_types or _PLAIN
    pmid = record.id.removeprefix("PMID:")
    cited = [other.removeprefix("PMID:") for other in record.references if other.startswith("PMID:")]
    text = template(__package__, "article.xml").render(
        record=record,
        pmid=pmid,
        days={kind: day.split("-") for kind, day in record.dates.items() if day.count("-") == 2},
        published=[*published[:1], *(MONTHS[int(month) - 1] for month in published[1:2]), *published[2:]],
        abstract=_abstract(record),
        authors=[*map(_author, record.authors)],
        types=types_of(record.replace(publication_types=types)),
        correction=_CORRECTIONS.get(record.retraction),
        ui=_ui,
        data=Markup(_data(pmid, date_of(record, "entered"), record.identifiers, cited)),  # noqa: S704 of our template
    )
    return _NOT_XML.sub(" ", text).encode()


def _abstract(record: Document) -> list[tuple[str | None, str]]:
    """The sections with their labels and the text between them; empty if the record has only a title."""
    if record.text == record.title:
        return []
    texts: list[tuple[str, str | None]] = []
    end = 0
    for section in record.sections:
        texts += [(record.text[end : section.start], None), (record.text[section.start : section.end], section.label)]
        end = section.end
    texts.append((record.text[end:], None))
    return [(label, each.strip()) for text, label in texts for each in text.split("\n\n") if each.strip()]


def _author(name: str) -> dict[str, str]:
    """A name that cannot be taken apart is treated as a group."""
    person = name_of(name)
    if not person.is_person:
        return {"CollectiveName": name}
    initials = "".join(part[0] for part in re.findall(r"[^\W\d_]+", person.given))
    return {"LastName": person.family, "Initials": initials} | ({"Suffix": person.suffix} if person.suffix else {})


def _ui(name: str) -> str:
    """Return the MeSH ID of a heading or publication type, or an empty string if it is not in MeSH."""
    heading = vocabulary().find(name)
    return "" if heading is None else heading.id
