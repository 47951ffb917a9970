"""The retrieval executor: literature, protein records and web pages for a sub-question (BioMedSearch, III.B)."""
