"""Contract tests for your own sources, models and critics, the documents they use, and the command line to call.

Needs pytest.
"""

from medground.testing.documents import DOCUMENTS
from medground.testing.query_contract import QueryContract
from medground.testing.source_contract import SourceContract

__all__ = ["DOCUMENTS", "QueryContract", "SourceContract"]
