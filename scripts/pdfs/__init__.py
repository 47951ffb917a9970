"""Make PDFs of articles in several layouts, with what is true of each: its sentences and the page of each."""
