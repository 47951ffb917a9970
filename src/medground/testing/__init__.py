"""Contract tests for your own sources and stores, and the documents they use.

Needs pytest.
"""

from medground.testing.sources import DOCUMENTS, QueryContract, SourceContract
from medground.testing.stores import StoreContract

__all__ = ["DOCUMENTS", "QueryContract", "SourceContract", "StoreContract"]
