"""The default recipe: stored facts first, then what texts say."""
