"""Omni-RAG and its source planners."""
