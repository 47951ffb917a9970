"""An answer in words: phrases, plain text, Markdown, HTML."""
