"""Settings of recipes, one section per file. A recipe names its section in its declaration."""
