"""What a source, model or critic of your own is held to: contract tests and their documents. Needs pytest."""

from medground.testing.documents import DOCUMENTS
from medground.testing.query_contract import QueryContract
from medground.testing.source_contract import SourceContract

__all__ = ["DOCUMENTS", "QueryContract", "SourceContract"]
