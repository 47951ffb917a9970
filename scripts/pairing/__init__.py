"""Pairs of a premise and a statement made from real sentences, one module per method."""
