"""BioMedSearch: planner, executor and report."""
