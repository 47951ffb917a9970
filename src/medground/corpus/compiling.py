"""How a query tree becomes the query of an index of passages, whichever engine keeps that."""

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic, TypeVar, assert_never

from medground.corpus.lexical_fields import (
    ANALYSES,
    DATES,
    DEFAULT,
    METADATA,
    YEAR,
    Analysis,
    analyser,
    described,
    exact,
)
from medground.errors import UsageError
from medground.values import query as nodes
from medground.values.query import Leaf, Query, fold

_MOST_REORDERED, _MOST_PLACES = 4, 1500
"""Words of which a proximity search looks for each order, and for how many orders with gaps between the words."""
_FIRST_YEAR, _LAST_YEAR = 0, 9999
_SEVERAL = {"title_abstract": ("title", "text"), "text_word": (DEFAULT,), "all": (DEFAULT, "author", "journal")}
"""PubMed fields that map to fields of the index."""

Q = TypeVar("Q")


class Compiler(ABC, Generic[Q]):
    """Compiles the branches of a tree. An engine adds what it can be asked, and an index what each leaf asks."""

    def compile(self, query: Query) -> Q:
        """The query as the engine takes it; UsageError if it asks for a field that the index does not have."""
        return fold(query, self.leaf, self._all, self._any)

    @abstractmethod
    def leaf(self, query: Leaf) -> Q:
        """A query without parts."""

    @abstractmethod
    def _everything(self) -> Q: ...

    @abstractmethod
    def _all(self, parts: Sequence[tuple[Q, bool]]) -> Q:
        """All parts that are not left out, and none of those that are."""

    @abstractmethod
    def _any(self, parts: Sequence[Q], best: bool = False) -> Q:
        """Any part; none matches nothing. Scores add up, or only the best counts."""

    @abstractmethod
    def limited(self, found: Q, limits: Q) -> Q:
        """What both match, scored as `found`."""

    @abstractmethod
    def _one(self, field: str, word: str) -> Q: ...

    @abstractmethod
    def _one_of(self, field: str, values: Sequence[str]) -> Q:
        """Any of these words, all of which score 1."""

    @abstractmethod
    def _starting_with(self, field: str, start: str) -> Q:
        """Any word that starts so, all of which score 1."""

    @abstractmethod
    def _several(self, field: str, words: Sequence[str], slop: int) -> Q:
        """At least two words in this order, with at most `slop` other words between them."""

    @abstractmethod
    def _begun(self, field: str, words: Sequence[str], start: str) -> Q:
        """Words in this order, then one that starts so."""

    @abstractmethod
    def _integers(self, field: str, first: int, last: int) -> Q:
        """Integers from `first` to `last`. A document without a value matches no range."""

    def _sequence(self, field: str, words: Sequence[str]) -> Q:
        if len(words) < 2:
            return self._one(field, words[0]) if words else self._any([])
        return self._several(field, words, 0)

    def _near(self, field: str, words: Sequence[str], distance: int) -> Q:
        """All words in any order, with at most `distance` others from the first to the last; they score as words do.

        Where they can stand in too many ways, it is enough that each is so near the next one of the query.
        """
        if len(words) < 2:
            return self._sequence(field, words)
        parts, widest, gaps = [words], distance, math.comb(distance + len(words) - 1, distance)
        if len(words) > _MOST_REORDERED or (len(words) > 2 and gaps * math.factorial(len(words)) > _MOST_PLACES):
            parts, widest = [*itertools.pairwise(words)], distance + len(words) - 2
        orders = [dict.fromkeys(itertools.permutations(part)) for part in parts]
        near = [self._any([self._several(field, order, widest) for order in each]) for each in orders]
        found = [self._one(field, word) for word in dict.fromkeys(words)]
        return self.limited(self._all([(one, False) for one in found]), self._all([(one, False) for one in near]))

    def _between(self, field: str, low: int | None, high: int | None, least: int, most: int) -> Q:
        """Integers within both bounds. A document without a value matches no range, not even an open one."""
        first = least if low is None else min(max(least, low), most + 1)
        last = most if high is None else max(min(most, high), least - 1)
        return self._any([]) if first > last else self._integers(field, first, last)


