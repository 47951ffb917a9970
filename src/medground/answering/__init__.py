"""The steps that all recipes share, and the run that counts, limits and traces them."""
