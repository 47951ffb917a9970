"""A question from opening to the kept answer."""

from medground.values.exports import exported

__getattr__, __dir__ = exported(__name__)
