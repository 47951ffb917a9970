"""Contract tests for your own sources, the documents they use, and the command line to call.

Needs pytest.
"""

from medground.testing.sources import DOCUMENTS, QueryContract, SourceContract

__all__ = ["DOCUMENTS", "QueryContract", "SourceContract"]
