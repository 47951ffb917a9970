"""From a question to queries."""
