"""Operators without a model: statistics of words, honest about what they are."""
