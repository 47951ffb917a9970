"""A PubMed of one's own: the E-utilities' protocol over a frozen corpus, without limits and without a network."""
