"""MeSH: headings, entry terms, the tree, and qualifiers (subheadings)."""

from medground.pubmed.characters import fold
from medground.pubmed.mesh.qualifiers import (
    Qualifier,
    find_folded_qualifier,
    find_qualifier,
    mesh_values,
    narrower,
    publication_types,
    qualifiers,
)
from medground.pubmed.mesh.vocabulary import Heading, Nearest, Vocabulary, vocabulary

__all__ = [
    "Heading",
    "Nearest",
    "Qualifier",
    "Vocabulary",
    "find_folded_qualifier",
    "find_qualifier",
    "fold",
    "mesh_values",
    "narrower",
    "publication_types",
    "qualifiers",
    "vocabulary",
]
