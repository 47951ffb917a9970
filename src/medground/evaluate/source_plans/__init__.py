"""What plans of sources find: the lookups of a question, what is evidence for its gold answer, and plans compared."""
