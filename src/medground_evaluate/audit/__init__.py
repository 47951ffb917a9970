"""Audits of a benchmark: how well it can be answered without reading any evidence."""
