"""Translate a query into the typed tree, with the translation that PubMed would show."""

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
    """An interpreted query: the tree, and the mapping of each untagged concept."""

    query: Query
    translations: tuple[Translation, ...] = ()

    @property
    def text(self) -> str:
        """The whole query as PubMed text, with a tag on every term (QueryTranslation in the E-utilities)."""
        return to_pubmed(self.query)


def translate(text: str, *, today: date | None = None, mapper: Mapper | None = None) -> Translated:
    """Parse and map a PubMed query.

    `today` is the reference date for "last 5 years". Pass a `mapper` to recognise the journals of a corpus.

    Raises:
        QuerySyntaxError: the text is not a valid PubMed query; the error has the column.
    """
    return compiled(parse_syntax(text), today=today, mapper=mapper)


def parse(text: str, *, today: date | None = None, mapper: Mapper | None = None) -> Query:
    """Return the tree of a PubMed query.

    Raises:
        QuerySyntaxError: the text is not a valid PubMed query; the error has the column.
    """
    return translate(text, today=today, mapper=mapper).query


def compiled(node: Node, *, today: date | None = None, mapper: Mapper | None = None) -> Translated:
    """Map a syntax tree.

    Raises:
        QuerySyntaxError: a date, range or ID is not valid.
    """
    compiler = Compiler(mapper or standard_mapper(), today or datetime.now(UTC).date())
    query = compiler.query(node)
    return Translated(query=query, translations=tuple(compiler.translations))


@cache
def standard_mapper() -> Mapper:
    """Return a mapper that uses the packaged vocabulary and journals."""
    return Mapper(vocabulary())
