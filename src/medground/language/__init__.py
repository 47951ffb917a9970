"""Words, sentences, numbers, and what a question says; lists of words are data."""

from medground.values.exports import exported

__getattr__, __dir__ = exported(__name__)
