"""What a user's own source is held to: contract tests and the documents they run on. Needs pytest."""

from medground.testing.source_contract import DOCUMENTS, SourceContract

__all__ = ["DOCUMENTS", "SourceContract"]
