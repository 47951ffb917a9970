"""Which sentence of a study reports what a column asks for, by words, numbers and units."""
