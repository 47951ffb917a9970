"""Recipes, sources and what joins, by name: names only, so that settings load none of them."""

from __future__ import annotations

from contextlib import suppress
from importlib.metadata import EntryPoint, PackageNotFoundError, distribution

RECIPES = {
    "biomedsearch": "medground.recipes.biomedsearch.recipe:BIOMEDSEARCH",
    "ground": "medground.recipes.ground:GROUND",
    "model-only": "medground.recipes.pubmed_reasoner.baselines:MODEL_ONLY",
    "omni-rag": "medground.recipes.omni_rag.recipe:OMNI_RAG",
    "pubmed-reasoner": "medground.recipes.pubmed_reasoner.recipe:PUBMED_REASONER",
    "rag": "medground.recipes.pubmed_reasoner.baselines:RAG",
    "reason-and-verify": "medground.recipes.reason_and_verify.recipe:REASON_AND_VERIFY",
    "self-medrag": "medground.recipes.self_medrag:SELF_MEDRAG",
    "self-reflection": "medground.recipes.pubmed_reasoner.baselines:SELF_REFLECTION",
}
"""Name to `module:constant`. A recipe with its own settings has a section of the same name (`self_medrag`)."""


def recipe_names() -> list[str]:
    """All recipes, in alphabetical order."""
    return sorted(RECIPES)


# Sources by name, apart from corpora and their graphs, and where each declares itself. Names only, as for recipes.

SOURCES = {
    "alphafold": "medground.sources.proteins.structure_sources:ALPHAFOLD",
    "europepmc": "medground.sources.literature.europepmc:EUROPE_PMC",
    "pdb": "medground.sources.proteins.structure_sources:PDB",
    "pmc": "medground.sources.literature.europepmc:PMC",
    "pubmed": "medground.sources.pubmed.source:PUBMED",
    "sciencedirect": "medground.sources.literature.sciencedirect:SCIENCE_DIRECT",
    "uniprot": "medground.sources.proteins.uniprot:UNIPROT",
    "duckduckgo": "medground.sources.web_engines:DUCKDUCKGO",
    "brave": "medground.sources.web_engines:BRAVE",
}
"""Name to `module:constant`. A source with settings of its own has a section of the same name."""


def joining(group: str) -> dict[str, EntryPoint]:
    """The entry points of a group by name; none where Medground runs without being installed.

    `medground_evaluate`, the other package of this distribution, joins by them; nothing here imports it by name.
    """
    with suppress(PackageNotFoundError):  # those of all distributions would take 30 ms to read
        return {point.name: point for point in distribution("medground").entry_points.select(group=group)}
    return {}
