"""Self-MedRAG."""
