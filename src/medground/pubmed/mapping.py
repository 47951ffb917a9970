"""Automatic term mapping: what PubMed makes of words without a tag.

From left to right the longest run of words that is a MeSH name (heading, entry term, subheading, publication type) or a
journal becomes a concept, searched under its heading and as words. What is left is searched as words in all fields.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from medground.document import Frozen
from medground.pubmed.combine import every, some
from medground.pubmed.filters import WORDS
from medground.pubmed.journals import known_journals
from medground.pubmed.mesh import Heading, Vocabulary, fold, spelt_qualifier
from medground.pubmed.printer import to_pubmed
from medground.pubmed.stopwords import STOPWORDS
from medground.query import FieldName, Mesh, Phrase, PublicationType, Query, Term

_LONGEST_NAME = 12
"""Words of the longest name looked for."""
_LONGEST_PERSON = 4
_SHORTEST_PREFIX = 4
_AUTHOR = re.compile(r"[A-Z][a-z][\w'’-]+ (?!(?:I{1,3}|IV|V|VI|X)$)[A-Z]{1,2}(?: (?:Jr|Sr|2nd|3rd))?")
_NUMBERS = re.compile(r"\d{5,8}(?: \d{5,8})*|PMIDs? \d{1,9}(?: \d{1,9})*", re.IGNORECASE)
_PMC = re.compile(r"PMC\d{3,9}", re.IGNORECASE)


class Translation(Frozen):
    """What some words of a query were taken for."""

    source: str
    query: Query

    @property
    def text(self) -> str:
        """The query as PubMed text."""
        return to_pubmed(self.query)


class Mapper:
    """Maps words to concepts by the MeSH vocabulary and a table of journals (folded name to abbreviation).

    `wrote` says whether there is an author of a name such as `smith ja`; without it, capitals alone tell an author.
    """

    def __init__(
        self,
        mesh: Vocabulary,
        journals: Mapping[str, str] | None = None,
        wrote: Callable[[str], bool] | None = None,
    ) -> None:
        self.mesh = mesh
        self._wrote = wrote
        self._journals = known_journals() if journals is None else journals

    def map(self, text: str) -> tuple[Query, list[Translation]]:
        """The query for words in single spaces, and a translation for each concept that was recognised."""
        whole = self._whole(text)
        if whole is not None:
            return whole, []
        parts: list[Query] = []
        translations: list[Translation] = []
        words = text.split()
        folded = [fold(word) for word in words]
        place = 0
        while place < len(words):
            length, query = self._concept(words, folded, place)
            if query is None and self._wrote is not None:
                length, query = _author(words, place, self._wrote)
            if query is not None:
                parts.append(query)
                translations.append(Translation(source=" ".join(words[place : place + length]), query=query))
            elif (left := _left_over(words[place])) is not None:
                parts.append(left)
            place += length
        return every(parts or [term(word, "all") for word in words]), translations

    def _whole(self, text: str) -> Query | None:
        """Words that are not a subject when they stand alone: ids of records, an author's name."""
        if _NUMBERS.fullmatch(text):
            return some([Term(value=f"PMID:{number}", field="id") for number in re.findall(r"\d+", text)])
        if _PMC.fullmatch(text):
            return Term(value=text.casefold(), field="identifier")
        if _AUTHOR.fullmatch(text) and self.mesh.find(text) is None:
            return Term(value=text.casefold(), field="author", prefix=True)
        return None

    def _concept(self, words: list[str], folded: list[str], place: int) -> tuple[int, Query | None]:
        """How many words were used, and what they mean; None when the word at `place` means nothing in particular."""
        longest = min(_LONGEST_NAME, len(words) - place)
        # A truncated word is no name, nor is a run of words around it.
        truncated = next((n for n in range(longest) if words[place + n].endswith("*")), longest)
        for length in range(truncated, 0, -1):
            if length == 1 and words[place].casefold() in STOPWORDS:
                break
            name = " ".join(filter(None, folded[place : place + length]))
            query = self._named(name, " ".join(words[place : place + length]), alone=length == 1)
            if query is not None:
                return length, query
        return 1, None

    def _named(self, name: str, typed: str, *, alone: bool) -> Query | None:
        """What a folded name stands for: a heading, a journal (of more than one word), a subheading."""
        heading = self.mesh.find_folded(name)
        if heading is not None:
            return subject(heading, typed, name)
        if not alone and (journal := self._journals.get(name)):
            return some([term(journal, "journal"), *_in_all_fields(typed, name)])
        if qualifier := spelt_qualifier(name):
            return some([Mesh(qualifiers=(qualifier.name,)), *_in_all_fields(typed, name)])
        return None


def _author(words: list[str], place: int, wrote: Callable[[str], bool]) -> tuple[int, Query | None]:
    """A family name of up to three words, then initials, of an author who has written something."""
    for length in range(2, min(_LONGEST_PERSON, len(words) - place) + 1):
        *family, initials = words[place : place + length]
        if len(initials) <= 2 and initials.isalpha() and len(family[-1]) > 2:
            name = " ".join([*family, initials]).casefold()
            return (length, Term(value=name, field="author", prefix=True)) if wrote(name) else (1, None)
    return 1, None


def term(value: str, field: FieldName) -> Query:
    """Words of a field: a `Term` for one, a `Phrase` for more."""
    value = value.casefold()
    if " " in value:
        return Phrase(text=value, field=field)
    return Term(value=value, field=field)


def subject(heading: Heading, typed: str, folded: str) -> Query:
    """A heading as PubMed searches it: as a heading, and its name and the words typed in all fields."""
    name = heading.name.casefold()
    first: Query = PublicationType(name=name) if heading.is_publication_type else Mesh(heading=heading.name)
    parts = [first]
    if (qualifier := spelt_qualifier(folded)) is not None:
        parts.insert(0, Mesh(qualifiers=(qualifier.name,)))
    spoken = _as_spoken(name)
    parts += _in_all_fields(spoken, fold(spoken))
    if folded != fold(name):
        parts += _in_all_fields(typed, folded)
    return some(dict.fromkeys(parts))


def _in_all_fields(typed: str, folded: str) -> list[Query]:
    """The words one by one and as a phrase; only as a phrase when one of them is a single letter or a number."""
    phrase, words = term(typed, "all"), folded.split()
    said = [word for word in words if word not in STOPWORDS]
    if len(words) < 2 or not said or any(len(word) == 1 or word.isdigit() for word in words):
        return [phrase]
    return [every([term(word, "all") for word in said]), phrase]


def _as_spoken(name: str) -> str:
    """`stress, mechanical` is written `mechanical stress` in a text."""
    before, comma, after = name.partition(", ")
    return f"{after} {before}" if comma and "," not in after else name


def _left_over(word: str) -> Query | None:
    """A word that names nothing: a filter, a truncated word, or a word of any field; None for a stop word."""
    if word.endswith("*"):
        stem = word.rstrip("*").casefold()
        return Term(value=stem, field="all", prefix=len(stem) >= _SHORTEST_PREFIX)
    if word.casefold() in STOPWORDS:
        return None
    if word.casefold() in WORDS:
        return Term(value=word.casefold(), field="subset")
    return term(word, "all")
