"""A research plan for readers: as a tree of text, as Mermaid, and as a drawing."""
