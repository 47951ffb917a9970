"""Readers of vocabularies: each turns its files into one stream of concepts, names, definitions and relations."""
