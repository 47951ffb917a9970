"""Errors planted in real sentences, one file per kind. Each planter takes a sentence, a source of chance and other
sentences, and gives the changed sentence, or None where its kind does not fit.
"""
