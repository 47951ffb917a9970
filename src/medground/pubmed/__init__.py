"""PubMed's query language, and MeSH."""

from medground.values.exports import exported

__getattr__, __dir__ = exported(__name__)
