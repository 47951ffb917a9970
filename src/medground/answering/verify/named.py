"""Hold what a written sentence may not say by itself: works that this run never retrieved, by id or by author and
year, and text that no source has.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from typing import TYPE_CHECKING, NamedTuple

from medground.answering.verify.numbers import QUANTITY
from medground.answering.verify.orders import may_stand_alone
from medground.answering.verify.references import (
    Reference,
    address,
    altered_quotations,
    cochrane_number,
    nearest,
    plain,
    references,
    trial_numbers,
)
from medground.corpus.banners import GONE
from medground.corpus.retraction import RETRACTED, listed, why_aside
from medground.corpus.retraction_table import GRAVE
from medground.language import words
from medground.language.clean import without_accents
from medground.language.pattern import lazy_pattern
from medground.language.sentences import sentence_spans
from medground.language.word_lists import word_lists
from medground.values.document import Document
from medground.values.identifiers import normal_doi

if TYPE_CHECKING:
    from medground.pubmed.mesh_table import Heading


_COMMON = 10
"""Abstracts of the fixed set that a word must be in to count as a word; rarer ones may be names, as `Smith` is."""
NEAR_YEARS = 1
"""A paper that is ahead of print carries another year than its issue."""
_NOT_NAMES = word_lists("special_words")["nobody"]
_UPPER = "".join(c for c in map(chr, range(0x41, 0x250)) if c.isupper())
_PARTICLE = (
    r"(?:(?:[Vv]an|[Vv]on|[Dd]e[nrls]?|[Dd]ella|[Dd][aiou]s?|[Ll][ae]|[Tt]e[nr]|[Aa]l|[Ee]l|[Bb]in|[Ss]t\.?)[\s-]){0,3}"
)
_NAME = rf"{_PARTICLE}(?:[dDOLoMm]['’])?[{_UPPER}](?:[^\W\d_]|['’-](?=[^\W\d_])){{1,30}}"
_INITIALS = r"(?:,?\s(?:[A-Z]\.?[ -]?){1,3}(?![\w'’]))?"
_NAMES = rf"{_NAME}{_INITIALS}(?:,\s{_NAME}{_INITIALS}){{0,5}}"
_YEAR = r"(?P<year>(?:1[89]|20)\d\d)[a-z]?(?!\d)"
_ET_AL = lazy_pattern(
    rf"\b(?P<names>{_NAMES}(?:,?\s(?:and|&)\s{_NAME}{_INITIALS})?),?\s(?:and\s)?et\.?\s?al\b\.?|"
    rf"\b(?P<leader>{_NAME}){_INITIALS}\sand\s(?:colleagues|co-?workers|co-?authors|associates)\b"
)
_YEAR_AFTER = lazy_pattern(rf"(?:['’]s)?[\s.,]*[(\[]?\s*{_YEAR}")
_YEAR_INSIDE = lazy_pattern(rf"[^()\[\];]{{0,60}}?\b{_YEAR}")
_PAIR = lazy_pattern(
    rf"\b(?P<names>{_NAMES},?\s(?:and|&)\s{_NAME}{_INITIALS})"
    rf"(?:(?:['’]s)?,?\s?[(\[]\s?{_YEAR}(?=[\s,;:)\]])|,?\s(?P<bare>(?:1[89]|20)\d\d)[a-z]?(?=\s?[;)\]]))"
)
_ALONE = (
    lazy_pattern(
        rf"[(\[;]\s?(?:(?:e\.g\.|see|cf\.|from|after|reviewed in|as in),?\s)?"
        rf"(?P<first>{_NAME}){_INITIALS},?\s{_YEAR}(?=\s?[;)\]:,])"
    ),
    lazy_pattern(rf"\b(?P<first>{_NAME}){_INITIALS}(?:['’]s)?\s[(\[]\s?{_YEAR}\s?[)\]]"),
    lazy_pattern(rf"\b(?P<first>{_NAME})['’]s\s{_YEAR}(?=\s(?:\w+\s){{0,2}}(?:study|trial|paper|review|report|analysis|article|work)\b)"),
)  # fmt: skip
_GROUP = lazy_pattern(
    rf"[(\[](?P<first>[A-Z][\w' -]{{3,80}}?(?:Group|Collaborat\w+|Investigators|Consortium)),?\s{_YEAR}\s?[)\]]"
)


class AuthorYear(NamedTuple):
    """A reference by its authors, with the year if one is given, and the words of the text that make it."""

    authors: tuple[str, ...]
    year: int | None
    text: str

    def is_of(self, document: Document) -> bool:
        """Whether one of the authors is the first of a document, and the year is its own or a neighbouring one."""
        if not any(_same(author, first) for first in document.authors[:1] for author in self.authors):
            return False
        return self.year is None or document.year is None or abs(self.year - document.year) <= NEAR_YEARS


def author_years(text: str) -> list[AuthorYear]:
    """The references by author in a text, in order, each once."""
    found: list[tuple[int, AuthorYear]] = []
    rest = text
    for read in (_et_al, _pairs, _alone):
        spans: list[tuple[int, int]] = []
        for start, end, reference in read(rest):
            found.append((start, reference))
            spans.append((start, end))
        for start, end in spans:
            rest = rest[:start] + " " * (end - start) + rest[end:]
    return list(dict.fromkeys(reference for _, reference in sorted(found, key=lambda pair: pair[0])))


_Found = Iterator[tuple[int, int, AuthorYear]]


def _et_al(text: str) -> _Found:
    for match in _ET_AL.finditer(text):
        names = _surnames(match["names"] or match["leader"])
        if not names or (match["leader"] and is_word(names[0])):
            continue
        inside = text.count("(", 0, match.start()) > text.count(")", 0, match.start())
        year = _YEAR_AFTER.match(text, match.end()) or (_YEAR_INSIDE.match(text, match.end()) if inside else None)
        end = year.end() if year else match.end()
        yield match.start(), end, AuthorYear(names, int(year["year"]) if year else None, text[match.start() : end])


def _pairs(text: str) -> _Found:
    for match in _PAIR.finditer(text):
        names = _surnames(match["names"])
        if len(names) > 1 and not all(map(is_word, names)):
            yield match.start(), match.end(), AuthorYear(names, int(match["year"] or match["bare"]), match[0])


def _alone(text: str) -> _Found:
    for pattern in _ALONE:
        for match in pattern.finditer(text):
            name = match["first"]
            is_other = _is_time_or_place if f"{name}," in match[0] else is_word
            if not name.isupper() and not is_other(name):
                yield match.start(), match.end(), AuthorYear((name,), int(match["year"]), match[0].strip("([; "))
    for match in _GROUP.finditer(text):
        yield match.start(), match.end(), AuthorYear((match["first"],), int(match["year"]), match[0].strip("()[]"))


def _surnames(names: str) -> tuple[str, ...]:
    """The surnames of a list of authors; words in capitals are initials, acronyms or genes."""
    parts = re.split(r",?\s(?:and|&)\s|,\s?", names)
    found = [match[0] for part in parts if (match := re.match(_NAME, part))]
    return tuple(name for name in found if not name.isupper())


def is_word(name: str) -> bool:
    """Whether a capitalised word is more likely a word than a surname."""
    word = name.casefold()
    abstracts = min((words.abstracts_with(words.stem(part)) for part in re.findall(r"\w+", word)), default=0)
    return abstracts >= _COMMON or word in _NOT_NAMES or _heading(name) is not None


def _is_time_or_place(name: str) -> bool:
    """Whether a word with a comma and a year is where or when something was done, not who wrote."""
    heading = _heading(name)
    is_place = heading is not None and any(tree.startswith("Z") for tree in heading.trees)
    return is_place or name.casefold() in _NOT_NAMES


def _heading(name: str) -> Heading | None:
    from medground.pubmed.mesh import vocabulary  # it takes a tenth of a second, and few sentences need it

    return vocabulary().find(name)


def _same(written: str, author: str) -> bool:
    from medground.language.names import name_of

    family, name = _folded(name_of(author).family), _folded(written)
    return bool(name) and (name == family or family.endswith(f" {name}") or name.endswith(f" {family}"))


def _folded(name: str) -> str:
    return " ".join(re.sub(r"['’.]", "", without_accents(name)).replace("-", " ").casefold().split())


FLAG = "reference"
"""The flag of a sentence that refers to a work that was never retrieved."""
QUOTATION = "quotation"
"""The flag of a sentence that quotes what its sources do not say."""
HELD = (FLAG, QUOTATION, QUANTITY, RETRACTED)
"""The flags of sentences that are never released."""

_ID = r"(?:E\d+|P\d+(?:\.S\d+)?)"
_MARKS = lazy_pattern(rf"\s*\[{_ID}(?:\s*[,;]\s*{_ID})*\]")
_LONGEST = 120
_SENTENCE = 400
_SHORT = {
    "newenglandjournalofmedicine": "nengljmed",
    "nejm": "nengljmed",
    "britishmedicaljournal": "bmj",
    "annalsofinternalmedicine": "anninternmed",
    "cochranedatabaseofsystematicreviews": "cochranedatabasesystrev",
}


class Held(NamedTuple):
    """Why a sentence is held, and the place that it misquotes: a document's id, start and end."""

    flag: str
    reason: str
    place: tuple[str, int, int] | None = None


