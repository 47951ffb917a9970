"""What a MEDLINE or PubMed record of any DTD year says, read from its own XML field by field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from medground.corpus.readers.values import iso_date, own_title, year_in
from medground.corpus.readers.xml import Element, flat_text, name_of
from medground.values.document import MeshHeading, Substance

CITATIONS = ("MedlineCitation", "BookDocument")
RECORDS = ("PubmedArticle", "PubmedBookArticle", *CITATIONS)
_PUBLISHED = ("Article/Journal/JournalIssue/PubDate", "Article/ArticleDate", "Book/PubDate", "ContributionDate")
_DATES = {
    "DateCreated": "created",
    "DateRevised": "revised",
    "DateCompleted": "completed",
    **dict.fromkeys(_PUBLISHED, "published"),
}
_DATA = ("PubmedData", "PubmedBookData")
_STAMP = ("Year", "Month", "Day", "Hour", "Minute")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


class Person:
    """An author, editor or investigator, or the group that is one, of their own element."""

    def __init__(self, element: Element) -> None:
        self.element = element
        self.group = flat_text(element.find("CollectiveName"))
        self.family = flat_text(element.find("LastName"))
        self.initials = flat_text(element.find("Initials"))
        self.suffix = flat_text(element.find("Suffix"))

    @property
    def is_valid(self) -> bool:
        """False for a name that was corrected: the right one is in the record, too."""
        return bool(self.element.get("ValidYN") != "N")

    @property
    def given(self) -> str:
        """First and middle names, as far as the record has them."""
        return flat_text(self.element.find("ForeName")) or flat_text(self.element.find("FirstName"))

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
        return _texts(self.element, "AffiliationInfo/Affiliation") or _texts(self.element, "Affiliation")

    @property
    def ids(self) -> tuple[tuple[str, str], ...]:
        """Such as (`ORCID`, `0000-0002-1825-0097`)."""
        return typed_texts(self.element, "Identifier", "Source")


class Abstract(NamedTuple):
    """An abstract as labelled paragraphs. `kind` and `language` are those of an `OtherAbstract`, or empty."""

    parts: tuple[tuple[str, str], ...] = ()
    rights: str = ""
    kind: str = ""
    language: str = ""


class Correction(NamedTuple):
    """A link to another record: its kind, such as `RetractionIn`, a PMID or an empty string, the reference in words."""

    kind: str
    pmid: str
    place: str


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
        self.data = _first(element, _DATA)

    def text(self, *paths: str) -> str:
        """The text at the first of these paths of the citation that has one."""
        return next(filter(None, (flat_text(self.citation.find(path)) for path in paths)), "")

    def texts(self, path: str) -> tuple[str, ...]:
        """The texts at a path of the citation."""
        return _texts(self.citation, path)

    @property
    def pmid(self) -> str:
        return (self.citation.findtext("PMID") or "").strip()

    @property
    def title(self) -> str:
        """The title; that in its own language where there is no other."""
        return own_title(self.english_title, self.text("Article/VernacularTitle"))

    @property
    def english_title(self) -> str:
        """The title as it stands, also `[Not Available].`; that of the book for a whole one."""
        return self.text("Article/ArticleTitle", "ArticleTitle", "Book/BookTitle")

    @property
    def journal(self) -> str:
        """The journal's full title, or else its abbreviation; or the book's title."""
        return self.text("Article/Journal/Title", "MedlineJournalInfo/MedlineTA", "Book/BookTitle")

    @property
    def abbreviation(self) -> str:
        """The journal's name in MEDLINE, or else the full one."""
        return self.text("MedlineJournalInfo/MedlineTA") or self.journal

    @property
    def journal_names(self) -> tuple[str, ...]:
        """The full title, MEDLINE's abbreviation and that of ISO, as far as the record has them."""
        found = ("Article/Journal/Title", "MedlineJournalInfo/MedlineTA", "Article/Journal/ISOAbbreviation")
        return tuple(name for path in found for name in self.texts(path))

    @property
    def issns(self) -> tuple[tuple[str, str], ...]:
        """ISSNs with their kinds: `Print`, `Electronic`, `Linking`."""
        linking = (("Linking", value) for value in self.texts("MedlineJournalInfo/ISSNLinking"))
        return (*typed_texts(self.citation, "Article/Journal/ISSN", "IssnType"), *linking)

    @property
    def volume(self) -> str:
        return self.text("Article/Journal/JournalIssue/Volume", "Book/Volume")

    @property
    def issue(self) -> str:
        return self.text("Article/Journal/JournalIssue/Issue")

    @property
    def pages(self) -> str:
        """`145-6`, as MEDLINE has it, or the first and last page, or the article's number."""
        ends = _texts(self.body, "Pagination/StartPage") + _texts(self.body, "Pagination/EndPage")
        medline = flat_text(self.body.find("Pagination/MedlinePgn"))
        return medline or "-".join(ends) or self.text("Article/ELocationID[@EIdType='pii']")

    @cached_property
    def authors(self) -> tuple[Person, ...]:
        """The authors, or else those of the book, also names that were corrected (`is_valid` is false)."""
        own, of_book = (self.body.iterfind(path) for path in ("AuthorList/Author", "Book/AuthorList/Author"))
        return tuple(map(Person, own)) or tuple(map(Person, of_book))

    @property
    def investigators(self) -> tuple[Person, ...]:
        return tuple(map(Person, self.citation.iterfind("InvestigatorList/Investigator")))

    @property
    def abstract(self) -> Abstract:
        """The abstract; without parts where there is none."""
        found = self.body.find("Abstract")
        return Abstract() if found is None else _abstract(found)

    @property
    def other_abstracts(self) -> tuple[Abstract, ...]:
        """Abstracts of others, in other languages or in plain words."""
        return tuple(_abstract(found) for found in self.citation.iterfind("OtherAbstract"))

    @property
    def languages(self) -> tuple[str, ...]:
        return _texts(self.body, "Language")

    @property
    def types(self) -> tuple[str, ...]:
        """Publication types."""
        return _texts(self.body, "PublicationType" if self.is_book else "PublicationTypeList/PublicationType")

    @property
    def grants(self) -> tuple[tuple[str, str, str, str], ...]:
        """Number, acronym, agency and country of each grant; what the record lacks is empty."""
        parts = ("GrantID", "Acronym", "Agency", "Country")
        found = (tuple(flat_text(one.find(part)) for part in parts) for one in self.body.iterfind("GrantList/Grant"))
        return tuple((number, acronym, agency, country) for number, acronym, agency, country in found)

    @property
    def databanks(self) -> tuple[tuple[str, str], ...]:
        """Names of databanks with the accession numbers there; the number is empty where none is given."""
        return tuple(
            (flat_text(bank.find("DataBankName")), number)
            for bank in self.body.iterfind("DataBankList/DataBank")
            for number in _texts(bank, "AccessionNumberList/AccessionNumber") or ("",)
        )

    @property
    def keywords(self) -> tuple[tuple[str, str], ...]:
        """Keywords with their owners: `NOTNLM` for the authors' own, else an institution such as `KIE`."""
        lists = self.citation.iterfind("KeywordList")
        return tuple((one.get("Owner", "NLM"), word) for one in lists for word in _texts(one, "Keyword"))

    @property
    def headings(self) -> tuple[MeshHeading, ...]:
        """MeSH headings with their subheadings."""
        return tuple(
            MeshHeading(
                descriptor=flat_text(descriptor),
                ui=descriptor.get("UI") or None,
                major=any(part.get("MajorTopicYN") == "Y" for part in heading),
                qualifiers=_texts(heading, "QualifierName"),
                major_qualifiers=_texts(heading, "QualifierName[@MajorTopicYN='Y']"),
            )
            for heading in self.citation.iterfind("MeshHeadingList/MeshHeading")
            if (descriptor := _first(heading, ("DescriptorName", "Descriptor"))) is not None
        )

    @property
    def substances(self) -> tuple[Substance, ...]:
        """Registered substances, whose number is `0` where they have none."""
        return tuple(
            Substance(
                name=flat_text(name), ui=name.get("UI") or None, number=flat_text(one.find("RegistryNumber")) or "0"
            )
            for one in self.citation.iterfind("ChemicalList/Chemical")
            if (name := one.find("NameOfSubstance")) is not None and flat_text(name)
        )

    @cached_property
    def corrections(self) -> tuple[Correction, ...]:
        """Links to other records: references, corrections, retractions, comments."""
        return tuple(_corrections(self.citation))

    @property
    def references(self) -> tuple[str, ...]:
        """The PMIDs of its reference list, each as often as it stands there."""
        path = "PubmedData/ReferenceList//ArticleIdList/ArticleId[@IdType='pubmed']"
        return _texts(self.element, path)

    @property
    def ids(self) -> tuple[tuple[str, str], ...]:
        """The record's ids by their kinds, such as (`doi`, `10.1/x`), as PubMed lists them."""
        own = typed_texts(self.citation, "ArticleIdList/ArticleId", "IdType")
        return (() if self.data is None else typed_texts(self.data, "ArticleIdList/ArticleId", "IdType")) + own

    @property
    def locations(self) -> tuple[tuple[str, str], ...]:
        """Where the article is online: (`doi`, `10.1/x`) or (`pii`, `S0140`), without what is marked as wrong."""
        found = self.citation.iterfind("Article/ELocationID")
        return tuple((one.get("EIdType", ""), flat_text(one)) for one in found if one.get("ValidYN") != "N")

    @property
    def article_ids(self) -> tuple[tuple[str, str], ...]:
        """The ids of PubMed's list, then those of the article that are not among them."""
        return tuple(dict.fromkeys((*self.ids, *self.locations)))

    @property
    def publication_status(self) -> str:
        """`ppublish`, `epublish`, `aheadofprint`; `ppublish` where the record does not say."""
        return (None if self.data is None else self.data.findtext("PublicationStatus")) or "ppublish"

    @property
    def identifiers(self) -> dict[str, str]:
        """One id of each kind but the PMID."""
        every = dict(typed_texts(self.citation, "Article/ELocationID", "EIdType")) | dict(self.ids)
        return {kind: value for kind, value in every.items() if kind not in ("", "pubmed", "pmid")}

    @property
    def printed(self) -> str:
        """The date of the issue as PubMed writes it: `1998 Dec-1999 Jan`, `2001 Jun 15`, `2001 Spring`."""
        return next((text for path in _PUBLISHED if (text := self.date(path))), "")

    def date(self, path: str) -> str:
        """The date at a path of the citation as PubMed writes it, or an empty string."""
        date = self.citation.find(path)
        parts = {} if date is None else {name_of(part): flat_text(part) for part in date}
        month = parts.get("Month", "")
        month = MONTHS[int(month) - 1] if month.isdecimal() and 1 <= int(month) <= 12 else month
        words = (
            parts.get("MedlineDate"),
            parts.get("Year"),
            parts.get("Season"),
            month,
            parts.get("Day", "").lstrip("0"),
        )
        return " ".join(filter(None, words))

    @cached_property
    def dates(self) -> Mapping[str, str]:
        """ISO dates by kind, each as precise as the record: `1998`, `1998-12`, `1998-12-31`.

        `published` is the date of the issue, or else of the electronic article; a range ("1998 Dec-1999 Jan") becomes
        its first year.
        """
        dates: dict[str, str] = {}
        if (
            self.data is not None
            and (entered := self.data.find("History/PubMedPubDate[@PubStatus='entrez']")) is not None
        ):
            dates["entered"] = _iso(entered)
        for path, kind in _DATES.items():
            if not dates.get(kind) and (element := self.citation.find(path)) is not None:
                dates[kind] = _iso(element)
        return {kind: date for kind, date in dates.items() if date}

    @property
    def history(self) -> tuple[tuple[str, str], ...]:
        """What happened when, as PubMed writes it: (`received`, `2017/01/09 00:00`), (`entrez`, `2018/05/17 06:00`)."""
        found = () if self.data is None else self.data.iterfind("History/PubMedPubDate")
        return tuple((one.get("PubStatus", ""), _stamp(one)) for one in found)


