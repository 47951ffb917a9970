"""A question from opening to the kept answer."""
