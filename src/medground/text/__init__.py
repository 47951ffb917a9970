"""Plain text: words, sentences and brackets."""
