"""Building a pool of demonstrations: solved training questions (Reason and Verify, section 4.1)."""
