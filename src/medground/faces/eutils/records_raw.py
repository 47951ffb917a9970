"""What PubMed searches of a MEDLINE record beyond a document's own fields: the values of each field of the index."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import product

from medground.corpus.readers.medline_record import MedlineRecord, Person
from medground.pubmed.filters import WORDS

_STATES = ("MEDLINE", "PubMed-not-MEDLINE", "Publisher", "OLDMEDLINE", "In-Process", "In-Data-Review")
_FIRST_PAGE = re.compile(r"[^-,;:\s]+")
RAW_FILTERS = (WORDS - {"hasassociateddata"}) | {
    *("medline", "pubmednotmedline", "publisher", "oldmedline", "inprocess"),
    *(
        f"jsubset{letters}"
        for letters in ("aim", "b", "c", "d", "e", "h", "im", "k", "n", "om", "p", "q", "r", "s", "t", "x")
    ),
}
"""Filters by what is in a record's own XML. `jsubsetim` is Index Medicus, `jsubsetaim` its core clinical journals."""


def raw_values(record: MedlineRecord) -> Mapping[str, list[str]]:
    """The values of each field, by the field's name in a query; without those of MeSH, which a document has."""
    authors, investigators = record.authors, record.investigators
    editors = [*map(Person, record.citation.iterfind("Book/AuthorList[@Type='editors']/Author"))]
    persons = [author.name for author in authors if not author.group]
    people = dict.fromkeys((*authors, *investigators, *editors))
    books = [*record.texts("Book/BookTitle"), *record.texts("Book/CollectionTitle")]
    grants = (" ".join(filter(None, named)) for *named, _ in record.grants)
    return {
        "title": [*record.texts("Article/ArticleTitle"), *record.texts("ArticleTitle"), *books],
        "text": [text for each in (record.abstract, *record.other_abstracts) for _, text in each.parts],
        "transliterated_title": [*record.texts("Article/VernacularTitle"), *record.texts("VernacularTitle")],
        "keyword": [word for _, word in record.keywords],
        "substance": [
            *(substance.name for substance in record.substances),
            *record.texts("SupplMeshList/SupplMeshName"),
        ],
        "author": [author.name for author in authors],
        "first_author": persons[:1],
        "last_author": persons[-1:],
        "full_author": [*_full(authors)],
        "corporate_author": [author.group for author in authors],
        "investigator": [investigator.name for investigator in investigators],
        "full_investigator": [*_full(investigators)],
        "editor": [editor.name for editor in editors],
        "subject_name": [Person(one).name for one in record.citation.iterfind("PersonalNameSubjectList/*")],
        "author_id": [value for person in people for _, value in person.ids],
        "affiliation": [
            *(each for person in people for each in person.affiliations),
            *record.texts("Article/Affiliation"),
        ],
        "journal": [*record.journal_names, *(number for _, number in record.issns)],
        "nlm_id": [*record.texts("MedlineJournalInfo/NlmUniqueID")],
        "place": [*record.texts("MedlineJournalInfo/Country"), *record.texts("Book/Publisher/PublisherLocation")],
        "publisher": [*record.texts("Book/Publisher/PublisherName")],
        "book": books,
        "isbn": [*record.texts("Book/Isbn")],
        "volume": [record.volume],
        "issue": [record.issue],
        "pages": [record.pages, *_FIRST_PAGE.findall(record.pages)[:1]],
        "language": [*record.languages],
        "grant": [*grants],
        "secondary_source": [f"{bank}/{number}" for bank, number in record.databanks],
        "conflict_of_interest": [*record.texts("CoiStatement")],
        "identifier": [*record.texts("Article/ELocationID"), *(value for _, value in record.ids)],
        "subset": [*_subsets(record)],
    }


def raw_dates(record: MedlineRecord) -> Mapping[str, str]:
    """ISO dates that a document does not have: when MeSH was added, and of publication on paper and online."""
    online = [record.text(f"Article/ArticleDate/{part}") for part in ("Year", "Month", "Day")]
    found = {"electronic": "-".join(online)} if all(part.isdecimal() for part in online) else {}
    indexed = next((stamp[:10] for status, stamp in record.history if status == "medline"), "")
    found |= {"indexed": indexed.replace("/", "-")} if indexed else {}
    if issue := record.dates.get("published"):
        found.setdefault("electronic" if record.body.get("PubModel", "").startswith("Electronic") else "print", issue)
    return found


def _full(people: Iterable[Person]) -> Iterator[str]:
    """Names in full, in both orders, with and without the middle names and `Jr`."""
    for person in people:
        if person.family and (given := person.given):
            for names, suffix in product((given, given.split()[0]), ("", person.suffix)):
                yield from (f"{person.family} {names} {suffix}", f"{names} {person.family} {suffix}")


def _subsets(record: MedlineRecord) -> Iterator[str]:
    """The filters that the record passes by what is in it."""
    citation, links = record.citation, {correction.kind.casefold() for correction in record.corrections}
    state = citation.get("Status", "")
    named = {
        "hasabstract": bool(record.abstract.parts),
        "hasstructuredabstract": any(label for label, _ in record.abstract.parts),
        "hasnonenglishabstract": any(each.language not in ("", "eng") for each in record.other_abstracts),
        "haskeyword": bool(record.keywords),
        "hascois": citation.find("CoiStatement") is not None,
        "hasdatabanklist": bool(record.databanks),
        "hasnihmsid": any(kind == "mid" for kind, _ in record.ids),
        "pubstatusaheadofprint": record.element.findtext("PubmedData/PublicationStatus") == "aheadofprint",
        "pmcbook": record.is_book,
        "pmcbookchapter": record.is_book and citation.find("ArticleTitle") is not None,
        "pmcbooktitle": record.is_book and citation.find("ArticleTitle") is None,
        f"indexingmethod_{citation.get('IndexingMethod', 'Curated').casefold()}": bool(record.headings),
        f"owner{citation.get('Owner', 'NLM').casefold()}": True,
        "inprocess" if state.startswith("In-") else state.replace("-", "").casefold(): state in _STATES,
    }
    yield from (name for name, holds in named.items() if holds)
    yield from (f"has{kind.replace(a, b)}" for kind in links for a, b in (("", ""), ("correctedand", "corrected")))
    yield from (f"jsubset{each.casefold()}" for each in record.texts("CitationSubset"))
