"""Judges of explanations, long answers and statements: pinned models, and people, in the same file format."""
