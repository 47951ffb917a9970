"""The two small models: their networks, low-rank differences, training loop and files."""
