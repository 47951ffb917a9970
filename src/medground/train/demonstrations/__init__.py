"""Demonstrations: solved training questions that a model is shown (Reason and Verify, section 4.1)."""
