"""Judges of explanations and long answers: models that are pinned, and people, in the same files."""
