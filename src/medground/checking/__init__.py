"""A text against its own references: what it cites, which papers these are, and what they say of each sentence."""
