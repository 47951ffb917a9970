"""Words, sentences, numbers, and what a question says; lists of words are data."""

from medground.values.exports import exported

__getattr__ = exported(__name__)
