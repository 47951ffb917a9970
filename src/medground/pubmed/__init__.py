"""PubMed's query language, and MeSH."""
