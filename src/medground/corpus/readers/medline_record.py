"""What a MEDLINE or PubMed record of any DTD year says, read from its own XML field by field."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property, lru_cache
from typing import Generic, NamedTuple, TypeVar

from lxml import etree

from medground.corpus.readers.values import MONTHS, iso_date, own_title, year_in
from medground.corpus.readers.xml import Element, flat_text, name_of
from medground.values.document import MeshHeading, Substance

CITATIONS = ("MedlineCitation", "BookDocument")
RECORDS = ("PubmedArticle", "PubmedBookArticle", *CITATIONS)
_PUBLISHED = ("Article/Journal/JournalIssue/PubDate", "Article/ArticleDate", "Book/PubDate", "ContributionDate")
_DATES = {"DateCreated": "created", "DateRevised": "revised", "DateCompleted": "completed"}
_DATES |= dict.fromkeys(_PUBLISHED, "published")
_STAMP = ("Year", "Month", "Day", "Hour", "Minute")
Typed = tuple[tuple[str, str], ...]
"""Texts, each after its kind: (`doi`, `10.1/x`)."""


class Person:
    """An author, editor or investigator, or the group that is one, of their own element."""

    def __init__(self, element: Element) -> None:
        self.element = element
        self._parts = parts = {part.tag: part for part in element}
        self.group = flat_text(parts.get("CollectiveName"))
        self.family = flat_text(parts.get("LastName"))
        self.initials = flat_text(parts.get("Initials"))
        self.suffix = flat_text(parts.get("Suffix"))

    @property
    def is_valid(self) -> bool:
        """False for a name that was corrected: the right one is in the record, too."""
        return bool(self.element.get("ValidYN") != "N")

    @property
    def given(self) -> str:
        """First and middle names, as far as the record has them."""
        return flat_text(self._parts.get("ForeName")) or flat_text(self._parts.get("FirstName"))

    @property
    def name(self) -> str:
        """`Family Initials Jr`, or the name of the group."""
        return self.group or " ".join(filter(None, (self.family, self.initials or self.given, self.suffix)))

    @property
    def full_name(self) -> str:
        """`Family, Given Names Jr`, or the name of the group."""
        given = " ".join(filter(None, (self.given or self.initials, self.suffix)))
        return self.group or ", ".join(filter(None, (self.family, given)))

    @property
    def affiliations(self) -> tuple[str, ...]:
        """Where the person works; older records have it in one element."""
        return _texts(self.element, "AffiliationInfo/Affiliation") or _texts(self.element, "Affiliation")

    @property
    def ids(self) -> Typed:
        """Such as (`ORCID`, `0000-0002-1825-0097`)."""
        return _typed(self.element, "Identifier", "Source")


class Abstract(NamedTuple):
    """An abstract as labelled paragraphs. `kind` and `language` are those of an `OtherAbstract`, or empty."""

    parts: Typed = ()
    rights: str = ""
    kind: str = ""
    language: str = ""


class Correction(NamedTuple):
    """A link to another record: its kind, such as `RetractionIn`, a PMID or an empty string, the reference in words."""

    kind: str
    pmid: str
    place: str


T = TypeVar("T")


class _Field(Generic[T]):
    """A field of a record, read when it is asked for."""

    def __init__(self, read: Callable[[MedlineRecord], T]) -> None:
        self._read = read

    def __get__(self, record: MedlineRecord, owner: type) -> T:
        return self._read(record)


class MedlineRecord:
    """One record. Texts are without markup and white space around them, lists in the order of the record.

    `element`: a PubmedArticle, PubmedBookArticle, MedlineCitation or BookDocument.

    Raises ValueError: it has no citation, or that has no article.
    """

    def __init__(self, element: Element) -> None:
        self.element = element
        inner = element if name_of(element) in CITATIONS else _first(element, CITATIONS)
        if inner is None:
            raise ValueError("the PubMed record has no citation")
        self.citation = inner
        self.is_book = name_of(inner) == "BookDocument"
        body = inner if self.is_book else inner.find("Article")
        if body is None:
            raise ValueError("the record has no article")
        self.body = body
        """Where title, authors and abstract are: the article, or the document of a book."""
        found = _first(element, ("PubmedData", "PubmedBookData"))
        self.data: Element = _NO_DATA if found is None else found
        """What PubMed adds: ids, history, references."""

    def text(self, *paths: str) -> str:
        """The text at the first of these paths of the citation that has one."""
        firsts = (found for path in paths for found in _all(self.citation, path)[:1])
        return next(filter(None, map(flat_text, firsts)), "")

    def texts(self, *paths: str) -> tuple[str, ...]:
        """The texts at these paths of the citation."""
        return tuple(text for path in paths for text in _texts(self.citation, path))

    pmid = _Field(lambda record: (record.citation.findtext("PMID") or "").strip())
    english_title = _Field(lambda record: record.text("Article/ArticleTitle", "ArticleTitle", "Book/BookTitle"))
    """The title as it stands, also `[Not Available].`; that of the book for a whole one."""
    title = _Field(lambda record: own_title(record.english_title, record.text("Article/VernacularTitle")))
    """The title; that in its own language where there is no other."""
    journal = _Field(lambda record: record.text("Article/Journal/Title", _ABBREVIATION, "Book/BookTitle"))
    """The journal's full title, or else its abbreviation; or the book's title."""
    abbreviation = _Field(lambda record: record.text(_ABBREVIATION) or record.journal)
    """The journal's name in MEDLINE, or else the full one."""
    journal_names = _Field(
        lambda record: record.texts("Article/Journal/Title", _ABBREVIATION, "Article/Journal/ISOAbbreviation")
    )
    volume = _Field(lambda record: record.text("Article/Journal/JournalIssue/Volume", "Book/Volume"))
    issue = _Field(lambda record: record.text("Article/Journal/JournalIssue/Issue"))
    issns = _Field(
        lambda record: (
            *_typed(record.citation, "Article/Journal/ISSN", "IssnType"),
            *(("Linking", value) for value in record.texts("MedlineJournalInfo/ISSNLinking")),
        )
    )
    """ISSNs with their kinds: `Print`, `Electronic`, `Linking`."""
    languages = _Field(lambda record: _texts(record.body, "Language"))
    types = _Field(lambda record: record.texts("Article/PublicationTypeList/PublicationType", "PublicationType"))
    """Publication types."""
    investigators = _Field(lambda record: _people(record.citation, "InvestigatorList/Investigator"))
    subjects = _Field(lambda record: _people(record.citation, "PersonalNameSubjectList/PersonalNameSubject"))
    """The people whom the paper is about."""
    abstract = _Field(lambda record: next(map(_abstract, _all(record.body, "Abstract")), Abstract()))
    """The abstract; without parts where there is none."""
    other_abstracts = _Field(lambda record: tuple(map(_abstract, _all(record.citation, "OtherAbstract"))))
    """Abstracts of others, in other languages or in plain words."""
    references = _Field(lambda record: _texts(record.data, _CITED))
    """The PMIDs of its reference list, each as often as it stands there."""
    grants = _Field(lambda record: tuple(map(_grant, _all(record.body, "GrantList/Grant"))))
    """Number, acronym, agency and country of each grant; what the record lacks is empty."""
    ids = _Field(
        lambda record: (
            *_typed(record.data, "ArticleIdList/ArticleId", "IdType"),
            *_typed(record.citation, "ArticleIdList/ArticleId", "IdType"),
        )
    )
    """The record's ids by their kinds, such as (`doi`, `10.1/x`), as PubMed lists them."""
    corrections = _Field(lambda record: tuple(_corrections(record.citation)))
    """Links to other records: references, corrections, retractions, comments."""
    locations = _Field(lambda record: _typed(record.citation, "Article/ELocationID", "EIdType", valid=True))
    """Where the article is online: (`doi`, `10.1/x`) or (`pii`, `S0140`), without what is marked as wrong."""
    publication_status = _Field(lambda record: record.data.findtext("PublicationStatus") or "ppublish")
    """`ppublish`, `epublish`, `aheadofprint`; `ppublish` where the record does not say."""
    history = _Field(
        lambda record: tuple(
            (one.get("PubStatus", ""), _stamp(one)) for one in _all(record.data, "History/PubMedPubDate")
        )
    )
    """What happened when, as PubMed writes it: (`received`, `2017/01/09 00:00`), (`entrez`, `2018/05/17 06:00`)."""
    article_ids = _Field(lambda record: tuple(dict.fromkeys((("pubmed", record.pmid), *record.ids, *record.locations))))
    """The PMID, the ids of PubMed's list, and those of the article that are not among them."""
    printed = _Field(lambda record: next(filter(None, map(record.date, _PUBLISHED)), ""))
    """The date of the issue as PubMed writes it: `1998 Dec-1999 Jan`, `2001 Jun 15`, `2001 Spring`."""

    @property
    def pages(self) -> str:
        """`145-6`, as MEDLINE has it, or the first and last page, or the article's number."""
        parts = next(map(_parts, _all(self.body, "Pagination")), {})
        ends = filter(None, (parts.get("StartPage"), parts.get("EndPage")))
        return parts.get("MedlinePgn") or "-".join(ends) or self.text("Article/ELocationID[@EIdType='pii']")

    @cached_property
    def authors(self) -> tuple[Person, ...]:
        """The authors, or else those of the book, also names that were corrected (`is_valid` is false)."""
        return _people(self.body, "AuthorList/Author") or _people(self.body, "Book/AuthorList/Author")

    @property
    def databanks(self) -> Typed:
        """Names of databanks with the accession numbers there; the number is empty where none is given."""
        return tuple(
            (flat_text(bank, "DataBankName"), number)
            for bank in _all(self.body, "DataBankList/DataBank")
            for number in _texts(bank, "AccessionNumberList/AccessionNumber") or ("",)
        )

    @property
    def keywords(self) -> Typed:
        """Keywords with their owners: `NOTNLM` for the authors' own, else an institution such as `KIE`."""
        lists = _all(self.citation, "KeywordList")
        return tuple((one.get("Owner", "NLM"), word) for one in lists for word in _texts(one, "Keyword"))

    @property
    def headings(self) -> tuple[MeshHeading, ...]:
        """MeSH headings with their subheadings."""
        return tuple(filter(None, map(_heading, _all(self.citation, "MeshHeadingList/MeshHeading"))))

    @property
    def substances(self) -> tuple[Substance, ...]:
        """Registered substances, whose number is `0` where they have none."""
        return tuple(
            Substance(name=told, ui=name.get("UI") or None, number=flat_text(one, "RegistryNumber") or "0")
            for one in _all(self.citation, "ChemicalList/Chemical")
            if (name := one.find("NameOfSubstance")) is not None and (told := flat_text(name))
        )

    @property
    def identifiers(self) -> dict[str, str]:
        """One id of each kind but the PMID."""
        every = dict(_typed(self.citation, "Article/ELocationID", "EIdType")) | dict(self.ids)
        return {kind: value for kind, value in every.items() if kind not in ("", "pubmed", "pmid")}

    def date(self, path: str) -> str:
        """The date at a path of the citation as PubMed writes it, or an empty string."""
        parts = next(map(_parts, _all(self.citation, path)), {})
        month = parts.get("Month", "")
        month = MONTHS[int(month) - 1] if month.isdecimal() and 1 <= int(month) <= 12 else month
        told = [parts.get(name, "") for name in ("MedlineDate", "Year", "Season")]
        return " ".join(filter(None, (*told, month, parts.get("Day", "").lstrip("0"))))

    @cached_property
    def dates(self) -> Mapping[str, str]:
        """ISO dates by kind, each as precise as the record: `1998`, `1998-12`, `1998-12-31`.

        `published` is the date of the issue, or else of the electronic article; a range ("1998 Dec-1999 Jan") becomes
        its first year.
        """
        dates = {"entered": next(map(_iso, _all(self.data, _ENTERED)), "")}
        for path, kind in _DATES.items():
            if not dates.get(kind) and (found := _all(self.citation, path)):
                dates[kind] = _iso(found[0])
        return {kind: date for kind, date in dates.items() if date}


