"""Recipes: a folder for each paper, the default in `ground`, and what they share in `base`."""
