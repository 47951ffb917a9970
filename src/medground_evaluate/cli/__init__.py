"""The commands of evaluation and training."""
