"""Experiments: a table or a figure of a paper as a file, run here, and printed beside the published figures."""
