"""Words, sentences and brackets: what several rooms need of plain text."""
