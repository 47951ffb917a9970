"""Building a set of multiple-choice questions from literature (BioMedSearch, section IV.A and Figure 2)."""
