"""Reports of runs, as Markdown and as one self-contained HTML page."""
