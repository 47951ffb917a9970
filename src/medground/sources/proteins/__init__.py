"""Records of proteins: accessions, organisms, gene symbols, entries as text, structures and their pictures."""
