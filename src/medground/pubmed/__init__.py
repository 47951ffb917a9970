"""PubMed's query language, and MeSH."""

from medground.values.exports import exported

__getattr__ = exported(__name__)
