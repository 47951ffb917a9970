"""Fuse, rerank and merge hits."""
