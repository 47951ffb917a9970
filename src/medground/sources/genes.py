"""Genes and proteins that a question names, told apart from organisms, diseases, tests and measures.

Source: BioMedSearch, section III.B: a gene name, with or without an organism, starts the search for proteins. A table
of symbols alone does not do, because ALS, PCOS or CAT are symbols too: what is written like a symbol counts where its
form is that of a gene, or words beside it speak of one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from medground.pubmed.mesh import Heading, vocabulary
from medground.sources.proteins.names import ACCESSION, Organism, folded, known_organism, organisms_in
from medground.sources.proteins.symbols import is_alias, is_protein_name, is_symbol

_WORD = re.compile(r"[A-Za-zα-ωΑ-Ω0-9]+(?:[-'][A-Za-zα-ωΑ-Ω0-9]+)*[+]?")
_DIGIT_AND_LETTER = re.compile(r"(?=.*[A-Za-z])(?=.*\d)")
_LOCUS = re.compile(r"[A-Za-z]{1,8}[-]?\d{1,4}[A-Za-z]{0,2}\d{0,2}|[a-z]{3}[A-Z]")
"""The form of a symbol that no table has: `dmrt1bY`, `lem-3`, `lacZ`."""
_CUES_WORDS = """
    gene genes protein proteins mutation mutations mutant mutants mutated polymorphism polymorphisms variant
    variants allele alleles genotype genotypes haplotype expression overexpression expressing knockout
    knockouts knockdown ko null deletion deletions promoter receptor receptors kinase mrna transcript
    transcripts locus isoform isoforms homolog homologs ortholog orthologs inhibitor inhibitors antagonist
    antagonists agonist ligand ligands signaling signalling pathway phosphorylation amplification methylation
    haploinsufficiency knock-out knock-down enzyme deficiency deficient encoded oncogene protooncogen
    proto-oncogene morphants morpholino activation isoenzyme
"""
_CUES = frozenset(_CUES_WORDS.split())
_GENETIC_WORDS = """
    gene genes protein proteins mutation mutations mutant mutants polymorphism polymorphisms knockout
    knockouts knockdown promoter locus ortholog orthologs allele alleles mrna encoded knock-out ko
    haploinsufficiency expression overexpression oncogene proto-oncogene protooncogen
"""
_GENETIC = frozenset(_GENETIC_WORDS.split())
"""Words that say of an unknown name that it is a gene."""
_NOT_GENES_WORDS = """
    aids als adhd add amd ards asd bmi bph cad cat chd ckd cns cop copd cpr crc csf ct cta cva dna dvt ecg ed
    eeg emg ercp esrd fda fev1 gbs gerd gfr gi gp hbv hcc hcv hdl hiv hpv hrt hsv iabp ibd ibs icd icu il iq
    iud iv ivf ldl leep lvef mci mdr mers mi mri mrna ms nicu nsclc nsaid nsaids oa ocd or osa pah pci pcos
    pcr pd pe pet pfo ptsd qol qt ra rct rna rnas sars sd sle snp snps ssri std tb tbi tia tnm uk us usa usd
    uti vas who aml all cll cml gvhd map sem cis mac set rest large impact bad max age spg dish fish elisa
    mars type1 type2 type3 phase1 phase2 phase3 grade1 grade2 grade3 stage1 stage2 stage3 t1 t2 t3 t4 n0 n1 m0
    m1 h1n1 h5n1 h3n2 covid19 covid b12 b6 d3 d2 k2 q10 co2 o2 pm25 pm10 sf36 hba1c a1c st car cart art aki
    afib camp apap ace2i nash nafld cabg tavi tavr hss sds mcq cbt cam sam pams dmards mrsa vte gord iva lrt
    aids2 cd rp ad hd cf md mg dm
"""
_NOT_GENES = frozenset(_NOT_GENES_WORDS.split())
"""Short forms of diseases, tests, places and units; many are aliases of a gene as well."""
_CELLS_WORDS = """
    cell cells lymphocyte lymphocytes count counts t positive
"""
_CELLS = frozenset(_CELLS_WORDS.split())
_BINOMIAL = re.compile(r"\b([A-Z][a-z]{3,}) [a-z]{2,}(?:us|is|ae|um|ii|ans|ens|es|a|i|e)\b")
"""The scientific name of a species, if the first word is a genus."""
_OLD_NAME = re.compile(r"p\d{2,3}")
_MARK = re.compile(r"[(;:?]")
_ASKED = re.compile(
    r"\b(?:roles? of|functions? of|involved in|located|binds?|interact\w*|expressed|genes?|proteins?|mutations?|"
    r"encod\w+)\b",
    re.IGNORECASE,
)
"""What questions ask of genes and proteins: three capitals, such as APP, count as a symbol in such a question."""
_STAGE = re.compile(r"[pc]?T[0-4xX][ab]?(?:N[0-3xX])?(?:M[01xX])?")
"""A stage of cancer."""
_LONGEST = 6
"""Most words of a protein's name, and most letters of a symbol without digits."""
_INTERLEUKIN = re.compile(r"(?:interleukin|IL)[ -]?\d{1,2}[A-Za-z]?\b", re.IGNORECASE)


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
    found |= dict.fromkeys(organisms_in(text))
    words = list(_WORD.finditer(text))
    for at in range(len(words)):
        for size in (3, 2):
            if at + size <= len(words):
                name = text[words[at].start() : words[at + size - 1].end()]
                if known_organism(name) is None and (species := _species(name)):
                    found.setdefault(Organism(species))
    return tuple(found)


