"""Each recipe in a sentence, the same in every face."""

from __future__ import annotations

from collections.abc import Mapping

ABOUT: Mapping[str, str] = {
    "biomedsearch": "Splits the question, searches literature, protein records and the web for each part, and writes a "
    "report.",
    "ground": "Answers from stored facts first, then from passages that are read in batches; each sentence is checked.",
    "model-only": "A model answers from memory, without evidence. A baseline.",
    "omni-rag": "Plans queries for each kind of source, searches them all, and answers from a fair share of each.",
    "pubmed-reasoner": "Writes a PubMed query, criticises and refines it before reading, then reads in batches.",
    "rag": "Searches once and answers. A baseline.",
    "reason-and-verify": "Searches by words, reranks, writes a cited rationale and labels each of its statements.",
    "self-medrag": "Answers, checks its statements, and searches again for those that lack support.",
    "self-reflection": "A model answers several times and reviews itself. A baseline.",
}
"""Name of a recipe to what it does."""
