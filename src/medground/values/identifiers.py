"""The ids of a paper, PMID, PMC id and DOI, in one form each: two records of the same paper share one."""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from html import unescape
from typing import Any, Literal
from unicodedata import category, decimal, normalize
from urllib.parse import unquote

Relation = Literal["similar", "citing", "references"]
"""Papers that are like another one, cite it, or are cited by it."""
KINDS = ("pmid", "pmc", "doi")
"""The ids by which records are joined, the surest first."""

OWN_FILE = "FILE:"
"""The prefix of documents that are named after a file."""
_DOI = re.compile(r"10\.\d{4,9}/\S+")
_NAME = r"(?:pubmed[\s_-]*pmid|pmid|pubmed|medline)[\s_-]*(?:id|no\.?|number)?"
_ADDRESS = re.compile(
    r"(?:https?://)?(?:www\.|m\.|view\.|rdf\.|api\.)?(?:"
    r"(?:pubmed\.)?ncbi\.nlm\.nih\.gov/(?:m/)?(?:pubmed/?)?(?:pmid)?(?:\?(?:cmd=search&)?term=)?"
    r"|ncbi\.nlm\.nih\.gov/entrez/query\.fcgi\?.*\b(?:list_uids|id)=|pubmed\.gov/"
    r"|pubmed-ncbi-nlm-nih-gov\.[\w.-]+/"  # through the proxy of a library
    r"|europepmc\.org/(?:articles?|abstract)/med/|ebi\.ac\.uk/europepmc/webservices/rest/article/med/"
    r"|(?:identifiers\.org|bioregistry\.io)/pubmed[:/]|purl\.uniprot\.org/citations/|semanticscholar\.org/pmid:"
    r"|scholar\.archive\.org/pmid/)"
    r"0*([1-9]\d{0,9})(?![\d.]*\w)(?:\[\w+\])?(?:[/?#&].*)?",
    re.IGNORECASE,
)
_NAMED = re.compile(
    rf"[(\[]?(?:(?:info|urn)[:/])?{_NAME}(?:-|[\s:=#/.]*)(?:{_NAME}[\s:=#/.]*|NLM)?"
    r"0*([1-9]\d{0,9})(?:\.\d+|\s*v\d+)?(?:\s*\[.*\])?[)\].,;/]*",
    re.IGNORECASE,
)
_TAGGED = re.compile(r"(?i)0*([1-9]\d{0,9})\s*\[(?:pmid|uid)\]")
"""As PubMed tags an id in a query, and exporters do."""
_BARE = re.compile(r"(?i)(?:(?:med|pm)[:/]\s*)?0*([1-9]\d{0,9})(?:\.\d+)?/?(?:[?#].*|\s*\[.*\])?")
_OF_EUROPE_PMC = re.compile(r"(?i)med\s*[:/]\s*0*([1-9]\d{4,7})")
"""As Europe PMC names a PubMed record. A shorter number may be one of the user's own, of another kind."""
_PMC = re.compile(r"(?:.*[:/\s])?(?:PMC\s?|pmc/articles/)0*([1-9]\d{0,9})(?:\.\d+)?/?", re.IGNORECASE | re.DOTALL)
_NUMBER = re.compile(r"0*([1-9]\d{0,9})")
_OPENING = {")": "(", "]": "[", "}": "{", ">": "<"}
_AFTER = ".,;:'\"\u201d\u2019"


@lru_cache(maxsize=4096)  # a build asks for that of each document several times
def normal_doi(value: str) -> str | None:
    """A DOI as doi.org compares them: lower case, without its address, entities, escapes or the punctuation after it.

    A closing bracket belongs to a DOI only if its opening one does. None if there is no DOI in the value.
    """
    text = unescape(value)
    if "%" in text:
        text = unquote(text)
    found = _DOI.search(text.lower())
    if found is None:
        return None
    doi = found[0]
    while doi[-1] in _AFTER or doi.count(doi[-1]) > doi.count(_OPENING.get(doi[-1], doi[-1])):
        doi = doi[:-1]
    return doi if _DOI.fullmatch(doi) else None


@lru_cache(maxsize=4096)
def normal_pmid(value: str) -> str | None:
    """A PMID without its address, prefix, version or leading zeros; None if the value is not one."""
    found = _BARE.fullmatch(_visible(value))
    return found[1] if found else named_pmid(value)


def pmid_in_address(value: str) -> str | None:
    """The PMID of the record at an address of PubMed or Europe PMC; None of any other address."""
    found = _ADDRESS.fullmatch(_visible(value))
    return found[1] if found else None


@lru_cache(maxsize=4096)
def named_pmid(value: str) -> str | None:
    """The PMID of a value that says that it is one: `PMID: 1`, `MEDLINE:1`, `MED:12345`, `1[pmid]`, its address.

    A bare number is none.
    """
    text = _visible(value)
    found = _NAMED.fullmatch(text) or _TAGGED.fullmatch(text) or _OF_EUROPE_PMC.fullmatch(text)
    return found[1] if found else pmid_in_address(value)


def _plain(character: str) -> str:
    """A full-width character or a digit of any script in ASCII; an exponent is not a digit."""
    if "\uff01" <= character <= "\uff5e":
        return chr(ord(character) - 0xFEE0)
    return str(decimal(character, character))


def _visible(value: str) -> str:
    if not value.isascii():
        value = "".join(_plain(c) for c in value if category(c) != "Cf")
    return value.strip()


def normal_pmc(value: str) -> str | None:
    """A PMC id such as `PMC123`, without its address or version; None if the value is not one."""
    text = value.strip()
    found = _PMC.fullmatch(text) or _NUMBER.fullmatch(text)
    return f"PMC{found[1]}" if found else None


