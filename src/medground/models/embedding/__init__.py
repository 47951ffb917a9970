"""Embedding models: MiniLM, MedCPT, any sentence-transformers model."""
