"""Metrics, each with its definition and source."""
