"""One process that answers many people: jobs, owners, limits. What all faces share, without HTTP."""
