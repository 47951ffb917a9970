"""PubMed Reasoner, and the baselines that share its query generation."""
