"""Demonstrations: solved training questions that are shown to a model (Reason and Verify, section 4.1)."""
