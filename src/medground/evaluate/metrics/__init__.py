"""Evaluation metrics: one idea per file, each with its definition and source."""
