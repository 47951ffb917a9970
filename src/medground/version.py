"""The version of the program, in a place that imports nothing."""

__version__ = "0.3.0.dev0"
