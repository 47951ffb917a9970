"""Which parts of a protein's record bear on a sub-question: by its words, as in BioMedSearch, section III.B."""

from __future__ import annotations

import re
from collections.abc import Sequence

from medground.corpus.retraction import listed
from medground.language.words import coverage, terms
from medground.sources.live import lines_in
from medground.values.document import Document, Passage

_PARTS: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = tuple(
    (re.compile(rf"\b(?:{words})\b", re.IGNORECASE), sections)
    for words, sections in (
        (
            r"knock-?outs?|knock-?down|KO|loss|deficien\w+|null|mutants?|phenotyp\w+",
            ("Phenotype", "Function", "Disease"),
        ),
        (r"effects?|functions?|roles?|mechanism\w*|regulat\w+|activit\w+", ("Function", "Activity", "Phenotype")),
        (r"cataly\w+|enzym\w+|substrate\w*|hormone synthesis|biosynthesis|metaboli\w+", ("Activity", "Function")),
        (
            r"interact\w*|bind\w*|partners?|complex(?:es)?|ligands?|inhibit\w+|pathways?|signal\w*",
            ("Interactions", "Function"),
        ),
        (
            r"diseases?|syndromes?|disorders?|clinical\w*|patients?|cancers?|tumou?rs?|risk|treat\w*",
            ("Disease", "Variants"),
        ),
        (r"mutations?|variants?|polymorphisms?|alleles?|SNPs?", ("Variants", "Disease")),
        (r"locat\w+|locali[sz]\w+|membranes?|nucle(?:us|ar)|cytoplasm\w*|secreted", ("Location",)),
        (r"express\w*|tissues?|organs?|develop\w+|gonad\w*|differentiation", ("Expression", "Function", "Phenotype")),
        (r"sequences?|amino acids?|length|molecular (?:mass|weight)|isoforms?|splic\w+", ("Sequence", "Isoforms")),
        (r"names?|synonyms?|called|family|homolog\w*|ortholog\w*", ("Names", "Family")),
    )
)
_STRUCTURE = re.compile(
    r"\b(?:3-?D|three-dimensional|spatial conformations?|conformation\w*|structur(?:e|es|al)|folds?|folding|tertiary|"
    r"domains?|binding sites?|active sites?|alphafold|crystal\w*|pLDDT)\b(?! change)",
    re.IGNORECASE,
)
_SEQUENCE = re.compile(r"\bsequences?\b", re.IGNORECASE)
_CITED = re.compile(r"PubMed:(\d{1,9})")
_DEFAULT = ("Function", "Phenotype", "Disease", "Activity", "Interactions")
_NAME = re.compile(r"\b(?=\w*[A-Z])(?=\w*(?:\d|[A-Z]\w*[A-Z]))\w{3,}\b")


def asks_for_structure(text: str) -> bool:
    """Whether a sub-question asks for a structure: "3D structure", "spatial conformation", fold, domain, site."""
    return _STRUCTURE.search(text) is not None


def sections_for(text: str) -> tuple[str, ...]:
    """The sections of an entry that a sub-question asks for, the first that it names first."""
    named = [
        (found.start(), number, sections)
        for number, (pattern, sections) in enumerate(_PARTS)
        if (found := pattern.search(text))
    ]
    wanted = [section for _, _, sections in sorted(named) for section in sections]
    if asks_for_structure(text):
        wanted = ["Structure", "Domains", "Sites", *wanted]
    return tuple(dict.fromkeys(wanted or _DEFAULT))


def passages_for(text: str, document: Document, most: int) -> list[Passage]:
    """The lines of an entry that bear on a sub-question, best first.

    Lines of the sections that it asks for, by the share of its words that they hold; then by section. What the gene
    itself is called says nothing of which line fits. A caution of the entry goes with each line that it is about. Where
    a program wrote the entry, its Gene Ontology terms are all that it says of the function.
    """
    sections = sections_for(text)
    lines = [one for one in lines_in(document) if not _is_sequence(one) or _SEQUENCE.search(text)]
    chosen = [one for one in lines if one.section in sections]
    if not any(one.section == "Function" for one in lines):
        chosen += [one for one in lines if one.section == "Gene Ontology"]
    if not chosen:  # it says nothing of what is asked: at least which entry this is
        chosen = [one for one in lines if one.section == "Names"][:2]
    own = set(terms(" ".join([document.title, *document.metadata.get("gene_synonyms", ())])))
    wanted = set(terms(text)) - own
    place = {section: number for number, section in enumerate(sections)}
    ordered = sorted(
        chosen, key=lambda one: (-coverage(wanted, terms(one.text)), place.get(one.section or "", 99), one.start)
    )
    kept = _spread(ordered, most)
    cautions = [one for one in lines if one.section == "Caution" and _is_about(one, [*kept], own)]
    return list({one.key: one for one in [*kept[: max(most - len(cautions), 1)], *cautions]}.values())


def standing(lines: Sequence[Passage]) -> tuple[list[Passage], list[str]]:
    """The lines without those whose papers are all retracted, and a note on each of these."""
    kept: list[Passage] = []
    notes: list[str] = []
    for one in lines:
        cited = _CITED.findall(one.text)
        if cited and one.section != "Caution" and all(listed().get(f"pmid:{pmid}") == "retracted" for pmid in cited):
            papers = ", ".join(f"PMID:{pmid}" for pmid in cited)
            notes.append(f"a line of {one.document_id} is left out, because it rests on a retracted paper ({papers})")
        else:
            kept.append(one)
    return kept, notes


def _is_sequence(line: Passage) -> bool:
    return line.section == "Sequence" and line.text.startswith("Sequence of ")


def _spread(lines: Sequence[Passage], most: int) -> list[Passage]:
    """The first lines, of which no section has more than half while others have any: 400 partners would fill all."""
    taken: list[Passage] = []
    later: list[Passage] = []
    for one in lines:
        crowded = sum(other.section == one.section for other in taken) >= max(most // 2, 1)
        (later if crowded else taken).append(one)
    return [*taken, *later][:most]


def _is_about(caution: Passage, lines: Sequence[Passage], own: set[str]) -> bool:
    """Whether a caution names something else that one of the lines names: a finding that it takes back."""
    named = {name for name in _NAME.findall(caution.text) if name.casefold() not in own and name != "PubMed"}
    return any(named & set(_NAME.findall(one.text)) for one in lines)
