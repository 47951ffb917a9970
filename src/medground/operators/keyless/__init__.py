"""Operators without a model. They use word statistics and never claim more than those can show."""
