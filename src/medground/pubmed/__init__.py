"""PubMed: query language, MeSH and E-utilities."""

from medground.pubmed.faults import QuerySyntaxError
from medground.pubmed.mapping import Translation
from medground.pubmed.normalize import Normalised, normalize
from medground.pubmed.printer import to_pubmed
from medground.pubmed.translate import Translated, parse, translate

__all__ = [
    "Normalised",
    "QuerySyntaxError",
    "Translated",
    "Translation",
    "normalize",
    "parse",
    "to_pubmed",
    "translate",
]