_PMIDS = re.compile(
    r"(?i)\bPMIDs?\b[\s:=#.]*(0*[1-9]\d{0,8}(?!\d)(?:(?:\s*[,;&]\s*|\s+(?:and|or)\s+)(?:PMID\s*:?\s*)?\d{4,9}\b)*)"
)
_PMC_IN_TEXT = re.compile(r"(?i)(?<![^\W_])PMC0*([1-9]\d{2,8})(?!\w)")
_WORD = re.compile(r"[^\s()\[\]<>{}?!,;\"'\u201c\u201d](?:\S*[^\s)\]<>{}?!.,;\"'\u201c\u201d]|\S*\([\w-]+\)[\w-]*)?")
"""A word without the punctuation around it; a DOI may end in brackets."""
_PMID_ALONE = re.compile(r"\W*([1-9]\d{6,7})\W*")
"""A shorter number may mean anything."""


def papers_named(text: str) -> dict[tuple[int, int], tuple[str, ...]]:
    """The papers that a text names by PMID, PMC id, DOI or an address of these, by the place of each mention.

    A paper is `pmid:1`, `pmc:PMC1` or `doi:10.1/x`. A number of 7 or 8 digits is a PMID only if nothing else is there.
    """
    if alone := _PMID_ALONE.fullmatch(text):
        return {alone.span(1): (f"pmid:{alone[1]}",)}
    found: dict[tuple[int, int], tuple[str, ...]] = {}
    for word in _WORD.finditer(text):
        if pmid := pmid_in_address(word[0]):
            found[word.span()] = (f"pmid:{pmid}",)
        elif doi := normal_doi(word[0]):
            found[word.span()] = (f"doi:{doi}",)
        elif pmc := _PMC_IN_TEXT.search(word[0]):
            found[word.span()] = (f"pmc:PMC{pmc[1]}",)
    rest = "".join(" " if any(a <= n < b for a, b in found) else letter for n, letter in enumerate(text))
    for match in _PMIDS.finditer(rest):
        found[match.span()] = tuple(f"pmid:{number.lstrip('0')}" for number in re.findall(r"\d+", match[1]))
    return dict(sorted(found.items()))


def without_papers(text: str) -> str:
    """A text without the papers that it names by id: an id says nothing of what a question is about."""
    for start, end in reversed(papers_named(text)):
        text = text[:start] + text[end:]
    return text


_NORMAL: Mapping[str, Callable[[str], str | None]] = {"pmid": normal_pmid, "pmc": normal_pmc, "doi": normal_doi}
_PMID_KEYS = ("pubmed", "pubmedid", "pubmedpmid", "medline", "medlineid", "medlinepmid", "pmids")
_KEYS = dict.fromkeys(_PMID_KEYS, "pmid") | {"pmcid": "pmc", "pmcentral": "pmc", "pubmedcentral": "pmc"}
_OWNERS = re.compile(r"(?:nlm|article|paper|record|document|publication|originalpaper|prism|citation)(?=p(?:ub)?m)")
"""What stands before the name of an id in a key such as `article_pmid`: the record is its own."""
_NOT_IN_A_KEY = re.compile(r"[\W_]+")


def normal_id(kind: str, value: str) -> str | None:
    """An id of one of `KINDS` in its normal form; None if the value is not one."""
    return _NORMAL[kind](value)


@lru_cache(maxsize=4096)
def id_kind(name: str) -> str:
    """What people call an id, in lower case and in our own word where it is one of `KINDS`: `PubMed ID` is `pmid`."""
    plain = _OWNERS.sub("", _NOT_IN_A_KEY.sub("", normalize("NFKC", name)).casefold(), count=1)
    return _KEYS.get(plain, plain if plain in _NORMAL else name.strip().casefold())


def normal_document_id(value: str) -> str:
    """The id of a PubMed record in the one form `PMID:123`, however it is written; any other id as it is.

    `pmid:123`, `PubMed: 123`, `PMID:123.2` and the record's address name the same record. A bare number is no PMID.
    """
    pmid = named_pmid(value)
    return f"PMID:{pmid}" if pmid else value


def normal_identifiers(given: Mapping[str, Any]) -> dict[str, Any]:
    """Identifiers by kind, in their normal form where they have one: `{"PMID": " 0123 "}` is `{"pmid": "123"}`.

    A value that is not an id of its kind stays as it is, and of two values of a kind the first.
    """
    found: dict[str, Any] = {}
    for name, value in given.items():
        kind = id_kind(str(name))
        normal = normal_id(kind, str(value)) if kind in _NORMAL and isinstance(value, str | int) else None
        found.setdefault(kind, normal or value)
    return found


def paper_names(document_id: str, identifiers: Mapping[str, str], url: str | None = None) -> tuple[str, ...]:
    """The names of the paper that a record is about: `pmid:1`, `pmc:PMC1`, `doi:10.1/x`, from its id and other ids.

    An address of PubMed or a DOI's is as good as the id: the result of a search engine has nothing else.
    """
    prefix, _, name = normal_document_id(document_id).partition(":")
    own = id_kind(prefix)
    given = [(own, name)] if own in _NORMAL else []
    given += [(kind, value) for key, value in identifiers.items() if (kind := id_kind(key)) in _NORMAL]
    found = [(kind, value) for kind, text in given if (value := _NORMAL[kind](text))]
    known = {kind for kind, _ in found}
    if url and "pmid" not in known and (pmid := pmid_in_address(url)):
        found.append(("pmid", pmid))
    if url and "doi" not in known and "doi" in url.lower() and (doi := normal_doi(url)):
        found.append(("doi", doi))
    return tuple(dict.fromkeys(f"{kind}:{value}" for kind in KINDS for k, value in found if k == kind))
