"""Model files: fetched from the package index, or found on a hub."""
