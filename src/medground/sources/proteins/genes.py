"""Genes and proteins that a question names, told apart from organisms, diseases, tests and measures.

A table of symbols alone does not do, because ALS, PCOS or CAT are symbols too: what is written like a symbol
counts where its form is that of a gene, or words next to it speak of one.
"""

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from medground.language.genes import gene_table
from medground.language.pattern import verbose_pattern
from medground.language.word_lists import word_lists
from medground.pubmed.characters import fold
from medground.pubmed.mesh import vocabulary
from medground.pubmed.mesh_table import Heading
from medground.sources.proteins.names import ACCESSION, Organism, folded, known_organism, organisms_in

_LISTS = word_lists("gene_words")
_CUES, _GENETIC, _NOT_GENES = (_LISTS[name] for name in ("cues", "genetic", "not_genes"))
_CELLS, _GENERAL = (_LISTS[name] for name in ("cells", "general"))
_WORD = re.compile(r"[A-Za-zα-ωΑ-Ω0-9]+(?:[-'][A-Za-zα-ωΑ-Ω0-9]+)*[+]?")
_DIGIT_AND_LETTER = re.compile(r"(?=.*[A-Za-z])(?=.*\d)")
_LOCUS = re.compile(r"[A-Za-z]{1,8}[-]?\d{1,4}[A-Za-z]{0,2}\d{0,2}|[a-z]{3}[A-Z]")
"""The form of a symbol that no table has: `dmrt1bY`, `lem-3`, `lacZ`."""
_BINOMIAL = re.compile(r"\b([A-Z][a-z]{3,}) [a-z]{2,}(?:us|is|ae|um|ii|ans|ens|es|a|i|e)\b")
"""The scientific name of a species, if the first word is a genus."""
_OLD_NAME = re.compile(r"p\d{2,3}")
_MARK = re.compile(r"[(;:?]")
_ASKED = verbose_pattern(
    r"""
    \b(?:roles?\ of|functions?\ of|involved\ in|located|binds?|interact\w*|expressed|genes?|proteins?|
    mutations?|encod\w+)\b
    """
)
"""What questions ask of genes and proteins: three capitals, such as APP, count as a symbol in such a question."""
_NO_ACCESSION = re.compile(r"O157|T\dN\d")
"""A strain of E. coli and a stage of cancer, which are written like one."""
_LONGEST = 6
"""Most words of a protein's name, and most letters of a symbol without digits."""
_INTERLEUKIN = re.compile(r"(?:interleukin|IL)[ -]?\d{1,2}[A-Za-z]?\b", re.IGNORECASE)
_PROTEINS = ("D12.644", "D12.776", "D08.811", "D06.472.699", "D23.529")
"""MeSH: peptides, proteins, enzymes, peptide hormones, cytokines and other messengers."""
_CYCLIC = "D12.644.641"
"""Cyclic peptides: antibiotics and other drugs."""
_DRUG = verbose_pattern(
    r"""
    (?:mab|relin|relide|relix|tide|cept|mycin|myxin|plase|cillin|grastim|poetin\ alfa|leucel)$
    """
)
_FEW = 2
"""Most narrower headings of a plural that still means one protein, such as beta-Globins."""


@dataclass(frozen=True)
class NamedGene:
    """A gene or protein as a text names it: from `start` to `end`."""

    name: str
    start: int
    end: int

    @property
    def looks_human(self) -> bool:
        """Whether it is written as in texts on people: a symbol in capitals, `p53`, or the name of a protein in words.

        `Tp53` is written as of mice, `tp53` as of fish.
        """
        if _OLD_NAME.fullmatch(self.name):
            return True
        letters = [c for c in self.name if c.isalpha() and c.isascii()]
        in_words = " " in self.name or (self.name.isalpha() and len(self.name) > _LONGEST)
        return bool(letters) and (all(c.isupper() for c in letters) or (in_words and is_protein_name(self.name)))


@lru_cache(maxsize=64)
def genes_in(text: str) -> tuple[NamedGene, ...]:
    """The genes and proteins that a text names, each name once, in its order."""
    words = list(_WORD.finditer(text))
    found: list[NamedGene] = []
    at = 0
    while at < len(words):
        taken = _protein_name(text, words, at) or (1 if _is_gene(text, words, at) else 0)
        if taken:
            start, end = words[at].start(), words[at + taken - 1].end()
            found.append(NamedGene(text[start:end].rstrip("+"), start, end))
        at += taken or 1
    return tuple({folded(one.name): one for one in reversed(found)}.values())[::-1]


