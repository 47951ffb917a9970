"""Words, sentences, numbers, and what a question says; lists of words are data."""
