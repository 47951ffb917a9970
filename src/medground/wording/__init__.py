"""An answer in words: phrases, one layout of them, and that layout as plain text, Markdown and HTML."""