def organisms_named(text: str) -> tuple[Organism, ...]:
    """The organisms that a text names: species of which MeSH has the name or the genus, then those of our table."""
    found: dict[Organism, None] = {}
    for binomial in _BINOMIAL.finditer(text):
        genus = vocabulary().find(binomial[1])
        if known_organism(binomial[0]) is None and genus is not None and _is_organism(genus):
            found.setdefault(Organism(binomial[0]))
    return tuple(found | dict.fromkeys(organisms_in(text)))


def _is_organism(heading: Heading) -> bool:
    return any(tree.startswith(("B01", "B02", "B03")) for tree in heading.trees)


def _protein_name(text: str, words: list[re.Match[str]], at: int) -> int:
    """How many words from here on are the name of a protein in MeSH; 0 if none are. One word alone may be a symbol."""
    if interleukin := _INTERLEUKIN.match(text, words[at].start()):
        return sum(words[at].start() <= word.start() < interleukin.end() for word in words[at:])
    for size in range(min(_LONGEST, len(words) - at), 0, -1):
        start, end = words[at].start(), words[at + size - 1].end()
        name = text[start:end]
        symbol = size == 1 and (name.isupper() or folded(name) in _NOT_GENES)
        if not symbol and is_protein_name(name) and not _of_cells(words, at + size):
            return size
    return 0


def _is_gene(text: str, words: list[re.Match[str]], at: int) -> bool:
    word = words[at][0]
    key = folded(word)
    if len(key) < 2 or key in _NOT_GENES or word.endswith("+") or _of_cells(words, at + 1):
        return False
    if ACCESSION.fullmatch(word) and not _NO_ACCESSION.match(word):
        return True
    cued = _beside(words, at, _CUES)
    mixed = _DIGIT_AND_LETTER.match(word) is not None
    if folded(word) in _tables()[0]:
        asked = len(key) == 3 and _ASKED.search(text) is not None
        return _symbol_counts(word, cued=cued or (asked and word.isupper()), mixed=mixed)
    if folded(word) in _tables()[1]:
        # A digit, a capital that does not begin it, or a hyphen: a common word is not an alias.
        as_name = any(c.isupper() for c in word[1:]) or any(c.isdigit() for c in word) or word.startswith("c-")
        return len(key) >= 3 and mixed + cued + as_name >= 2
    named = _LOCUS.fullmatch(word) is not None or (word.isupper() and word.isalpha() and len(word) in range(3, 9))
    return named and _beside(words, at, _GENETIC)


def _symbol_counts(word: str, *, cued: bool, mixed: bool) -> bool:
    """Whether a symbol of the table means the gene: by its digits, its capitals, or the words next to it."""
    if mixed:
        return len(folded(word)) >= 3 or cued
    if word.isupper():
        return len(word) >= 4 or cued
    return any(c.isupper() for c in word[1:])  # other words of a sentence may be symbols too: Was, Set, Rest, Impact


def _beside(words: list[re.Match[str]], at: int, cues: frozenset[str]) -> bool:
    """Whether one of the two words before, or of the next two, says so."""
    places = (n for n in (at - 2, at - 1, at + 1, at + 2) if 0 <= n < len(words))
    return any(words[n][0].casefold() in cues for n in places if not _MARK.search(_between(words, at, n)))


def _between(words: list[re.Match[str]], one: int, other: int) -> str:
    first, last = sorted((one, other))
    return words[first].string[words[first].end() : words[last].start()]


def _of_cells(words: list[re.Match[str]], after: int) -> bool:
    """Whether it is the marker of a kind of cell: `CD4 count`, `CD8 T cells`."""
    return after < len(words) and words[after - 1][0].upper().startswith("CD") and words[after][0].casefold() in _CELLS


# Symbols of genes and names of proteins: NCBI Gene's human protein-coding genes, and MeSH's proteins. The genes of
# other vertebrates are mostly written alike, in their own case: TP53 of humans, Tp53 of mice, tp53 of fish.


@cache
def _tables() -> tuple[frozenset[str], frozenset[str]]:
    symbols = {folded(symbol) for symbol, *_ in gene_table()}
    aliases = {folded(name) for _, *others in gene_table() for name in others}
    return frozenset(symbols - {""}), frozenset(aliases - symbols - {""})


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
    names = (
        fold(name)
        for heading in headings.values()
        if _is_one_protein(heading)
        for name in (heading.name, *heading.entry_terms)
    )
    return frozenset(_in_order(name) for name in names if name.count(" ") >= 2 and not name.endswith("s"))


def _is_one_protein(heading: Heading | None) -> bool:
    if heading is None or not any(tree.startswith(_PROTEINS) for tree in heading.trees):
        return False
    if any(tree.startswith(_CYCLIC) for tree in heading.trees):
        return False
    first = heading.name.partition(",")[0]
    return not first.endswith("s") or len(vocabulary().children(heading)) <= _FEW
