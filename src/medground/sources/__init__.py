"""Where documents come from."""

from medground.values.exports import exported

__getattr__ = exported(__name__)
