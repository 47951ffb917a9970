"""Translate a query into the typed tree: look up headings, parse dates and map untagged words, as PubMed would show."""

import re
from datetime import UTC, date, datetime
from functools import cache

from medground.pubmed import filters as dates
from medground.pubmed.filters import LANGUAGES, SEARCHES, WORDS, all_of, any_of, filtered
from medground.pubmed.mapping import SHORTEST_PREFIX, Mapper, Translation, term
from medground.pubmed.mesh import Vocabulary, vocabulary
from medground.pubmed.mesh_table import Heading
from medground.pubmed.parser import clean_words, parse_syntax
from medground.pubmed.printer import to_pubmed
from medground.pubmed.syntax import Chain, Leaf, Negated, Node, QuerySyntaxError, Span
from medground.pubmed.tags import Qualifier, TagUse, find_qualifier
from medground.values.document import Frozen
from medground.values.query import FieldName, Mesh, Near, Not, Phrase, PublicationType, Query, Range, Term

_PERSON_FIELDS = ("author", "first_author", "last_author", "investigator", "editor", "subject_name")
_LONGEST_INITIALS = 2
_INITIALS = re.compile(r"(?<= )[^\W\d_](?: [^\W\d_])+\Z")
"""Records write `Smith J.A.` as `smith ja`."""
_SPLIT = ("title", "text", "title_abstract", "text_word", "keyword", "transliterated_title")
"""Fields of words. A phrase without quotation marks is split if no record has it there."""
_OF_WORDS = ("text", "all", "filter")
_PMID = re.compile(r"(?i)(?:PMID:?\s*)?(\d{1,9})")


class Compiler:
    """Compiles nodes. `translations` collects the term mappings it applied, `absent` the quoted phrases that no record
    has, and `notes` what else differs from the text.
    """

    def __init__(self, mapper: Mapper, today: date) -> None:
        self._mesh = mapper.mesh
        self._mapper = mapper
        self._today = today
        self.translations: list[Translation] = []
        self.absent: list[str] = []
        self.notes: list[str] = []

    def query(self, node: Node) -> Query:
        """Compile a node."""
        match node:
            case Leaf():
                return self._leaf(node)
            case Span():
                return self._span(node)
            case Negated():
                return Not(part=self.query(node.node))
            case Chain():
                return self._chain(node)

    def _chain(self, chain: Chain) -> Query:
        parts, join = [self.query(chain.first)], all_of
        for operator, node in chain.rest:
            following = any_of if operator == "OR" else all_of
            if following is not join and len(parts) > 1:
                parts = [join(parts)]
            join = following
            query = self.query(node)
            parts.append(Not(part=query) if operator == "NOT" else query)
        return join(parts)

    def _leaf(self, leaf: Leaf) -> Query:
        use = leaf.use
        if (use is None or (use.tag.kind == "text" and use.tag.field not in _PERSON_FIELDS)) and "*" in leaf.text:
            short = [word for word in leaf.text.split() if word.endswith("*") and len(word) <= SHORTEST_PREFIX]
            self.notes += [
                f"{word}: {SHORTEST_PREFIX} letters are needed before *; searched without it" for word in short
            ]
        if leaf.text.casefold() in WORDS and (use is None or use.tag.kind in _OF_WORDS):
            return Term(value=leaf.text.casefold(), field="subset")
        if use is None or use.tag.kind == "all":
            return self._any_field(leaf)
        match use.tag.kind:
            case "mesh" | "major":
                return self._heading(leaf, use)
            case "subheading":
                found = find_qualifier(leaf.text)
                return Mesh(qualifiers=(found.name if found else leaf.text.casefold(),), explode=use.explode)
            case "type":
                heading = self._mesh.find(leaf.text)
                known = heading is not None and heading.is_publication_type
                name = heading.name if known and heading is not None else leaf.text
                return PublicationType(name=name.casefold(), explode=use.explode)
            case "date":
                return self._date(leaf, use)
            case "filter":
                return filtered(leaf.text, self._today)
            case "id":
                return _ids(leaf)
            case _:
                return self._words(leaf, use)

    def _any_field(self, leaf: Leaf) -> Query:
        if leaf.quoted or (leaf.use is not None and leaf.text.endswith("*")):
            query = _prefixed(leaf.text, "all")
            if leaf.use is not None or not isinstance(query, Phrase) or not self._mapper.lacks(query):
                return query
            self.absent.append(leaf.text)
        if "/" in leaf.text and (split := split_heading(leaf.text, self._mesh)) is not None:
            return Mesh(heading=split[0].name, qualifiers=(split[1].name,))
        return self._mapped(leaf.text)

    def _mapped(self, text: str) -> Query:
        query, translations = self._mapper.map(text)
        self.translations += translations
        return query

    def _heading(self, leaf: Leaf, use: TagUse) -> Query:
        major = use.tag.kind == "major"
        if leaf.text.endswith("*"):
            return Term(value=leaf.text.rstrip("*").casefold(), field="mesh_major" if major else "mesh", prefix=True)
        heading = self._mesh.find(leaf.text)
        if heading is not None:
            return Mesh(heading=heading.name, explode=use.explode, major=major)
        if (split := split_heading(leaf.text, self._mesh)) is not None:
            return Mesh(heading=split[0].name, qualifiers=(split[1].name,), explode=use.explode, major=major)
        # The corpus may be newer than the vocabulary, so search for an unknown heading as typed.
        return Mesh(heading=leaf.text.casefold(), explode=use.explode, major=major)

    def _date(self, leaf: Leaf, use: TagUse) -> Query:
        found = dates.days(leaf.text) or dates.last_days(leaf.text, self._today)
        if found is None or use.tag.date is None:
            raise QuerySyntaxError(
                f"{leaf.text[:40]!r} is not a date; write 2010, 2010/05, 2010/05/13 or last 5 years", leaf.column
            )
        return dates.between(use.tag.date, *found)

    def _span(self, span: Span) -> Query:
        if span.use.tag.kind == "id" and (span.low + span.high).isdecimal():
            return Range(field="id", low=int(span.low), high=int(span.high))
        if span.use.tag.date is None:
            raise QuerySyntaxError(f"{span.use.text} does not accept a range; only date fields do", span.column)
        low, high = dates.days(span.low), dates.days(span.high)
        if low is None or high is None:
            wrong = span.low if low is None else span.high
            raise QuerySyntaxError(f"{wrong[:40]!r} is not a date; write 2010, 2010/05 or 2010/05/13", span.column)
        if low[0] > high[1]:
            raise QuerySyntaxError(f"the range {span.low}:{span.high} is reversed; swap its dates", span.column)
        return dates.between(span.use.tag.date, low[0], high[1])

    def _words(self, leaf: Leaf, use: TagUse) -> Query:
        field = use.tag.field or "all"
        if use.distance is not None and " " in leaf.text and "*" not in leaf.text:
            return Near(text=leaf.text.casefold(), field=field, distance=use.distance)
        if field == "language":
            return Term(value=LANGUAGES.get(leaf.text.casefold(), leaf.text.casefold()), field="language")
        if field in _PERSON_FIELDS:
            name = clean_words(leaf.text.replace(",", " ").replace(".", " ")).casefold() or leaf.text.casefold()
            name = _INITIALS.sub(lambda letters: letters[0].replace(" ", ""), name)
            # PubMed completes initials: "smith j" also finds "smith ja", unless it is quoted.
            family, _, last = name.rpartition(" ")
            if leaf.text.endswith("*") or (family and len(last) <= _LONGEST_INITIALS and not leaf.quoted):
                return Term(value=name.rstrip("*"), field=field, prefix=True)
            return term(name, field)
        query = _prefixed(leaf.text, field)
        if isinstance(query, Phrase) and field in _SPLIT and not leaf.quoted and self._mapper.lacks(query):
            others, _, last = leaf.text.rpartition(" ")  # as NLM says, the tag is then that of the last word alone
            return all_of([self._mapped(others), term(last, field)])
        return query


