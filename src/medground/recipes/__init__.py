"""Recipes: each is one file that reads like its paper's algorithm and declares what it needs. See `registry`."""
