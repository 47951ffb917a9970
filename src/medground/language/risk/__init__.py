"""Recognises a person at risk in a question, and says where to turn. Rules and weights of words, no model."""
