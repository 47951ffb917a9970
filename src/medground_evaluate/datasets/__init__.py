"""The data sets, each read strictly from the files that its owner publishes."""
