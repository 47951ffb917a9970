"""Corpora: readers, passages, the snapshot store, joining with records, following a folder."""

from medground.values.exports import exported

__getattr__, __dir__ = exported(__name__)
