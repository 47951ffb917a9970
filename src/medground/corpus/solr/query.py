"""Compiles a query tree for Solr. Each part is a parameter of its own that names its parser, so no text is parsed."""

from collections.abc import Callable, Sequence
from xml.etree import ElementTree as ET

from medground.corpus.compiling import PassageCompiler
from medground.corpus.solr.schema import PASSAGES, ROW
from medground.values.query import Filters, Query

_MOST_ENDINGS = 50
"""Words that the last word of a truncated phrase can become, as in Tantivy."""
SCALE = 2.2
"""Tantivy multiplies the score of a word by this (k1 + 1), and Lucene does not."""
_SEPARATOR = "\n"


class SolrCompiler(PassageCompiler[str]):
    """Its queries are names of parameters. `ending` lists the words of a field that start so."""

    def __init__(self, ending: Callable[[str, str, int], Sequence[str]]) -> None:
        self.parameters = {"separator": _SEPARATOR}
        self._ending = ending
        self._phrased = set[str]()
        self._whatever = self._constant("*:*")

    def search(self, query: Query, filters: Filters, kinds: str = PASSAGES) -> dict[str, str | list[str]]:
        """The parameters of a search for rows of these kinds."""
        limits = filters.as_query()
        chosen = [f"{{!terms f={ROW}}}{kinds}"]
        if limits is not None:
            chosen.append(f"{{!query v={self.compile(limits)}}}")
        found = self.compile(query)
        how = "filter" if found == self._whatever and limits is not None else "must"  # as Tantivy scores limits alone
        # A shard that has no word of a phrase tells nothing of its field, unless a single word is asked for too.
        asked = [f"should={self._one(field, _SEPARATOR)}" for field in sorted(self._phrased)]
        return {"q": f"{{!bool {how}={found} {' '.join(asked)}}}", "fq": chosen, **self.parameters}

    def _keep(self, text: str) -> str:
        name = f"p{len(self.parameters)}"
        self.parameters[name] = text
        return f"${name}"

    def _constant(self, text: str) -> str:
        """A query of which each match scores 1, as Tantivy counts."""
        return self._keep(f'_query_:"{{!query v={self._keep(text)}}}"^={1 / SCALE}')

    def _everything(self) -> str:
        return self._whatever

    def _all(self, parts: Sequence[tuple[str, bool]]) -> str:
        wanted = [part for part, left_out in parts if not left_out]
        wanted = [part for part in wanted if part != self._whatever] or [self._whatever]  # it adds nothing to others
        clauses = [*(f"must={part}" for part in wanted), *(f"must_not={part}" for part, left_out in parts if left_out)]
        return self._keep(f"{{!bool {' '.join(clauses)}}}")

    def _any(self, parts: Sequence[str], best: bool = False) -> str:
        if len(parts) == 1:
            return parts[0]
        if not parts:
            return self._keep(f"{{!terms f={ROW} v=''}}")
        if best:
            each = self._keep(" ".join(f'_query_:"{{!query v={part}}}"' for part in parts))
            return self._keep(f"{{!maxscore tie=0 v={each}}}")
        return self._keep(f"{{!bool {' '.join(f'should={part}' for part in parts)}}}")

    def limited(self, found: str, limits: str) -> str:
        return self._keep(f"{{!bool must={found} filter={limits}}}")

    def _one(self, field: str, word: str) -> str:
        return self._keep(f"{{!term f={field} v={self._keep(word)}}}")

    def _one_of(self, field: str, values: Sequence[str]) -> str:
        if not values:
            return self._any([])
        return self._constant(f"{{!terms f={field} separator=$separator v={self._keep(_SEPARATOR.join(values))}}}")

    def _starting_with(self, field: str, start: str) -> str:
        return self._constant(f"{{!prefix f={field} v={self._keep(start)}}}")

    def _several(self, field: str, words: Sequence[str], slop: int) -> str:
        if slop:
            return self._near_each_other(field, [[word] for word in words], slop)
        self._phrased.add(field)
        return self._keep(f"{{!field f={field} v={self._keep(' '.join(words))}}}")

    def _begun(self, field: str, words: Sequence[str], start: str) -> str:
        if not words:
            return self._starting_with(field, start)
        endings = self._ending(field, start, _MOST_ENDINGS)
        if not endings:
            return self._any([])
        found = self._near_each_other(field, [*([word] for word in words), endings], 0)
        if len(words) == 1:
            return self._constant(f"{{!query v={found}}}")
        return self.limited(self._several(field, words, 0), found)  # as Tantivy scores it

    def _integers(self, field: str, first: int, last: int) -> str:
        return self._constant(f"{field}:[{first} TO {last}]")

    def _near_each_other(self, field: str, places: Sequence[Sequence[str]], slop: int) -> str:
        self._phrased.add(field)
        tree = ET.Element("SpanNear", slop=str(slop), inOrder="true")
        for words in places:
            place = ET.SubElement(tree, "SpanOr") if len(words) > 1 else tree
            for word in words:
                ET.SubElement(place, "SpanTerm", fieldName=field).text = word
        return self._keep(f"{{!xmlparser v={self._keep(ET.tostring(tree, encoding='unicode'))}}}")