_NO_DATA = etree.Element("PubmedData")
_ENTERED = "History/PubMedPubDate[@PubStatus='entrez']"
_ABBREVIATION = "MedlineJournalInfo/MedlineTA"
_CITED = "ReferenceList//ArticleIdList/ArticleId[@IdType='pubmed']"


_made = lru_cache(maxsize=16_384)(MeshHeading)
"""Headings, each made once: most are in other records, too."""


def _heading(element: Element) -> MeshHeading | None:
    told = [(part.tag, flat_text(part), part.get("MajorTopicYN") == "Y", part.get("UI") or None) for part in element]
    qualifiers = [(text, major) for tag, text, major, _ in told if tag == "QualifierName" and text]
    for tag, text, _, ui in told:
        if tag in ("DescriptorName", "Descriptor"):
            every, main = tuple(one for one, _ in qualifiers), tuple(one for one, major in qualifiers if major)
            major = any(one[2] for one in told)
            return _made(descriptor=text, ui=ui, major=major, qualifiers=every, major_qualifiers=main)
    return None


def _people(element: Element, path: str) -> tuple[Person, ...]:
    return tuple(map(Person, _all(element, path)))


def _abstract(element: Element) -> Abstract:
    parts = ((_label(part), flat_text(part)) for part in _all(element, "AbstractText"))
    rights = flat_text(element, "CopyrightInformation")
    return Abstract(tuple(parts), rights, element.get("Type", ""), element.get("Language", ""))


