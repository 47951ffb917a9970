"""Contract tests for your own sources, and the documents they use.

Needs pytest.
"""

from medground.testing.sources import DOCUMENTS, QueryContract, SourceContract

__all__ = ["DOCUMENTS", "QueryContract", "SourceContract"]
