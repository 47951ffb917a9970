"""Reason and Verify, and its pool of demonstrations."""
