"""A table of the studies that an answer quotes, with columns that the reader names."""
