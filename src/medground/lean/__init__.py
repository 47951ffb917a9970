"""A calibrated estimate (lean) for a closed question, from word statistics."""
