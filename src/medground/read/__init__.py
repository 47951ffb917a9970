"""Read documents and quote evidence."""
