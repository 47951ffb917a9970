"""Checking written statements against the evidence that they cite."""