def _grant(element: Element) -> tuple[str, ...]:
    return tuple(flat_text(element, part) for part in ("GrantID", "Acronym", "Agency", "Country"))


def _label(part: Element) -> str:
    label = part.get("Label") or part.get("NlmCategory") or ""
    return "" if label == "UNLABELLED" else " ".join(label.split())


def _corrections(citation: Element) -> Iterator[Correction]:
    """Before 2009, the kind was an element: `<RetractionIn><PMID>`."""
    for path in ("CommentsCorrectionsList/CommentsCorrections", "CommentsCorrections"):
        for given in _all(citation, path):
            told = given.get("RefType")
            for kind, link in [(told, given)] if told else ((name_of(old), old) for old in given):
                parts = _parts(link)
                yield Correction(kind, parts.get("PMID", ""), parts.get("RefSource", ""))


def _parts(element: Element) -> dict[str, str]:
    return {part.tag: flat_text(part) for part in element}


def _iso(date: Element) -> str:
    parts = _parts(date)
    year = year_in(parts.get("Year") or parts.get("MedlineDate", ""))
    return "" if year is None else iso_date(f"{year} {parts.get('Month', '')} {parts.get('Day', '')}") or ""


def _stamp(date: Element) -> str:
    parts = _parts(date)
    year, month, day, hour, minute = (parts.get(name, "").zfill(2) for name in _STAMP)
    return f"{year}/{month}/{day} {hour}:{minute}"


@cache
def _compiled(path: str) -> etree.XPath:
    return etree.XPath(path, smart_strings=False)


def _all(element: Element, path: str) -> list[Element]:
    """The elements at a path below this one: what `findall` returns, two to four times as fast."""
    found: list[Element] = _compiled(path)(element)
    return found


def _typed(element: Element, path: str, kind: str, *, valid: bool = False) -> Typed:
    return tuple(
        (one.get(kind, ""), text)
        for one in _all(element, path)
        if (text := flat_text(one)) and not (valid and one.get("ValidYN") == "N")
    )


def _texts(element: Element, path: str) -> tuple[str, ...]:
    return tuple(text for part in _all(element, path) if (text := flat_text(part)))


def _first(element: Element, tags: tuple[str, ...]) -> Element | None:
    return next((child for child in element if child.tag in tags), None)