def unfounded(
    sentence: str, cited: Sequence[Document], documents: Iterable[Document], question: str = ""
) -> Held | None:
    """Why a sentence is held; None if nothing in it is unfounded.

    Args:
        cited: the documents that it cites; all, if it cites none.
        question: the user's words, which may be quoted too.
    """
    everything = list(documents)
    if works := retracted_references(sentence, everything):
        return Held(RETRACTED, f"it refers to {', '.join(works)[:_LONGEST]}, which is retracted")
    if works := unretrieved_references(sentence, everything, cited):
        return Held(FLAG, f"it refers to {', '.join(works)[:_LONGEST]}, which this run never retrieved")
    compared = list(cited) or everything
    sources = [part for document in compared for part in (document.text, document.title)]
    if altered := altered_quotations(sentence, [*sources, question]):
        return _misquoted(altered[0], compared, "the source that it cites does" if cited else "the retrieved texts do")
    return None


def _misquoted(passage: str, documents: Sequence[Document], which: str) -> Held:
    reason = f"it quotes “{passage[:_LONGEST]}”, which {which} not say"
    places = {d.text[start:end]: (d.id, start, end) for d in documents for start, end in sentence_spans(d.text)}
    if not (source := nearest(passage, places)):
        return Held(QUOTATION, reason)
    return Held(QUOTATION, f"{reason}; {places[source][0]} has “{source[:_SENTENCE]}”", places[source])


