"""Corpora: readers, passages, embeddings, and the snapshot store (`library`, `build`, `snapshot`)."""
