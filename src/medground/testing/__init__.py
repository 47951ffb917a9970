"""Contract tests for your own sources, models and critics, and the documents they use. Needs pytest."""

from medground.testing.documents import DOCUMENTS
from medground.testing.query_contract import QueryContract
from medground.testing.source_contract import SourceContract

__all__ = ["DOCUMENTS", "QueryContract", "SourceContract"]