def _species(name: str) -> str:
    """The scientific name of an organism of MeSH; empty if there is none."""
    heading = vocabulary().find(name)
    if heading is None or not _is_organism(heading):
        return ""
    latin = (one for one in (heading.name, *heading.entry_terms) if re.fullmatch(r"[A-Z][a-z]{3,} [a-z]{3,}", one))
    return next(latin, "")


def _is_organism(heading: Heading) -> bool:
    return any(tree.startswith(("B01", "B02", "B03")) for tree in heading.trees)


def _protein_name(text: str, words: list[re.Match[str]], at: int) -> int:
    """How many words from here on are the name of a protein in MeSH; 0 if none are. One word alone may be a symbol."""
    if interleukin := _INTERLEUKIN.match(text, words[at].start()):
        return sum(words[at].start() <= word.start() < interleukin.end() for word in words[at:])
    for size in range(min(_LONGEST, len(words) - at), 0, -1):
        start, end = words[at].start(), words[at + size - 1].end()
        name = text[start:end]
        if "," in name or ";" in name or (size == 1 and (name.isupper() or folded(name) in _NOT_GENES)):
            continue
        if is_protein_name(name) and not _of_cells(words, at + size):
            return size
    return 0


def _is_gene(text: str, words: list[re.Match[str]], at: int) -> bool:
    word = words[at][0]
    key = folded(word)
    if len(key) < 2 or key in _NOT_GENES or word.endswith("+") or _STAGE.fullmatch(word) or _of_cells(words, at + 1):
        return False
    if ACCESSION.fullmatch(word) and not word.startswith("O157"):
        return True
    cued = _beside(words, at, _CUES) or text[words[at].end() :].startswith(("-/-", "(-/-)", "+/-", "−/−"))
    mixed = _DIGIT_AND_LETTER.match(word) is not None
    if is_symbol(word):
        asked = len(key) == 3 and _ASKED.search(text) is not None
        return _symbol_counts(word, at, cued=cued or (asked and word.isupper()), mixed=mixed)
    if is_alias(word):
        return (mixed and len(key) >= 3 and (cued or _written_as_name(word))) or (
            cued and _written_as_name(word) and len(key) >= 3
        )
    named = _LOCUS.fullmatch(word) is not None or (word.isupper() and word.isalpha() and len(word) in range(3, 9))
    return named and _beside(words, at, _GENETIC)


def _symbol_counts(word: str, at: int, *, cued: bool, mixed: bool) -> bool:
    """Whether a symbol of the table means the gene: by its digits, its capitals, or the words beside it."""
    if mixed:
        return len(folded(word)) >= 3 or cued
    if word.isupper():
        return len(word) >= 4 or cued
    if any(c.isupper() for c in word[1:]):
        return True
    # Other words of a sentence may be symbols too: Was, Set, Rest, Impact.
    return cued and len(word) >= 3 and word.casefold() not in _COMMON and (at > 0 or word.islower())


_COMMON_WORDS = """
    was set rest impact large had as an can not cap met kit cat mice rat age bad max map star cell spin camp
    fast clock notch axin coil ring tank trap tub gas gap gem mark pigs rho fat fan crest best dock flow grasp
    hip hot ice link lung mass mind nail net oat past peak pen pick plan pop port ran raw ret rod sea sell
    ship skin sky snap son spice step stop tap task tip top torn trim type unit vent wars wave wing with the
    and for are has its
"""
_COMMON = frozenset(_COMMON_WORDS.split())


def _written_as_name(word: str) -> bool:
    """Whether it has a digit, a capital that does not begin it, or a hyphen: a common word is no alias."""
    return any(c.isupper() for c in word[1:]) or any(c.isdigit() for c in word) or word.startswith("c-")


def _beside(words: list[re.Match[str]], at: int, cues: frozenset[str]) -> bool:
    """Whether one of the words just before, before an `of`, or in the next two says so."""
    places = (n for n in (at - 2, at - 1, at + 1, at + 2) if 0 <= n < len(words))
    near = {n: words[n][0].casefold() for n in places if not _MARK.search(_between(words, at, n))}
    if near.get(at - 1) not in ("of", "in", "the"):  # `expression of X`, `mutations in X`
        near.pop(at - 2, None)
    return any(word in cues for word in near.values())


def _between(words: list[re.Match[str]], one: int, other: int) -> str:
    """The text from one word to another."""
    first, last = sorted((one, other))
    return words[first].string[words[first].end() : words[last].start()]


def _of_cells(words: list[re.Match[str]], after: int) -> bool:
    """Whether it is the marker of a kind of cell: `CD4 count`, `CD8 T cells`."""
    return after < len(words) and words[after - 1][0].upper().startswith("CD") and words[after][0].casefold() in _CELLS
