"""Symbols of genes and proteins in a question, their MeSH headings, and the word lists of research."""

from __future__ import annotations

import re
from functools import lru_cache

from medground.language.word_lists import word_lists
from medground.language.words import abstracts_with, stem
from medground.pubmed.mesh import Heading, vocabulary
from medground.sources.proteins.genes import NamedGene, genes_in, is_protein_name

LISTS = word_lists("research_words")


def matching(name: str) -> re.Pattern[str]:
    """The words of a list, or its patterns, as whole words."""
    return re.compile(rf"\b(?:{'|'.join(sorted(LISTS[name]))})\b", re.IGNORECASE)


SAYS_GENE = matching("says gene")
_COMMON = 27
"""Abstracts, of the 8,135 that were counted, with a word that is no rare name."""
PROTEIN_TREES = ("D08", "D12", "D23", "D06", "G05")


def gene_heading(symbol: str) -> Heading | None:
    """The MeSH heading of a gene or its protein, if MeSH has one: `BRCA1` is `BRCA1 Protein`, `cyp17a1` is CYP17."""
    plain = symbol.strip("'’")
    shorter = re.sub(r"(?<=\d)[A-Za-z]\d*$", "", plain)
    names = (plain, f"{plain} protein", f"genes {plain}", f"{plain} receptor", shorter)
    found = (vocabulary().find(name) for name in names if len(name) > 2)
    return next((one for one in found if one is not None and in_branches(one, PROTEIN_TREES)), None)


def in_branches(heading: Heading | None, branches: str | tuple[str, ...]) -> bool:
    """Whether a heading is in one of these branches of MeSH."""
    return heading is not None and any(tree.startswith(branches) for tree in heading.trees)


def is_symbol(token: str, question: str, start: int) -> bool:
    """Whether a word of a question is the symbol of a gene or a protein, and not the word that names it."""
    found = any((one.start, one.name) == (start, token) for one in _genes(question))
    is_word = token[1:].isalpha() and token[1:].islower()
    return found and not (is_word and is_protein_name(token))


def names_protein(name: str) -> bool:
    """Whether a keyword names a gene or a protein; a common word such as `milk` may be a symbol as well."""
    found = genes_in(name)
    return any(not one.name.islower() or abstracts_with(stem(one.name)) < _COMMON for one in found)


@lru_cache(maxsize=64)
def _genes(question: str) -> tuple[NamedGene, ...]:
    return genes_in(question)
