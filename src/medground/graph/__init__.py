"""The knowledge graph: relations of the Human Phenotype Ontology, and the questions that they answer."""
