"""What a question names: headings of MeSH by automatic term mapping, populations, names that MeSH lacks, and
alternatives.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from medground.language.plain_words import is_plain
from medground.language.word_lists import word_lists
from medground.pubmed.mesh import vocabulary
from medground.pubmed.mesh_table import Heading
from medground.pubmed.translate import standard_mapper
from medground.values.query import Mesh, Or, Query

POOR = word_lists("special_words")["poor"]
"""Headings that say little about the subject of a question (check tags and words common to all studies)."""


def spoken(question: str) -> str:
    """The words of a question, separated by single spaces."""
    return " ".join(re.findall(r"[\w'’+/-]+", question))


def mapped(question: str) -> list[tuple[str, str]]:
    """The words that term mapping reads as one concept, in order, with the heading; it is empty if there is none."""
    plain = spoken(question)
    _, translations = standard_mapper().map(plain) if plain else (None, [])
    headings = [(t.source, vocabulary().find(_heading_of(t.query) or "")) for t in translations]
    return [(said, heading.name if heading and not _is_plain(said, heading) else "") for said, heading in headings]


def _is_plain(said: str, heading: Heading) -> bool:
    """Whether a word of plain English is only spelt like an abbreviation for the heading: tips, and TIPS."""
    return said.upper() in heading.entry_terms and is_plain(said)


def _heading_of(query: Query) -> str | None:
    parts = query.parts if isinstance(query, Or) else (query,)
    return next((part.heading for part in parts if isinstance(part, Mesh) and part.heading), None)


POPULATIONS = frozenset(
    ["adolescent", "adult", "aged", "child", "female", "infant", "male", "men", "middle aged", "students", "women"]
)
"""Headings too common to name a subject, but which say for whom a question is asked."""

_CHECK_TAG = {"Women": "Female", "Men": "Male"}
"""The heading that articles about some people are indexed with; "Women" is for women as a topic."""

_CODE = re.compile(r"(?=.*[^\W\d_])(?=.*\d)(?!\d+-?[A-Za-z]{1,3}$|\d+(?:-[A-Za-z]+)+$|[a-z]+-\d+s$)[\w+/-]+")
"""Letters with digits, such as miR-200, but not 30-day, 54-year-old or over-70s."""

_CAPITALS = re.compile(r"(?=(?:.*[A-Z]){2})(?!(?:[IVX]+|AND|OR|NOT)$)[\w+/-]+")
"""Two capitals or more, such as EGFR or mTORC, but no Roman number and no operator of a query."""

_DRUG = re.compile(
    r"\w{3,}(?:mab|nib|ciclib|rafenib|parib|stat|vastatin|sartan|pril|olol|dipine|gliptin|gliflozin|glutide|glitazone|"
    r"xaban|gatran|parin|grelor|cillin|mycin|floxacin|conazole|cycline|vir|prazole|tidine|setron|triptan|gepant|"
    r"oxetine|azepam|barbital|caine|profen|coxib|onide|asone|olone|dronate|platin|rubicin|taxel|tecan|kinra)|\w{4,}cept"
)
"""Words with a stem of the WHO's international nonproprietary names, which new drugs have too."""

_LINK = re.compile(r"[\s,]*(?:and/)?or(?:\s+[\w-]+){0,2}\s*|\s*/\s*|(?P<comma>\s*,\s*)")
"""What stands between two alternatives; a comma is a link only in a list that has an `or`."""


@dataclass(frozen=True)
class Named:
    """Something that a question names.

    Attributes:
        words: as the question says it.
        heading: its MeSH heading; empty if it has none.
        kind: names and abbreviations have no heading; a name is a code such as that of a gene, or a drug.
        start: offset of the words in the question, ignoring case; -1 if they are not there as such.
    """

    words: str
    heading: str
    kind: Literal["concept", "population", "name", "abbreviation"]
    start: int


@lru_cache(maxsize=256)
def named(question: str) -> tuple[Named, ...]:
    """What a question names, in order, each once."""
    found: dict[str, Named] = {}
    for said, heading, start in _read(question):
        if heading:
            poor = heading.casefold() in POOR
            if poor and heading.casefold() not in POPULATIONS:
                continue
            heading = _CHECK_TAG.get(heading, heading)
            found.setdefault(heading, Named(said, heading, "population" if poor else "concept", start))
        elif kind := _kind(said, question):
            found.setdefault(said.casefold(), Named(said, "", kind, start))
    return tuple(found.values())


def mentions(question: str) -> tuple[Named, ...]:
    """The headings that a question names, in order, without those that say little about its subject."""
    return tuple(one for one in named(question) if one.kind == "concept")


def is_drug_name(word: str) -> bool:
    """Whether a word has a stem of the WHO's international nonproprietary names."""
    return _DRUG.fullmatch(word.casefold()) is not None


def alternatives(question: str) -> tuple[tuple[Named, ...], ...]:
    """What a question names, in groups: things joined by "or" are alternatives, everything else stands alone."""
    groups: list[list[Named]] = []
    linked: list[list[str]] = []
    for one in named(question):
        between = question[groups[-1][-1].start + len(groups[-1][-1].words) : one.start] if groups else ""
        link = _LINK.fullmatch(between) if groups and min(one.start, groups[-1][-1].start) >= 0 else None
        if link:
            groups[-1].append(one)
            linked[-1].append("comma" if link["comma"] else "or")
        else:
            groups.append([one])
            linked.append([])
    return tuple(
        part
        for group, links in zip(groups, linked, strict=True)
        for part in ([tuple(group)] if "or" in links or not links else [(one,) for one in group])
    )


def _read(question: str) -> Iterator[tuple[str, str, int]]:
    """The question's words: each concept of term mapping with its heading, each other word without one."""
    folded, cursor = question.casefold(), 0
    tokens, place = spoken(question).split(), 0
    concepts = [(said.split(), heading) for said, heading in mapped(question)]
    while place < len(tokens):
        length, heading = 1, ""
        if concepts and tokens[place : place + len(concepts[0][0])] == concepts[0][0]:
            run, heading = concepts.pop(0)
            length = len(run)
        said = " ".join(tokens[place : place + length])
        start = folded.find(said.casefold(), cursor)
        cursor = max(cursor, start + 1)
        place += length
        yield said, heading, start


def _kind(word: str, question: str) -> Literal["name", "abbreviation"] | None:
    """What a word that no heading stands for names; None for an ordinary word."""
    plain = re.sub(r"['’]s?$", "", word)
    if _CODE.fullmatch(plain) or _DRUG.fullmatch(plain.casefold()):
        return "name"
    return "abbreviation" if _CAPITALS.fullmatch(plain) and not _in_capitals(question) else None


@lru_cache(maxsize=256)
def _in_capitals(question: str) -> bool:
    """Whether most of a question is in capitals, which then tell nothing."""
    tokens = spoken(question).split()
    return 2 * sum(token.isupper() for token in tokens) > len(tokens)
