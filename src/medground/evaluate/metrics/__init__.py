"""Metrics of evaluation: one idea per file, each with its definition and where that is from."""
