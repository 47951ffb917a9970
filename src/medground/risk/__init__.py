"""Recognises a person at risk in a question, and says where to turn. Rules only, no model."""
