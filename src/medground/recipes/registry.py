"""Recipes by name, and where each is declared. Loading this module loads no recipe."""

from __future__ import annotations

RECIPES = {
    "biomedsearch": "medground.recipes.biomedsearch:BIOMEDSEARCH",
    "ground": "medground.recipes.ground:GROUND",
    "model-only": "medground.recipes.model_only:MODEL_ONLY",
    "omni-rag": "medground.recipes.omni_rag:OMNI_RAG",
    "pubmed-reasoner": "medground.recipes.pubmed_reasoner:PUBMED_REASONER",
    "rag": "medground.recipes.baselines:RAG",
    "reason-and-verify": "medground.recipes.reason_and_verify:REASON_AND_VERIFY",
    "self-medrag": "medground.recipes.self_medrag:SELF_MEDRAG",
    "self-reflection": "medground.recipes.baselines:SELF_REFLECTION",
}
"""Name to `module:constant`. A recipe with its own settings has a section of the same name (`self_medrag`)."""


def recipe_names() -> list[str]:
    """All recipes, in alphabetical order."""
    return sorted(RECIPES)
