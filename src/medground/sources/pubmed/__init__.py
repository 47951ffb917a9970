"""PubMed as a source: what it is asked for a question or a query, its search, and its records by their ids."""