class PassageCompiler(Compiler[Q]):
    """Compiles the leaves for an index with the fields of `lexical_fields`."""

    def leaf(self, query: Leaf) -> Q:
        match query:
            case nodes.Everything():
                return self._everything()
            case nodes.Range(field="id"):
                raise UsageError("a corpus cannot be searched by a range of PMIDs; name them, or serve it as PubMed")
            case nodes.Range():
                return self._between(YEAR, query.low, query.high, _FIRST_YEAR, _LAST_YEAR)
            case nodes.DateRange():
                if query.field not in DATES:
                    raise UsageError(f"a corpus has no {query.field!r} dates; use one of: {', '.join(DATES)}")
                low, high = (
                    None if day is None else day.year * 10_000 + day.month * 100 + day.day
                    for day in (query.low, query.high)
                )
                return self._between(f"date_{query.field}", low, high, 0, 99_999_999)
            case nodes.Mesh():
                from medground.pubmed.mesh import mesh_values

                return self._exactly("mesh_major" if query.major else "mesh_exact", mesh_values(query))
            case nodes.PublicationType():
                from medground.pubmed.mesh import publication_types

                return self._exactly("publication_type", publication_types(query))
            case nodes.Metadata():
                return self._one(METADATA, described(query.name, query.value))
            case nodes.Words() | nodes.Term() | nodes.Phrase() | nodes.Near():
                return self._leaf(query)
            case _:
                assert_never(query)

    def _leaf(self, query: nodes.Words | nodes.Term | nodes.Phrase | nodes.Near) -> Q:
        text = query.value if isinstance(query, nodes.Term) else query.text
        if query.field == "year":
            year = int(text[:9]) if text.isascii() and text.isdigit() else -1
            return self._between(YEAR, year, year, _FIRST_YEAR, _LAST_YEAR)
        fields = _SEVERAL.get(query.field or "", (query.field or DEFAULT,))
        if fields == ("mesh",) and isinstance(query, nodes.Term):
            fields = ("mesh_exact",)  # a whole MeSH heading, not words of one
        if missing := [field for field in fields if field not in ANALYSES]:
            raise UsageError(
                f"a corpus cannot be searched by {missing[0]!r}; leave this field out or search PubMed itself"
            )
        found = [self._in_field(query, text, field, ANALYSES[field]) for field in fields]
        return found[0] if len(found) == 1 else self._any(found, best=True)

    def _in_field(
        self, query: nodes.Words | nodes.Term | nodes.Phrase | nodes.Near, text: str, field: str, analysis: Analysis
    ) -> Q:
        if analysis == "exact":
            value = exact(field, text)
            truncated = isinstance(query, nodes.Term) and query.prefix
            return self._starting_with(field, value) if truncated else self._one(field, value)
        if isinstance(query, nodes.Words):
            words = analyser(analysis, stop_words=False).analyze(text) or analyser(analysis).analyze(text)
            return self._any([self._one(field, word) for word in dict.fromkeys(words)])
        if isinstance(query, nodes.Term) and query.prefix:
            return self._truncated(field, analysis, text)
        words = analyser(analysis).analyze(text)
        if isinstance(query, nodes.Near) or (isinstance(query, nodes.Phrase) and query.slop):
            return self._near(field, words, query.distance if isinstance(query, nodes.Near) else query.slop)
        return self._sequence(field, words)

    def _truncated(self, field: str, analysis: Analysis, value: str) -> Q:
        words = analyser("plain").analyze(value)
        if not words:
            return self._any([])
        if len(words) > 1:
            first = analyser("english" if analysis == "english" else "plain").analyze(" ".join(words[:-1]))
            return self._begun(field, first, words[-1])
        start = self._starting_with(field, words[0])
        # The index holds stems: "inflammations*" must find "inflammation", which is stored as "inflamm".
        stems = analyser("english").analyze(value) if analysis == "english" else []
        return self._any([start, *(self._one(field, stem) for stem in stems)])

    def _exactly(self, field: str, values: Sequence[str]) -> Q:
        return self._one_of(field, [exact(field, value) for value in values])