def split_heading(text: str, mesh: Vocabulary) -> tuple[Heading, Qualifier] | None:
    """Split `neoplasms/diet therapy` or `neoplasms/dh` into heading and qualifier; None if either is unknown."""
    name, slash, attached = text.rpartition("/")
    if not slash:
        return None
    heading, qualifier = mesh.find(name), find_qualifier(attached)
    return None if heading is None or qualifier is None else (heading, qualifier)


def _prefixed(text: str, field: FieldName) -> Query:
    words = text.replace("*", "") if text.endswith("*") else text
    if not text.endswith("*") or len(words.split()[-1]) < SHORTEST_PREFIX:
        return term(words.replace("*", ""), field)
    return Term(value=words.casefold(), field=field, prefix=True)


def _ids(leaf: Leaf) -> Query:
    numbers = [_PMID.fullmatch(word) for word in leaf.text.replace(",", " ").split()]
    found = [number[1] for number in numbers if number]
    if len(found) != len(numbers):
        raise QuerySyntaxError(f"{leaf.text[:40]!r} is not a PubMed ID; write a number such as 21645374", leaf.column)
    return any_of([Term(value=f"PMID:{number}", field="id") for number in found])


class Translated(Frozen):
    """An interpreted query: the tree, and the mapping of each untagged concept."""

    query: Query
    translations: tuple[Translation, ...] = ()
    absent: tuple[str, ...] = ()
    """Quoted phrases that no record has, and whose words were searched instead."""
    notes: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The whole query as PubMed text, with a tag on every term (QueryTranslation in the E-utilities)."""
        return to_pubmed(self.query)


def translate(text: str, *, today: date | None = None, mapper: Mapper | None = None) -> Translated:
    """Parse and map a PubMed query.

    `today` is the reference date for "last 5 years". Pass a `mapper` to recognise the journals of a corpus.

    Raises QuerySyntaxError: the text is not a valid PubMed query; the error has the column.
    """
    return compiled(parse_syntax(text), today=today, mapper=mapper)


def parse(text: str, *, today: date | None = None, mapper: Mapper | None = None) -> Query:
    """Return the tree of a PubMed query."""
    return translate(text, today=today, mapper=mapper).query


def compiled(node: Node, *, today: date | None = None, mapper: Mapper | None = None) -> Translated:
    """Map a syntax tree."""
    compiler = Compiler(mapper or standard_mapper(), today or datetime.now(UTC).date())
    query = compiler.query(node)
    return Translated(
        query=query,
        translations=tuple(compiler.translations),
        absent=tuple(compiler.absent),
        notes=tuple(compiler.notes),
    )


@cache
def searched(name: str) -> Query | None:
    """Return the search that defines a filter; None if the filter is not a search or its search is not published."""
    return parse(SEARCHES[name]) if name in SEARCHES else None


@cache
def standard_mapper() -> Mapper:
    """Return a mapper that uses the packaged vocabulary and journals."""
    return Mapper(vocabulary())
