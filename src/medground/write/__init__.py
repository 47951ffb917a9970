"""From evidence to a rationale and an answer."""
