"""A question from opening to the kept answer."""

from medground.values.exports import exported

__getattr__ = exported(__name__)
