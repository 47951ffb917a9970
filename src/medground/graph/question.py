"""Map a question to a stored relation. In case of doubt, the graph does not answer it.

A question must fit a pattern from its first word to its last, and each slot as a whole must name a concept. A word
that is part of neither the pattern nor a name ("in children", "after surgery", "compared with") is a condition
that no stored relation covers, so such a question goes to the literature.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from medground.graph.finding import RelationKind
from medground.graph.relation import Concept, ConceptKind
from medground.graph.store import GraphStore


@dataclass(frozen=True)
class GraphQuestion:
    """What a question asks of the graph. The concepts of one kind are the possible meanings of one name.

    Attributes:
        relation: what is asked.
        phenotypes: possible phenotypes, if one is named.
        diseases: possible diseases, if one is named.
        genes: possible genes, if one is named.
        only_recorded: the question asks for more than the relation ("associated with"), so that a missing or negated
            record does not answer it.
    """

    relation: RelationKind
    phenotypes: tuple[Concept, ...] = ()
    diseases: tuple[Concept, ...] = ()
    genes: tuple[Concept, ...] = ()
    only_recorded: bool = False


_KINDS: dict[str, tuple[ConceptKind, ...]] = {
    "p": ("phenotype",),
    "d": ("disease",),
    "g": ("gene",),
    "m": ("phenotype", "modifier"),
    "x": ("disease", "phenotype"),
}

_PARTS = {
    "AUX": r"(?:do|does|can|could|may|might)",
    "BE": r"(?:is|are)",
    "ART": r"(?:an? |one of the |among the |part of the )?",
    "KNOWN": r"(?:(?:known|recorded|reported|described|recogni[sz]ed|possible|clinical|phenotypic) )*",
    "FEATURE": r"(?:features?|signs?(?: (?:or|and) symptoms?)?|symptoms?|manifestations?|findings?)",
    "SEEN": r"(?:seen|found|observed|present|reported|recorded|described|documented)",
    "HAVE": r"(?:have|has|get|gets|develop|develops|experience|show|shows|exhibit|exhibits|display|present with|"
    r"suffer from)",
    "SHOW": r"(?:have|has|include|includes|involve|involves|feature|features|presents? with|shows?)",
    "PEOPLE": r"(?:(?:people|patients|persons|individuals|subjects|those|someone|a person|a patient|an individual) "
    r"(?:with|who have|who has|having|affected by|affected with|diagnosed with))",
    "DISEASES": r"(?:diseases?|disorders?|conditions?|syndromes?|illness(?:es)?)",
    "GENES": r"genes?",
    "LINKED": r"(?:(?:associated with|linked to|related to|mutated in|involved in|implicated in|responsible for|behind|"
    r"recorded for|altered in|affected in))",
    "CHANGES": r"(?:(?:pathogenic |disease-causing )?(?:mutations?|variants?|defects?))",
    "IN": r"(?:in|among|of|for)",
    "D": r"(?P<d>.+?)(?: patients)?",
    "P": r"(?P<p>.+?)",
    "G": r"(?P<g>[\w:-]+)",
    "DP": r"(?P<d>.+?) patients",
    "M": r"(?P<m>.+?)",
    "X": r"(?P<x>.+?)",
}
_PATTERNS: tuple[tuple[RelationKind, str], ...] = (
    ("feature of", "BE P ART KNOWN FEATURE (?:of|in|seen in) (?:PEOPLE )?D"),
    ("feature of", "BE P (?:KNOWN)?SEEN in (?:PEOPLE )?D"),
    ("feature of", "BE there P in (?:PEOPLE )?D"),
    ("feature of", "AUX PEOPLE D (?:also )?HAVE P"),
    ("feature of", "AUX D (?:also )?SHOW P(?: as ART KNOWN FEATURE)?"),
    ("feature of", "AUX P (?:occur|occurs|appear|develop|happen) in (?:PEOPLE )?D"),
    ("feature of", "does ART KNOWN FEATURE of D include P"),
    ("feature of", "do the KNOWN FEATURE of D include P"),
    ("frequency of", "how (?:frequent|common|often|rare|frequently|commonly) BE P(?: SEEN)? IN (?:PEOPLE )?D"),
    ("frequency of", "how (?:frequent|common|rare) ART FEATURE of D BE P"),
    ("frequency of", "how (?:often|frequently|commonly) (?:do|does) P (?:occur|appear|develop) in (?:PEOPLE )?D"),
    ("frequency of", "how (?:often|frequently|commonly) (?:do|does) PEOPLE D HAVE P"),
    ("frequency of", "how (?:often|frequently|commonly) (?:do|does) D (?:cause|SHOW) P"),
    ("frequency of", "how many (?:of the )?PEOPLE D HAVE P"),
    ("frequency of", "(?:what|which) (?:percentage|percent|proportion|fraction|share) of (?:the )?PEOPLE D HAVE P"),
    ("frequency of", "(?:what|which) (?:percentage|percent|proportion|fraction|share) of DP HAVE P"),
    ("frequency of", "what is the (?:frequency|prevalence) of P (?:in|among) (?:PEOPLE )?D"),
    ("diseases with", "(?:which|what) DISEASES (?:can |may )?(?:causes?|SHOW) P(?: as ART KNOWN FEATURE)?"),
    ("diseases with", "(?:which|what) DISEASES BE (?:characteri[sz]ed by|associated with|linked to) P"),
    ("diseases with", "(?:(?:in )?which|(?:in )?what) DISEASES BE P (?:SEEN|ART KNOWN FEATURE)(?: in| of)?"),
    ("diseases with", "of (?:which|what) DISEASES BE P ART KNOWN FEATURE"),
    ("diseases with", "in (?:which|what) DISEASES (?:do|does|can) P (?:occur|appear|develop)"),
    ("diseases with", "P BE ART KNOWN FEATURE of (?:which|what) DISEASES"),
    ("genes of", "(?:which|what) GENES BE (?:known to be )?LINKED X"),
    ("genes of", "(?:which|what) GENES? (?:can |may )?(?:cause|causes|underlie|underlies) X"),
    ("genes of", "(?:which|what) gene CHANGES (?:cause|causes|underlie|underlies|BE associated with) X"),
    ("genes of", "(?:mutations|variants|defects) in (?:which|what) GENES (?:cause|underlie|BE associated with) X"),
    ("genes of", "X BE (?:caused by|due to|associated with|linked to) CHANGES (?:in|of) (?:which|what) GENES"),
    ("genes of", "(?:what|which) (?:is|are) the (?:causative |known |causal )?GENES? (?:for|of|behind) X"),
    ("genes of", "(?:what|which) (?:is|are) the GENES LINKED X"),
    ("features of", "(?:what|which) (?:is|are) the KNOWN FEATURE(?: and FEATURE)? (?:of|in) (?:PEOPLE )?D"),
    ("features of", "(?:what|which) KNOWN FEATURE (?:do|does) (?:PEOPLE )?D have"),
    ("features of", "(?:what|which) KNOWN FEATURE BE (?:SEEN|associated) (?:in|with|for) (?:PEOPLE )?D"),
    ("diseases of gene", "(?:which|what) DISEASES BE (?:caused by|associated with|linked to|due to) CHANGES (?:in|of) "
     "(?:the )?G(?: gene)?"),
    ("diseases of gene", "(?:which|what) DISEASES BE (?:caused by|associated with|linked to|due to) (?:the )?G"
     "(?: gene)?(?: CHANGES)?"),
    ("diseases of gene", "(?:which|what) DISEASES (?:do|does|can) (?:the )?G(?: gene)?(?: CHANGES)? cause"),
    ("diseases of gene", "(?:which|what) DISEASES (?:do|does|can) CHANGES (?:in|of) (?:the )?G(?: gene)? cause"),
    ("definition of", "what (?:is|are) (?:meant by )?(?:an? |the )?M"),
    ("definition of", "what (?:do|does) (?:the (?:term|word) )?M mean"),
    ("definition of", "what is the (?:definition|meaning) of M"),
    ("definition of", "define M"),
)  # fmt: skip
_RECORDED_ONLY: tuple[tuple[RelationKind, str], ...] = (
    ("feature of", "AUX D (?:also )?cause P"),
    ("feature of", "BE P (?:associated with|linked to) D"),
    ("feature of", "BE D (?:associated with|linked to) P"),
    ("genes of", "BE (?:the )?G(?: gene)? (?:associated with|linked to|ART (?:gene (?:for|of)|known gene of)) D"),
    ("genes of", "BE CHANGES (?:in|of) (?:the )?G(?: gene)? (?:associated with|linked to) D"),
    ("genes of", "BE D (?:associated with|linked to) CHANGES (?:in|of) (?:the )?G(?: gene)?"),
)  # fmt: skip
_PART = re.compile(r"\b(?:" + "|".join(_PARTS) + r")\b")


def _compiled(pattern: str) -> list[re.Pattern[str]]:
    """A pattern in two variants: each boundary between slots as early as possible, or as late as possible."""
    expanded = _PART.sub(lambda part: _PARTS[part[0]], pattern)
    # Optional parts include their own space, so the space after them in a pattern is dropped.
    for name in ("ART", "KNOWN"):
        expanded = expanded.replace(f"{_PARTS[name]} ", _PARTS[name])
    return [re.compile(reading, re.IGNORECASE) for reading in (expanded, expanded.replace(".+?", ".+"))]


_COMPILED = [
    (relation, reading, only_recorded)
    for patterns, only_recorded in ((_PATTERNS, False), (_RECORDED_ONLY, True))
    for relation, pattern in patterns
    for reading in _compiled(pattern)
]
_LEADING = re.compile(r"(?:the|an?|any|some) ", re.IGNORECASE)
_WITH_ID = re.compile(r"(.+) \(((?:HP|OMIM|ORPHA|DECIPHER|NCBIGene):\w+)\)", re.IGNORECASE)
MAX_CHARACTERS = 300
"""A longer question asks for more than a relation."""


def read_question(store: GraphStore, text: str) -> GraphQuestion | None:
    """The relation that a question asks for. None if it asks for none or for more, or names an unknown concept.

    Raises:
        SnapshotCorrupt: the graph cannot be read.
    """
    asked = " ".join(text.split()).rstrip("?!. ").replace("’", "'")
    if len(asked) > MAX_CHARACTERS:
        return None
    for relation, pattern, only_recorded in _COMPILED:
        match = pattern.fullmatch(asked)
        if match is not None and (found := _linked(store, relation, match.groupdict(), only_recorded)) is not None:
            return found
    return None


def _linked(
    store: GraphStore, relation: RelationKind, slots: dict[str, str], only_recorded: bool
) -> GraphQuestion | None:
    """The question with every slot linked, or None if a slot names no concept."""
    linked: dict[str, tuple[Concept, ...]] = {}
    if "p" in slots and "d" in slots and _named(store, slots["d"], ("phenotype",)):
        # Obesity or asthma is a rare disease in the graph and far more than that: a missing record proves nothing.
        if only_recorded:
            return None
        only_recorded = True
    for slot, text in slots.items():
        found = _named(store, text, _KINDS[slot])
        if not found:
            return None
        for concept in found:
            kind = "phenotype" if concept.kind == "modifier" else concept.kind
            linked[kind] = (*linked.get(kind, ()), concept)
    return GraphQuestion(
        relation=relation,
        phenotypes=linked.get("phenotype", ()),
        diseases=linked.get("disease", ()),
        genes=linked.get("gene", ()),
        only_recorded=only_recorded,
    )


def _named(store: GraphStore, text: str, kinds: tuple[ConceptKind, ...]) -> tuple[Concept, ...]:
    plain = text.strip(" ,'\"“”")
    if with_id := _WITH_ID.fullmatch(plain):
        plain = with_id[2]
    return store.find(plain, *kinds) or store.find(_LEADING.sub("", plain, count=1), *kinds)
