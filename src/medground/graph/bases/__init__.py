"""Knowledge bases: sets of described corpora that are built, opened and planned for together."""
