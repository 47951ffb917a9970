"""A client of NCBI's E-utilities, or any service with the same API."""
