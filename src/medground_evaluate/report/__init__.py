"""Reports of runs as one self-contained HTML page."""
