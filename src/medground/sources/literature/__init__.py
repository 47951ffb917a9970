"""Literature databases that are searched live: Europe PMC, PubMed Central and ScienceDirect."""
