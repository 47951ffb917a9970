"""Pairs of a premise and a statement, one file per way of making them from real sentences."""
