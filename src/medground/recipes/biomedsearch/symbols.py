"""Symbols of genes and proteins by their writing: human ones such as TP53, those of fish and mice such as cyp17a1."""

from __future__ import annotations

import re
from functools import lru_cache

from medground.language.word_lists import word_lists
from medground.language.words import FUNCTION_WORDS, abstracts_with, stem
from medground.pubmed.mesh import Heading, vocabulary
from medground.sources.proteins.genes import genes_in

LISTS = word_lists("research_words")


def matching(name: str) -> re.Pattern[str]:
    """The words of a list, or its patterns, as whole words."""
    return re.compile(rf"\b(?:{'|'.join(sorted(LISTS[name]))})\b", re.IGNORECASE)


_WITH_NUMBER = re.compile(
    r"(?:[A-Z]{2,6}|[a-z]{2,6}|[A-Z][a-z]{1,5}|p)-?\d{1,2}(?:[A-Za-z]{1,2}\d{0,2})?(?:l\d?)?|"
    r"[A-Z]\d[A-Z]{1,4}\d{0,2}|[A-Z][a-z]{2}[A-Z]\d?|"
    r"(?:ZNF|CD|SLC|KIAA|LOC|TMEM|FAM|TRIM)\d{1,5}[A-Z]?\d{0,2}|(?:mi|let-|si|sn|lnc)R?NA?-?\d+\w*|miR-\d+\w*(?:-[35]p)?"
)
_NONE = re.compile(
    rf"(?:{'|'.join(LISTS['of a study'])})-?\d+\w*|[a-z]{{2,}}-?\d+(?:mg|ml|kg|d|h|w|m|y)|(?:h\d+n\d+)|\d.*",
    re.IGNORECASE,
)
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
    """Whether a word of a question is the symbol of a gene or a protein.

    It is where it is written like one and `genes_in` finds it, or has the form of one with a number. So is any word
    that is not one of abstracts and stands right before `gene` or `mutant`.
    """
    if token in LISTS["not genes"] or token.lower() in FUNCTION_WORDS or _NONE.fullmatch(token) or len(token) < 2:
        return False
    written = any(letter.isdigit() or letter.isupper() for letter in token[1:])
    if _WITH_NUMBER.fullmatch(token) or (written and token in _known(question)):
        return True
    after = question[start + len(token) : start + len(token) + 24]
    lower = re.fullmatch(r"[a-z]{3,6}\d?[ab]?", token) and not abstracts_with(stem(token))
    return bool(lower) and bool(re.match(r"\s+(?:gene|mutants?|knock-?(?:out|down)|null|morphants?)\b", after))


def names_protein(name: str) -> bool:
    """Whether a keyword names a gene or a protein; a common word such as `milk` may be a symbol as well."""
    found = genes_in(name)
    return any(not one.name.islower() or abstracts_with(stem(one.name)) < _COMMON for one in found)


@lru_cache(maxsize=64)
def _known(question: str) -> frozenset[str]:
    return frozenset(one.name for one in genes_in(question))
