"""Recipes, one file each: the algorithm as in its paper, then a declaration of what it needs. See `registry`."""
