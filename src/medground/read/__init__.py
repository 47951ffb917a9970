"""From hits to evidence."""
