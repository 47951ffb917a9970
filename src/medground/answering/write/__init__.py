"""Write a rationale and an answer from evidence."""
