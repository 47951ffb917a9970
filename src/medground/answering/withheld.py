"""No source is asked with words that stand only in a question's context, such as a patient's case.

Models that answer read the context, so whatever is looked up after they wrote may repeat it: every lookup of a run
passes here. In doubt a word is left out, also where a document or a list of synonyms happened to bring it. What may be
searched for is what was asked: the question, its options and limits, the question that it follows, and all names of the
MeSH headings that these words name.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from medground.language import words
from medground.language.clean import without_accents
from medground.values.lookup import ConceptQuery, Lookup, LookupForm, PlainWords, ProteinQuery
from medground.values.query import (
    And,
    DateRange,
    Mesh,
    Near,
    Not,
    Or,
    Phrase,
    Query,
    Range,
    Term,
    Words,
    all_of,
    any_of,
)
from medground.values.question import Question

_WORD = re.compile(r"[^\W_]+\*?")
_LETTERS = re.compile(r"[^\W\d_]{3,}")
_EDGES = "-‐‑–—/'’\"“”.,;:()[]*"
"""What a word that is left out leaves behind: `HIV-positive` must not become `-positive`."""


class Withholding:
    """What of lookups may be sent, for a question."""

    def __init__(self, question: Question) -> None:
        self._question = question
        self.left_out: dict[str, None] = {}
        """The words left out so far, as they were written."""

    def sendable(self, lookup: Lookup) -> Lookup | None:
        """The lookup without words of the context alone; None if these were all that it asked for."""
        asked = self._asked(lookup.asked)
        if asked is None:
            return None
        text = self._text(lookup.text)
        if asked == lookup.asked and text == lookup.text:
            return lookup
        return lookup.replace(asked=asked, text=text or self._question.text, shown=self._shown(lookup.shown, asked))

    def _shown(self, shown: str, asked: LookupForm) -> str:
        if not shown or isinstance(asked, Words | PlainWords | ConceptQuery | ProteinQuery):
            return self._text(shown)
        from medground.pubmed.printer import to_pubmed  # a query tree has a name of its own only if PubMed can read it

        return to_pubmed(asked)

    def _asked(self, asked: LookupForm) -> LookupForm | None:
        match asked:
            case PlainWords():
                text = self._text(asked.text)
                return asked.replace(text=text) if text else None
            case ConceptQuery():
                term, question = self._text(asked.term), self._text(asked.question)
                return asked.replace(term=term, question=question) if term else None
            case ProteinQuery():
                organism = self._text(asked.organism)
                same = self._text(asked.name) == asked.name  # half a name is another protein
                return asked.replace(organism=organism) if same else None
            case _:
                left = self._query(asked)
                return left if left == asked or (left is not None and any(_subjects(left))) else None

    def _query(self, query: Query) -> Query | None:
        match query:
            case And() | Or():
                parts = [part for one in query.parts if (part := self._query(one)) is not None]
                joined = any_of if isinstance(query, Or) else all_of
                return query if parts == list(query.parts) else joined(parts) if parts else None
            case Not():  # with fewer words it would exclude more
                return query if self._query(query.part) == query.part else None
            case Words():
                text = self._text(query.text)
                return query.replace(text=text) if text else None
            case Phrase() | Near():
                pieces = self._pieces(query.text)
                return all_of([query.replace(text=piece) for piece in pieces]) if pieces else None
            case Term():
                said = query.value + "*" * query.prefix
            case Range():
                said = f"{query.low or ''} {query.high or ''}"
            case DateRange():
                said = " ".join(str(day.year) for day in (query.low, query.high) if day)
            case Mesh():
                said = " ".join([query.heading or "", *query.qualifiers])
            case _:
                said = " ".join(map(str, query.model_dump(exclude={"type"}).values()))
        return query if self._are_public(said) else None

    def _text(self, text: str) -> str:
        """A text without words of the context alone; empty if nothing but function words would be left."""
        return text if self._are_public(text) else " ".join(self._pieces(text))

    def _pieces(self, text: str) -> list[str]:
        """The stretches between the words that are left out, without those that only hold function words."""
        if self._are_public(text):
            return [text]
        marked = _WORD.sub(lambda found: "\n" if self._is_private(found[0]) else found[0], " ".join(text.split()))
        pieces = (" ".join(filter(None, (word.strip(_EDGES) for word in line.split()))) for line in marked.split("\n"))
        return [piece for piece in pieces if words.terms(piece)]

    def _are_public(self, text: str) -> bool:
        """Whether no word is of the context alone; those that are count as left out."""
        found = [word for word in _WORD.findall(text) if self._is_private(word)]
        self.left_out |= dict.fromkeys(word.strip("*").casefold() for word in found)
        return not found

    def _is_private(self, word: str) -> bool:
        private, public = _known(self._question.context, _said(self._question))
        if word.endswith("*"):
            start = _plain(word[:-1])
            held = any(form.startswith(start) for form in private)
            return held and not any(form.startswith(start) for form in public)
        return not private.isdisjoint(_forms(word)) and _forms(word).isdisjoint(_synonyms(_said(self._question)))


def _subjects(query: Query) -> Iterator[Query]:
    """The leaves that say what is looked for, not only within which limits."""
    match query:
        case And() | Or():
            for part in query.parts:
                yield from _subjects(part)
        case Words() | Term() | Phrase() | Near() | Mesh():
            yield query


def _said(question: Question) -> str:
    """All that was asked, and so may be searched for."""
    filters, follows = question.filters, question.follows
    limits = (filters.year_from, filters.year_to, filters.date_from, filters.date_to)
    return "\n".join(
        [
            question.text,
            *(option.text for option in question.options),
            *(str(limit) for limit in limits if limit),
            *filters.publication_types,
            *(value for _, value in filters.where),
            *([follows.question, follows.asked] if follows else []),
        ]
    )


@lru_cache(maxsize=64)
def _known(context: str, said: str) -> tuple[frozenset[str], frozenset[str]]:
    """The forms of words that only the context has, and of those that were asked."""
    public = _forms(said)
    return _forms(context) - public, public


@lru_cache(maxsize=64)
def _synonyms(said: str) -> frozenset[str]:
    """The forms of all words in names of the MeSH headings that a text names."""
    from medground.language.mesh_terms import alternatives  # slow to open, and seldom needed
    from medground.pubmed.mesh import vocabulary

    named = (one.heading for line in said.split("\n") for group in alternatives(line) for one in group if one.heading)
    headings = map(vocabulary().heading, named)
    return frozenset().union(*(_forms(" ".join([heading.name, *heading.entry_terms])) for heading in headings))


@lru_cache(maxsize=4096)
def _forms(text: str) -> frozenset[str]:
    """The stems of the words of a text that say something; of a name with digits such as `HIV1`, of its letters too."""
    plain = _plain(text)
    letters = (run for word in words.tokens(plain) if any(map(str.isdigit, word)) for run in _LETTERS.findall(word))
    return frozenset([*words.terms(plain), *map(words.stem, letters)])


def _plain(text: str) -> str:
    return without_accents(text.casefold())
