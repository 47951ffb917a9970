"""Title, authors, year, journal and identifiers of a paper, from its first page and the file's metadata.

Nothing is invented: what the metadata says counts only where the first page says it too, and what neither has stays
empty. The date on which the file was made is not a year of publication.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from rapidfuzz import fuzz

from medground.corpus.readers.record_ids import own_ids, without_others
from medground.corpus.readers.values import initials_of
from medground.corpus.retraction import is_retracted
from medground.language.pattern import verbose_pattern
from medground.pubmed.characters import letters_of
from medground.values.identifiers import papers_named

# Year, journal and identifiers of a paper, from what its first page and its running heads say.

_BROKEN_DOI = re.compile(r"\b(10\.\d{4,9}/(?:\S*[-/_]|[^\s\d]*\.))\s(?=\S*\d)")
"""Where a line end broke it."""
_YEAR = r"((?:19|20)\d\d)"
_YEARS = tuple(
    map(
        verbose_pattern,
        (
            rf"\bpublished(?:\ online)?(?:\ on)?:?\s*[^.;]{{0,25}}?\b{_YEAR}\b",
            rf"\bposted(?:\ online)?(?:\ on)?:?\s*[^.;]{{0,25}}?\b{_YEAR}\b",
            rf"\b{_YEAR}\s*[;,:]\s*(?:\d+|vol)",
            rf"\bvol(?:ume|\.)?\s*\d+[^;]{{0,40}}?\b{_YEAR}\b",
            rf"(?:©|\(c\)|copyright)\s*(?:the\ author\(?s?\)?\s*)?{_YEAR}\b",
            rf"\b\d+\s*\({_YEAR}\)",
            rf"\(\s*{_YEAR}\s*\)",
            rf"\b{_YEAR}\b",
        ),
    )
)
"""Where a year is, the surest first: of publication or posting, before an issue, after a volume, of the copyright,
after a number, in brackets; the last is a year by itself, in a line above the title.
"""
_JOURNAL = verbose_pattern(
    rf"""
    ^(?P<name>[A-Z][^\d|,;()\u2022\u00b7]{{2,80}}?)[\s,.;(|\u2022\u00b7]+(?:(?:vol\w*\.?\s*\d+(?:,?\s(?:no|issue)\.?\s*\d+)?[^\d]{{1,14}}|
    \d{{1,4}}(?:\s?\(\d{{1,3}}\))?[\s,;:]*\(?|published\ )?{_YEAR}\b|(?:https?://(?:dx\.)?doi\.org/|doi:\s?)10\.)
    """
)
"""The name before a volume and a year, or before the DOI, as publishers write it into the file."""
_CITED_IN = r"[.?!]?\s+([A-Z][^\d;,()]{2,80}?)[.,:]?\s+(?:\d|vol)"
"""What comes after the title where a page says how to cite the paper."""
_PREPRINT = verbose_pattern(
    r"""
    \b(medRxiv|bioRxiv|Research\ Square|arXiv|SSRN|Preprints\.org|OSF\ Preprints)\b[^.]{0,20}preprint
    """,
    0,
)
_NO_JOURNAL = verbose_pattern(
    r"""
    received|accepted|published|copyright|©|et\ al|authors?$|^(?:vol\w*|no|issue|january|february|march|april|
    may|june|july|august|september|october|november|december|page|doi|https?)\b
    """
)


def year_of(said: Sequence[str], first_page: str) -> int | None:
    """The year of publication; that of receipt does not count."""
    for texts in (said, (first_page,)):
        for pattern in _YEARS[:-1]:
            if found := next(filter(None, map(pattern.search, texts)), None):
                return int(found[1])
    plain = (text for text in said[:4] if not re.search(r"received|accepted|revised", text, re.I))
    return next((int(found[1]) for text in plain if (found := _YEARS[-1].search(text))), None)


def journal_of(said: Sequence[str], first_page: str, title: str, authors: Sequence[str]) -> str | None:
    """The journal, or the server of a preprint. A running head that names the paper or its authors is neither."""
    if posted := next((found[1] for text in said if (found := _PREPRINT.search(text))), None):
        return posted
    others = [*filter(None, map(letters_of, (title, *(author.rpartition(" ")[0] for author in authors))))]
    for text in said:
        for part in (text, *re.split(r"\s[|\u2022\u00b7]\s", text)):
            found = _JOURNAL.match(part.strip())
            if found and not _NO_JOURNAL.search(found["name"]):
                name = letters_of(found["name"])
                if not any(name in other or other in name for other in others):
                    return found["name"].strip(" .,-\u2013")
    cited = re.search(re.escape(title) + _CITED_IN, first_page, re.IGNORECASE) if title else None
    return cited[1].strip() if cited else None


def identifiers_of(said: Sequence[str], beside: Sequence[str], prose: Sequence[str]) -> dict[str, str]:
    """DOI, PMID and PMC id of the paper, each the first that is said.

    A PMID in the text may be that of a paper that it cites, and so may be the DOI of a paper that was retracted.

    Args:
        said: what stands above the text and in the margins, and what the file says of itself.
        beside: other texts of the first page that are not prose.
        prose: its running text.
    """
    found = own_ids([*said, *beside, *prose])
    first_page = [" ".join(without_others(texts)) for texts in (beside, prose)]
    for text in (*without_others(said), *first_page):
        names = papers_named(_BROKEN_DOI.sub(r"\1", text)).values()
        for one in (one for each in names for one in each):
            kind, _, name = one.partition(":")
            is_cited = (kind == "pmid" and text in first_page) or (text is first_page[-1] and is_retracted(one))
            if not is_cited and any(map(str.isdigit, name.partition("/")[2] or name)):
                found.setdefault(kind, name)
    return found


_SURE = 90
_NAME = 4
"""A title on a cover has more words than this."""
_NOT_A_TITLE = verbose_pattern(
    r"""
    ^(?:untitled|microsoft\ word|powerpoint|slide\ \d|doi|pii|\S+\.(?:docx?|pdf|tex|indd|dvi|qxd))
    """
)
_NOT_A_NAME = verbose_pattern(
    r"""
    \d{3}|@|\b(?:university|department|institute|hospital|school|college|centre|center|faculty|research|article|
    centro|clinic|division|faculty|online|open|access|received|accepted|published|and\ others|anonymous|unknown|
    user|admin)\b
    """
)
_PARTICLE = verbose_pattern(
    r"""
    van|von|de|der|den|del|della|di|da|das|do|dos|du|e|y|la|le|bin|ibn|al|el|af|av|zu|zur|ter|ten
    """
)
_BETWEEN_NAMES = re.compile(r"\s*(?:,|;|\band\b|&|\u2022|\u00b7)\s*")
_AFFILIATION = re.compile(r"(?<=[\w*\u2020\u2021,])\s+[\d*\u2020\u2021]+(?=[A-Z])")
"""Where the first affiliation begins: with the mark that its authors have."""
_DEGREE = re.compile(r"(?:MD|PhD|MSc|MPH|RN|BSc|Dr|Prof|FRCP|MBBS)\.?")
_MARKS = verbose_pattern(
    r"""
    [\d*\u2020\u2021\u00a7\u00b6\u2016#^]+(?:\s?,\s?[\d*\u2020\u2021\u00a7\u00b6\u2016#^]+)*|
    \b[a-z]\b(?=\s*(?:,|$))
    """,
    0,
)


@dataclass(frozen=True)
class Shown:
    """A text as the first pages show it."""

    text: str
    page: int
    size: float
    bold: bool


def front_of(
    front: Sequence[Shown], margins: Sequence[str], first_page: str, metadata: Mapping[str, str]
) -> dict[str, Any]:
    """What the first page and the metadata of the file (`Title`, `Author`, `Subject`) say, as fields of a document.

    `front` are the texts before the abstract, in order, and `margins` running heads and feet, those of the first page
    first; `first_page` leaves references out.
    """
    title, block = _title(front, metadata.get("Title", ""), first_page)
    above = [b.text for b in front if b is not block]
    authors = _authors(front, block, metadata.get("Author", ""), first_page)
    return {
        "title": title,
        "authors": authors,
        "year": year_of([*above, *margins], first_page),
        "journal": journal_of([*margins, *above, metadata.get("Subject", "")], first_page, title, authors),
    }


def _title(front: Sequence[Shown], stated: str, first_page: str) -> tuple[str, Shown | None]:
    """The title, and the text that shows it: the largest on the first page, or the one that the metadata names.

    The first page of a repository's copy is its cover: what is largest on the next page is the title if the cover
    names it.
    """

    def may_be_title(page: int) -> tuple[list[Shown], Shown | None]:
        worded = (b for b in front if b.page == page and len(re.findall(r"[^\W\d_]{2,}", b.text)) > 2)
        found = [b for b in worded if len(b.text) > 14]
        return found, max(found, key=lambda b: (round(b.size), b.bold), default=None)

    stated = " ".join(stated.split())
    usable, largest = may_be_title(1)
    inside, second = may_be_title(2)
    later = [letters_of(block.text) for block in front if block.page > 1]
    own = largest is not None and letters_of(largest.text) in later  # the title of a cover, which the next page repeats
    long = second is not None and len(second.text.split()) > _NAME
    if second is not None and long and not own and letters_of(second.text) in letters_of(first_page):
        usable, largest = inside, second
    usual = len(stated.split()) > 2 and not _NOT_A_TITLE.match(stated)
    if usual and fuzz.partial_ratio(letters_of(stated), letters_of(first_page)) >= _SURE:
        return stated, max(usable, key=lambda b: fuzz.ratio(letters_of(stated), letters_of(b.text)), default=None)
    return (largest.text if largest is not None else ""), largest


def _authors(front: Sequence[Shown], title: Shown | None, stated: str, first_page: str) -> tuple[str, ...]:
    page = letters_of(first_page)
    names = [name for name in _names(stated) if letters_of(name.split()[-1]) in page]
    shown: list[str] = []
    if title is not None:
        at = next(at for at, block in enumerate(front) if block is title)
        after = [b for b in front[at + 1 :] if b.page == title.page][:3]
        shown = next((found for b in after if (found := _names(b.text))), [])
    return tuple(_family_first(name) for name in max(shown, names, key=len))


def _names(text: str) -> list[str]:
    """The names in a list of authors, which their affiliations may follow; none if it is not one."""
    text = _AFFILIATION.split(text)[0]
    parts = [" ".join(_MARKS.sub(" ", part).split()).strip(" .,") for part in _BETWEEN_NAMES.split(text)]
    parts = [part for part in parts if part and not _DEGREE.fullmatch(part)]

    def is_name(text: str) -> bool:
        words = text.split()
        proper = [word for word in words if not _PARTICLE.fullmatch(word)]
        upper = bool(proper) and all(word[0].isupper() for word in proper)
        return 2 <= len(words) <= 6 and upper and not _NOT_A_NAME.search(text)

    names = list(takewhile(is_name, parts))
    rest = " ".join(parts[len(names) :])
    return names if not rest or (len(names) > 1 and _NOT_A_NAME.search(rest)) else []


def _family_first(name: str) -> str:
    """`Jan P van der Berg` as `van der Berg JP`, as in MEDLINE; what ends in initials is in that order already."""
    words = name.split()
    if words[-1].isupper() and len(words[-1]) < 4 and not words[0].isupper():
        return name
    at = len(words) - 1
    while at > 1 and _PARTICLE.fullmatch(words[at - 1]) and words[at - 1] not in ("E", "Y"):  # those are initials
        at -= 1
    return " ".join([*words[at:], initials_of(" ".join(words[:at]))])
