"""Judges of explanations and long answers: pinned models, and people, in the same file format."""
