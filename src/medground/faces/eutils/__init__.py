"""A local PubMed server: the E-utilities API over a frozen corpus, without rate limits or a network connection."""
