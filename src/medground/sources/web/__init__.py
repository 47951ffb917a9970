"""Search engines of the web as sources (BioMedSearch, section III.B, Web Search)."""