def retracted_references(sentence: str, documents: Iterable[Document]) -> list[str]:
    """The references in a sentence to retracted papers, by id or by author and year, in its own words."""
    gone = [document for document in documents if why_aside(document) in GONE]
    known = {name for document in gone for name in _names(document)}
    found = [work.text for work in references(sentence) if _is_known(work, known, gone) or _is_listed(work)]
    found += [work.text for work in author_years(plain(sentence)) if work.year and any(map(work.is_of, gone))]
    return list(dict.fromkeys(found))


def _is_listed(work: Reference) -> bool:
    return listed().get(f"{work.kind}:{_value(work)}") in GRAVE


def _value(work: Reference) -> str:
    return (normal_doi(work.value) if work.kind == "doi" else "") or work.value


def remark(written: str, documents: Iterable[Document], question: str) -> str:
    """A model's remark on one line; empty if it gives an order, or names or quotes what was not retrieved, which is
    never shown."""
    is_shown = may_stand_alone(written) and not unfounded(written, (), documents, question)
    return " ".join(written.split()) if is_shown else ""


def unretrieved_references(sentence: str, documents: Iterable[Document], cited: Iterable[Document] = ()) -> list[str]:
    """The references in a sentence to works that are none of the documents, in the words of the sentence.

    The number of a trial is also known from the text of a cited document, which reports that trial under it.
    """
    named, authors = references(sentence), author_years(plain(sentence))
    if not named and not authors:
        return []
    retrieved = list(documents)
    known = {name for document in retrieved for name in _names(document)}
    known |= {("trial", number) for document in cited for number in trial_numbers(document.text)}
    unknown = [work.text for work in named if not _is_known(work, known, retrieved)]
    unknown += [work.text for work in authors if not any(map(work.is_of, retrieved))]
    return list(dict.fromkeys(unknown))


def without_marks(text: str) -> str:
    """Remove citation marks such as `[E3]` or `[P1.S2]`: an answer adds its own from the ledger."""
    return " ".join(_MARKS.sub("", text).split())


def _names(document: Document) -> Iterator[tuple[str, str]]:
    own = document.id.partition(":")[2]
    for name in document.paper:
        kind, _, value = name.partition(":")
        yield kind, value
    for value in (document.id, own, *document.identifiers.values()):
        yield "number", value.lstrip("0")
        yield "number", re.sub(r"[^A-Za-z0-9]", "", value).upper()
        yield from (("trial", number) for number in trial_numbers(value))
        yield from (("preprint", name.value) for name in references(value) if name.kind == "preprint")
        if review := cochrane_number(value):
            yield "cochrane", review
    if document.url:
        yield "url", address(document.url)
        yield from ((name.kind, name.value) for name in references(document.url))


def _is_known(work: Reference, known: set[tuple[str, str]], documents: Sequence[Document]) -> bool:
    if work.kind == "printed":
        return any(_is_printed(work.value, document) for document in documents)
    return (work.kind, _value(work)) in known or (work.kind == "number" and ("pmid", work.value) in known)


def _is_printed(value: str, document: Document) -> bool:
    """Whether a document is at a printed place, `2021;384:403` or `Lancet 2021`, as far as its record says."""
    if ";" in value:
        first = re.match(r"[A-Za-z]?\d+", document.imprint.get("pages", ""))
        return value == f"{document.year};{document.imprint.get('volume', '')}:{first[0] if first else ''}".upper()
    journal, _, year = value.rpartition(" ")
    near = document.year is not None and abs(document.year - int(year)) <= NEAR_YEARS
    return near and _journal(journal) in _journal(document.journal or "")


def _journal(name: str) -> str:
    return reduce(lambda letters, one: letters.replace(*one), _SHORT.items(), re.sub(r"[^a-z]", "", name.casefold()))
