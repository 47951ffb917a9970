"""From a question to search queries."""
