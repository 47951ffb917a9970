"""Builds what a model learns from: pools of demonstrations."""
