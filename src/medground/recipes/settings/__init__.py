"""Settings of single recipes, one section a file. A recipe names its section in its declaration."""
