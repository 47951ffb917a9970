"""The calibrated lean of word statistics on a closed question."""
