"""Recipes: a folder or a file for each paper, the default in `ground`, and what they share in `base`."""

from medground.values.exports import exported

__getattr__, __dir__ = exported(__name__)
