"""The steps that all recipes share, and the run that counts, limits and traces them."""

from medground.values.exports import exported

__getattr__, __dir__ = exported(__name__)
