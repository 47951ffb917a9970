"""Automatic term mapping: how PubMed interprets words without a tag.

From left to right, the longest run of words that matches a MeSH name (heading, entry term, subheading, publication
type) or a journal becomes a concept. A concept is searched both as a heading and as words; the remaining words are
searched in all fields.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache

from medground.home.files import rows
from medground.pubmed.characters import STOPWORDS, fold, forms
from medground.pubmed.filters import WORDS, all_of, any_of
from medground.pubmed.mesh import Vocabulary
from medground.pubmed.mesh_table import Heading
from medground.pubmed.printer import to_pubmed
from medground.pubmed.tags import Qualifier, find_folded_qualifier, qualifiers
from medground.values.document import Frozen
from medground.values.query import FieldName, Mesh, Phrase, PublicationType, Query, Term


@cache
def known_journals() -> Mapping[str, str]:
    """Return folded journal names, mapped to the abbreviation used in records."""
    return {fold(name): names[0] for names in rows("pubmed", "journals") for name in names}


def with_journals(names: Iterable[str]) -> Mapping[str, str]:
    """Return the known journals plus further names, which map to themselves."""
    return {**{fold(name): name for name in names}, **known_journals()}


_LONGEST_NAME = 12
"""Maximum words of a name."""
_LONGEST_PERSON = 4
SHORTEST_PREFIX = 4
"""Letters that PubMed wants before an asterisk."""
_AUTHOR = re.compile(r"[A-Z][a-z][\w'’-]+ (?!(?:I{1,3}|IV|V|VI|X)$)[A-Z]{1,2}(?: (?:Jr|Sr|2nd|3rd))?")
_NUMBERS = re.compile(r"(?i)\d{5,8}(?:,? \d{5,8}|,\d{5,8})*|PMIDs? \d{1,9}(?:,? \d{1,9}|,\d{1,9})*")
_PMC = re.compile(r"(?i)PMC\d{3,9}")


class Translation(Frozen):
    """Words of a query and what they were mapped to."""

    source: str
    query: Query

    @property
    def text(self) -> str:
        """The mapped query as PubMed text."""
        return to_pubmed(self.query)


class Mapper:
    """Maps words to concepts, using the MeSH vocabulary and a table of journals (folded name to abbreviation).

    `finds` says whether any record matches. With it, words are searched in the other forms that records have, phrases
    that no record has are split, and known authors are recognised; without it, authors are by their capitals alone.
    """

    def __init__(
        self, mesh: Vocabulary, journals: Mapping[str, str] | None = None, finds: Callable[[Query], bool] | None = None
    ) -> None:
        self.mesh = mesh
        self._finds = finds
        self._journals = known_journals() if journals is None else journals

    def map(self, text: str) -> tuple[Query, list[Translation]]:
        """Map words separated by single spaces. Returns the query and a translation for each recognised concept."""
        whole = self._ids_or_author(text)
        if whole is not None:
            return whole, []
        parts: list[Query] = []
        translations: list[Translation] = []
        words = text.split()
        folded = [fold(word) for word in words]
        start = 0
        while start < len(words):
            length, query = self._concept(words, folded, start)
            if query is None and self._finds is not None:
                length, query = _author(words, start, self._finds)
            if query is not None:
                parts.append(query)
                translations.append(Translation(source=" ".join(words[start : start + length]), query=query))
            elif (left := self._unmapped(words[start])) is not None:
                parts.append(left)
            start += length
        return all_of(parts or [term(word, "all") for word in words]), translations

    def lacks(self, query: Query) -> bool:
        """Whether it is known that no record matches."""
        return self._finds is not None and not self._finds(query)

    def _ids_or_author(self, text: str) -> Query | None:
        """Recognise text that is not a subject as a whole: record IDs or an author name."""
        if _NUMBERS.fullmatch(text):
            return any_of([Term(value=f"PMID:{number}", field="id") for number in re.findall(r"\d+", text)])
        if _PMC.fullmatch(text):
            return Term(value=text.casefold(), field="identifier")
        if _AUTHOR.fullmatch(text) and self.mesh.find(text) is None:
            return Term(value=text.casefold(), field="author", prefix=True)
        return None

    def _concept(self, words: list[str], folded: list[str], start: int) -> tuple[int, Query | None]:
        longest = min(_LONGEST_NAME, len(words) - start)
        # Neither a truncated word nor a run of words that contains one can be a name.
        truncated = next((n for n in range(longest) if words[start + n].endswith("*")), longest)
        for length in range(truncated, 0, -1):
            if length == 1 and words[start].casefold() in STOPWORDS:
                break
            name = " ".join(filter(None, folded[start : start + length]))
            query = self._named(name, " ".join(words[start : start + length]), alone=length == 1)
            if query is not None:
                return length, query
        return 1, None

    def _named(self, name: str, typed: str, *, alone: bool) -> Query | None:
        heading = self.mesh.find_folded(name)
        if heading is not None:
            return self._subject(heading, typed, name)
        if not alone and (journal := self._journals.get(name)):
            return any_of([term(journal, "journal"), *self._in_all_fields(typed, name)])
        if qualifier := find_folded_qualifier(name):
            return any_of([Mesh(qualifiers=(qualifier.name,)), *self._in_all_fields(typed, name)])
        return None

    def _subject(self, heading: Heading, typed: str, folded: str) -> Query:
        """A heading as PubMed searches it: as a heading, and its name and the words typed in all fields.

        Another name of a subheading's heading (`treatment`) is searched as the subheading (`therapy`) too.
        """
        name = heading.name.casefold()
        first: Query = PublicationType(name=name) if heading.is_publication_type else Mesh(heading=heading.name)
        parts = [first]
        qualifier = find_folded_qualifier(folded)
        if qualifier is None and folded != fold(name) and (qualifier := _attached(self.mesh).get(heading.id)):
            parts += self._in_all_fields(qualifier.name, fold(qualifier.name))
        if qualifier is not None:
            parts.insert(0, Mesh(qualifiers=(qualifier.name,)))
        natural = _natural_order(name)
        parts += self._in_all_fields(natural, fold(natural))
        if folded != fold(name):
            parts += self._in_all_fields(typed, folded)
        return any_of(dict.fromkeys(parts))

    def _in_all_fields(self, typed: str, folded: str) -> list[Query]:
        phrase, words = term(typed, "all"), folded.split()
        content = [word for word in words if word not in STOPWORDS]
        if len(words) == 1:
            return [phrase, *self._in_other_forms(typed)]
        if not content or any(len(word) == 1 or word.isdigit() for word in words):
            return [phrase]
        return [all_of([term(word, "all") for word in content]), phrase]

    def _in_other_forms(self, word: str) -> list[Query]:
        if self._finds is None:
            return []
        return list(filter(self._finds, (term(form, "all") for form in forms(word.casefold()))))

    def _unmapped(self, word: str) -> Query | None:
        if word.endswith("*"):
            stem = word.rstrip("*").casefold()
            return Term(value=stem, field="all", prefix=len(stem) >= SHORTEST_PREFIX)
        if word.casefold() in STOPWORDS:
            return None
        if word.casefold() in WORDS:
            return Term(value=word.casefold(), field="subset")
        return any_of([term(word, "all"), *self._in_other_forms(word)])


@cache
def _attached(mesh: Vocabulary) -> Mapping[str, Qualifier]:
    """Qualifiers by the IDs of the headings that have the same name."""
    found = ((mesh.find_folded(fold(qualifier.name)), qualifier) for qualifier in qualifiers())
    return {heading.id: qualifier for heading, qualifier in found if heading}


def _author(words: list[str], start: int, finds: Callable[[Query], bool]) -> tuple[int, Query | None]:
    """Match a family name of up to three words followed by initials, if it is a known author."""
    for length in range(2, min(_LONGEST_PERSON, len(words) - start) + 1):
        *family, initials = words[start : start + length]
        if len(initials) <= 2 and initials.isalpha() and len(family[-1]) > 2:
            name = Term(value=" ".join([*family, initials]).casefold(), field="author", prefix=True)
            return (length, name) if finds(name) else (1, None)
    return 1, None


def term(value: str, field: FieldName) -> Query:
    """Search a field: a `Term` for one word, a `Phrase` for several."""
    value = value.casefold()
    if " " in value:
        return Phrase(text=value, field=field)
    return Term(value=value, field=field)


def _natural_order(name: str) -> str:
    """Turn the inverted heading `stress, mechanical` into `mechanical stress`."""
    before, comma, after = name.partition(", ")
    return f"{after} {before}" if comma and "," not in after else name
