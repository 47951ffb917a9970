"""Join documents with their records in a MEDLINE corpus or in PubMed: what a file lacks is filled, and noted."""
