"""Symbols of genes and names of proteins: NCBI Gene's human protein-coding genes, and MeSH's proteins.

The genes of other vertebrates are mostly written alike, in their own case: TP53 of humans, Tp53 of mice, tp53 of fish.
"""

from __future__ import annotations

import gzip
import re
from functools import cache
from importlib import resources

from medground.pubmed.characters import fold
from medground.pubmed.mesh import Heading, vocabulary
from medground.sources.proteins.names import folded

_PROTEINS = ("D12.644", "D12.776", "D08.811", "D06.472.699", "D23.529")
"""MeSH: peptides, proteins, enzymes, peptide hormones, cytokines and other messengers."""
_CYCLIC = "D12.644.641"
"""Cyclic peptides: antibiotics and other drugs."""
_DRUG = re.compile(
    r"(?:mab|relin|relide|relix|tide|cept|mycin|myxin|plase|cillin|grastim|poetin alfa|leucel)$", re.IGNORECASE
)
_FEW = 2
"""Most narrower headings of a plural that still means one protein, such as beta-Globins."""
_GENERAL_WORDS = """
    secretase fruit
    protein proteins enzyme enzymes peptide peptides antigen antibody antibodies hormone receptor vaccine
    collagen insulin albumin hemoglobin haemoglobin fibrin gelatin casein keratin toxin venom prion amyloid
    histone chromatin myosin actin tubulin lectin complement coagulant anticoagulant thromboplastin mitogen
    allergen kinase protease hydrolase transferase oxidase reductase ligase lipase amylase ribosome proteasome
    interferon globulin gamma surfactant tuberculin peptone opioid endorphin heparin glucagon oxytocin
    vasopressin
"""
_GENERAL = frozenset(_GENERAL_WORDS.split())
"""Names of classes, and of proteins that questions mean as a drug, a food or a laboratory value."""


@cache
def _tables() -> tuple[frozenset[str], frozenset[str]]:
    stored = (resources.files("medground") / "data" / "genes.tsv.gz").read_bytes()
    symbols: set[str] = set()
    aliases: set[str] = set()
    for line in gzip.decompress(stored).decode("utf-8").splitlines():
        symbol, _, others = line.partition("\t")
        symbols.add(folded(symbol))
        aliases.update(map(folded, others.split("|")))
    return frozenset(symbols - {""}), frozenset(aliases - symbols - {""})


def is_symbol(name: str) -> bool:
    """Whether it is the symbol of a human protein-coding gene, whatever its case and hyphens."""
    return folded(name) in _tables()[0]


def is_alias(name: str) -> bool:
    """Whether it is another name of such a gene."""
    return folded(name) in _tables()[1]


def is_protein_name(words: str) -> bool:
    """Whether MeSH has one protein under this name: not a class of proteins, which is plural there, and not a drug."""
    if words.casefold() in _GENERAL or words.endswith("s") or len(words) < 3 or _DRUG.search(words):
        return False
    if any(_is_one_protein(vocabulary().find(name)) for name in (words, f"{words} protein", f"{words}s")):
        return True
    return " " in words and _in_order(fold(words)) in _protein_names()


def _in_order(name: str) -> tuple[str, ...]:
    """The words of a name in alphabetical order: MeSH inverts names, such as Amyloid Protein Precursor."""
    return tuple(sorted(name.split()))


@cache
def _protein_names() -> frozenset[tuple[str, ...]]:
    """The words of all names of proteins in MeSH that have three words or more."""
    root = (vocabulary().find(name) for name in ("Proteins", "Peptides", "Enzymes"))
    headings = {one.id: one for top in root if top is not None for one in vocabulary().explode(top)}
    names = (fold(name) for one in headings.values() if _is_one_protein(one) for name in (one.name, *one.entry_terms))
    return frozenset(_in_order(name) for name in names if name.count(" ") >= 2 and not name.endswith("s"))


def _is_one_protein(heading: Heading | None) -> bool:
    if heading is None or not any(tree.startswith(_PROTEINS) for tree in heading.trees):
        return False
    if any(tree.startswith(_CYCLIC) for tree in heading.trees):
        return False
    first = heading.name.partition(",")[0]
    return not first.endswith("s") or len(vocabulary().children(heading)) <= _FEW
