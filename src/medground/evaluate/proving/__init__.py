"""Measuring whether a language model may judge statements: a fixed, cheap test on pairs with known labels."""
