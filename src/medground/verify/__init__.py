"""Checking what was written against what it cites."""
