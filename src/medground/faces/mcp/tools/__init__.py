"""The tools that search, read, answer and look up."""
