"""Corpora: readers, passages, the snapshot store, joining with records, following a folder."""
