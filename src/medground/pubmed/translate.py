"""Query text to the typed tree, with the translation that PubMed would show."""

from __future__ import annotations

from datetime import UTC, date, datetime
from functools import cache

from medground.document import Frozen
from medground.pubmed.compile import Compiler
from medground.pubmed.mapping import Mapper, Translation
from medground.pubmed.mesh import vocabulary
from medground.pubmed.parser import parse_syntax
from medground.pubmed.printer import to_pubmed
from medground.pubmed.syntax import Node
from medground.query import Query


class Translated(Frozen):
    """A query as it was understood: the tree, and what each untagged concept was mapped to."""

    query: Query
    translations: tuple[Translation, ...] = ()

    @property
    def text(self) -> str:
        """The whole query as PubMed text, every term with its tag (E-utilities call it QueryTranslation)."""
        return to_pubmed(self.query)


def translate(text: str, *, today: date | None = None, mapper: Mapper | None = None) -> Translated:
    """Read a PubMed query. `today` is what "last 5 years" counts from; `mapper` may know the journals of a corpus.

    Raises:
        QuerySyntaxError: the text is no PubMed query; it carries the column.
    """
    return compiled(parse_syntax(text), today=today, mapper=mapper)


def parse(text: str, *, today: date | None = None, mapper: Mapper | None = None) -> Query:
    """The tree of a PubMed query.

    Raises:
        QuerySyntaxError: the text is no PubMed query; it carries the column.
    """
    return translate(text, today=today, mapper=mapper).query


def compiled(node: Node, *, today: date | None = None, mapper: Mapper | None = None) -> Translated:
    """The same from a syntax tree.

    Raises:
        QuerySyntaxError: a date, a range or an id in it cannot be read.
    """
    compiler = Compiler(mapper or standard_mapper(), today or datetime.now(UTC).date())
    query = compiler.query(node)
    return Translated(query=query, translations=tuple(compiler.translations))


@cache
def standard_mapper() -> Mapper:
    """Maps by the vocabulary and the journals of the package."""
    return Mapper(vocabulary())
