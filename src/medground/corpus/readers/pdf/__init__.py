"""PDF: running text in reading order, with the page and the box of each line.

glyphs (what is printed where, and what nobody can see) → lines → furniture (running heads) out → blocks in reading
order → kinds (heading, caption, table, reference) → paragraphs → a document.
"""
