"""The forms in which planners write a plan: tags, JSON, lines; and the marks in their queries."""
