"""PubMed field tags: all spellings of each tag, and the form in which PubMed prints it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Literal

from rapidfuzz import fuzz, process

from medground.query import DateField, FieldName

Kind = Literal["text", "all", "mesh", "major", "subheading", "type", "date", "filter", "id"]
"""How to interpret the words before a tag: as words in a field, a heading, a date, ..."""


@dataclass(frozen=True, slots=True)
class Tag:
    """A field as PubMed prints it (`Title/Abstract`), and the matching field in our query tree."""

    name: str
    kind: Kind = "text"
    field: FieldName | None = None
    date: DateField | None = None


@dataclass(frozen=True, slots=True)
class TagUse:
    """A tag with its options: `[mh:noexp]` does not explode; `[tiab:~3]` allows three words in between."""

    tag: Tag
    explode: bool = True
    distance: int | None = None

    @property
    def text(self) -> str:
        """The tag with its brackets."""
        ending = "" if self.explode else ":noexp"
        ending += "" if self.distance is None else f":~{self.distance}"
        return f"[{self.tag.name}{ending}]"


_TEXT_TAGS: dict[FieldName, str] = {
    "title": "Title|ti|titl|article title",
    "text": "Abstract|ab|abstract text",
    "title_abstract": "Title/Abstract|tiab|title abstract|title and abstract|ti,ab|ti/ab|tiab/abstract|titleabstract",
    "text_word": "Text Word|tw|word|text|text words|textword|textwords",
    "author": "Author|au|auth|author name|authors|full author name|fau|author - full",
    "first_author": "Author - First|1au|first author|first author name|author first",
    "last_author": "Author - Last|lastau|last author|last author name|author last",
    "author_id": "Author - Identifier|auid|author identifier",
    "corporate_author": "Author - Corporate|cn|corp|corporate author|author corporate",
    "investigator": "Investigator|ir|investigator name|full investigator name|fir|investigator - full",
    "editor": "Editor|ed|editor name",
    "subject_name": "Subject - Personal Name|ps|personal name as subject|personal name",
    "affiliation": "Affiliation|ad|affl|address|author affiliation|affil",
    "journal": "Journal|ta|jour|journal title|journal title abbreviation|jt|is|issn|so|source",
    "language": "Language|la|lang",
    "keyword": "Other Term|ot|oth|other terms|keyword|keywords|author keyword|author keywords|kw",
    "identifier": "Article Identifier|aid|doi|location id|lid|pmcid|pmc|mid",
    "substance": "Supplementary Concept|nm|subs|substance name|substance|supplementary concepts",
    "registry_number": "EC/RN Number|rn|ecno|ec rn number|registry number|ec/rn",
    "pharmacological_action": "Pharmacological Action|pa|pharmacologic action|pharma action",
    "volume": "Volume|vi|vol",
    "issue": "Issue|ip|iss",
    "pages": "Pagination|pg|page|pages",
    "grant": "Grants and Funding|gr|grnt|grant number|grant|grants",
    "secondary_source": "Secondary Source ID|si",
    "nlm_id": "NLM Unique ID|jid|nlm id",
    "place": "Place of Publication|pl|cntry|country",
    "publisher": "Publisher|pubn",
    "book": "Book|book title",
    "isbn": "ISBN",
    "conflict_of_interest": "Conflict of Interest Statements|cois|conflict of interest statement|coi",
    "transliterated_title": "Transliterated Title|tt|vernacular title",
}
_DATE_TAGS: dict[DateField, str] = {
    "published": "Date - Publication|dp|pdat|publication date|date of publication|pubdate|pub date|year|py",
    "entered": "Date - Entry|edat|entrez date|entry date|date - entrez",
    "created": "Date - Create|crdt|create date|date - creation|creation date",
    "revised": "Date - Modification|mdat|lr|modification date|last revision|moddate",
    "completed": "Date - Completion|dcom|completion date",
    "indexed": "Date - MeSH|mhda|mesh date",
    "electronic": "Electronic Date of Publication|epdat|electronic publication date|date - electronic publication",
    "print": "Print Date of Publication|ppdat|print publication date|date - print publication",
}
_OTHERS: dict[Tag, str] = {
    Tag("All Fields", "all", "all"): "all|all field|allfields",
    Tag("MeSH Terms", "mesh", "mesh"): "mh|mesh|mesh term|mesh heading|mesh headings|meshterms|meshterm|descriptor",
    Tag(
        "MeSH Major Topic", "major", "mesh_major"
    ): "majr|mj|major|mesh major|mesh major topics|major topic|mesh major terms",
    Tag("MeSH Subheading", "subheading"): "sh|subh|subheading|mesh subheadings|subheadings|qualifier",
    Tag("Publication Type", "type"): "pt|ptyp|publication types|pubtype|pub type|article type",
    Tag("Filter", "filter", "subset"): "sb|subset|subsets|filters|fltr",
    Tag("UID", "id", "id"): "pmid|pubmed id|pmids",
}
_NOT_EXPLODED = re.compile(r"[:,]?\s*no\s?-?(?:exp|explode|explosion)$")
_DISTANCE = re.compile(r"\s*:\s*~\s*(\d{1,4})$")
_JOURNAL_ID = re.compile(r":__jid\w*$")
_PROXIMITY = ("title", "title_abstract", "affiliation")
_EXPLODED = ("mesh", "major", "subheading", "type")
_SIMILAR = 75
"""Minimum similarity (0 to 100) to match a misspelt tag to a known spelling."""


@cache
def _spellings() -> dict[str, Tag]:
    tags = [(Tag(s.split("|", 1)[0], "text", field), s) for field, s in _TEXT_TAGS.items()]
    tags += [(Tag(s.split("|", 1)[0], "date", None, date), s) for date, s in _DATE_TAGS.items()]
    tags += list(_OTHERS.items())
    return {
        spelling.casefold(): tag
        for tag, spellings in tags
        for spelling in (tag.name, *filter(None, spellings.split("|")))
    }


@cache
def tag_for_field(field: FieldName) -> Tag | None:
    """Return the tag of a field in our query tree, or None if PubMed has none."""
    return next((tag for tag in _spellings().values() if tag.field == field), None)


@cache
def tag_for_date(date: DateField) -> Tag:
    """Return the tag of a date field."""
    return next(tag for tag in _spellings().values() if tag.date == date)


@cache
def tag_for_kind(kind: Kind) -> Tag:
    """Return the first tag of a kind."""
    return next(tag for tag in _spellings().values() if tag.kind == kind)


@dataclass(frozen=True, slots=True)
class Read:
    """The result of reading a tag: the tag with its options, or the problem and the closest valid tag."""

    use: TagUse | None
    problem: str = ""
    guess: TagUse | None = None


@cache
def read_tag(text: str) -> Read:
    """Read a tag without its brackets, ignoring case and spacing."""
    name = " ".join(text.casefold().split())
    name = _JOURNAL_ID.sub("", name)
    distance = _DISTANCE.search(name)
    name = name[: distance.start()] if distance else name
    narrow = _NOT_EXPLODED.search(name)
    name = (name[: narrow.start()] if narrow else name).strip(" :")
    tag = _spellings().get(name)
    if tag is None:
        found = (
            process.extractOne(name, _spellings().keys(), scorer=fuzz.ratio, score_cutoff=_SIMILAR) if name else None
        )
        guess = _use(_spellings()[found[0]], bool(narrow), distance) if found else None
        return Read(None, f"unknown field tag [{text[:40]}]", guess or _before_colon(name))
    use = _use(tag, bool(narrow), distance)
    if distance and use.distance is None:
        return Read(None, f"[{name}] does not accept a distance; use [ti], [tiab] or [ad]", use)
    if narrow and use.explode:
        return Read(None, f"[{name}] does not explode; remove :noexp", use)
    return Read(use)


def _before_colon(name: str) -> TagUse | None:
    """Return the tag `mh` for `mh:exp`, ignoring the unknown suffix."""
    tag = _spellings().get(name.partition(":")[0].strip())
    return None if tag is None else TagUse(tag)


def _use(tag: Tag, narrow: bool, distance: re.Match[str] | None) -> TagUse:
    near = int(distance[1]) if distance and tag.field in _PROXIMITY else None
    return TagUse(tag, explode=not (narrow and tag.kind in _EXPLODED), distance=near)
