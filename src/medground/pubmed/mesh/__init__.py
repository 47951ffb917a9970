"""MeSH: headings, entry terms, the tree, and qualifiers (subheadings)."""

from medground.pubmed.mesh.fold import fold
from medground.pubmed.mesh.index_values import mesh_values, publication_types
from medground.pubmed.mesh.nearest import Nearest
from medground.pubmed.mesh.qualifiers import Qualifier, find_folded_qualifier, find_qualifier, narrower, qualifiers
from medground.pubmed.mesh.table import Heading
from medground.pubmed.mesh.vocabulary import Vocabulary, vocabulary

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
