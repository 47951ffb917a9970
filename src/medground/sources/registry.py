"""Sources by name, apart from corpora and their graphs, and where each declares itself. Names only, as for recipes."""

from __future__ import annotations

SOURCES = {
    "pubmed": "medground.sources.pubmed:PUBMED",
}
"""Name to `module:constant`. A source with settings of its own has a section of the same name."""
