"""Errors planted in real sentences, one module per kind. Each planter takes a sentence, a random generator and other
sentences, and returns the changed sentence, or None if its kind does not apply.
"""