def _abstract(element: Element) -> Abstract:
    parts = ((_label(part), flat_text(part)) for part in element.iterfind("AbstractText"))
    rights = flat_text(element.find("CopyrightInformation"))
    return Abstract(tuple(parts), rights, element.get("Type", ""), element.get("Language", ""))


def _label(part: Element) -> str:
    label = part.get("Label") or part.get("NlmCategory") or ""
    return "" if label == "UNLABELLED" else " ".join(label.split())


def _corrections(citation: Element) -> Iterator[Correction]:
    """Before 2009, the kind was an element: `<RetractionIn><PMID>`."""
    for path in ("CommentsCorrectionsList/CommentsCorrections", "CommentsCorrections"):
        for correction in citation.iterfind(path):
            if kind := correction.get("RefType"):
                yield _correction(kind, correction)
            else:
                yield from (_correction(name_of(old), old) for old in correction)


def _correction(kind: str, element: Element) -> Correction:
    return Correction(kind, (element.findtext("PMID") or "").strip(), flat_text(element.find("RefSource")))


def _iso(date: Element) -> str:
    year = year_in(date.findtext("Year") or date.findtext("MedlineDate") or "")
    month, day = ((date.findtext(name) or "").strip() for name in ("Month", "Day"))
    return "" if year is None else iso_date(f"{year} {month} {day}") or ""


def _stamp(date: Element) -> str:
    year, month, day, hour, minute = ((date.findtext(name) or "").strip().zfill(2) for name in _STAMP)
    return f"{year}/{month}/{day} {hour}:{minute}"


def typed_texts(element: Element, path: str, kind: str) -> tuple[tuple[str, str], ...]:
    """The texts at a path, each after the attribute that says its kind."""
    return tuple((one.get(kind, ""), text) for one in element.iterfind(path) if (text := flat_text(one)))


def _texts(element: Element, path: str) -> tuple[str, ...]:
    return tuple(text for part in element.iterfind(path) if (text := flat_text(part)))


def _first(element: Element, tags: tuple[str, ...]) -> Element | None:
    return next((child for child in element if name_of(child) in tags), None)
