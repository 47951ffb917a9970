"""An answer in words: phrases, one layout of them, and that layout as plain text, Markdown and HTML."""

from medground.values.exports import exported

__getattr__, __dir__ = exported(__name__)
