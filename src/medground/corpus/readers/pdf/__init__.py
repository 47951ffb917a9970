"""PDF: running text in reading order, with the page and the box of each line."""
