"""Typed tasks for a language model, each with an implementation that needs no model."""
