"""Readers turn files and folders into documents. `all_readers` lists them; `find_inputs` selects one by content."""

from medground.values.exports import exported

__getattr__, __dir__ = exported(__name__)
