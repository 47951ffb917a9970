"""Decomposing a question without a model: what it names, the dimensions that these call for, and their order."""
