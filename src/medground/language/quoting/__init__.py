"""Which sentences of the retrieved papers answer a question, by word statistics learned from experts' choices."""
