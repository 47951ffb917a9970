"""Sources by name, apart from corpora and their graphs, and where each declares itself. Names only, as for recipes."""

from __future__ import annotations

SOURCES = {
    "alphafold": "medground.sources.alphafold:ALPHAFOLD",
    "europepmc": "medground.sources.literature.europepmc:EUROPE_PMC",
    "pdb": "medground.sources.pdb:PDB",
    "pmc": "medground.sources.literature.pmc:PMC",
    "pubmed": "medground.sources.pubmed:PUBMED",
    "sciencedirect": "medground.sources.literature.sciencedirect:SCIENCE_DIRECT",
    "uniprot": "medground.sources.uniprot:UNIPROT",
    "duckduckgo": "medground.sources.web.duckduckgo:DUCKDUCKGO",
    "google": "medground.sources.web.google:GOOGLE",
    "brave": "medground.sources.web.brave:BRAVE",
}
"""Name to `module:constant`. A source with settings of its own has a section of the same name."""
