"""What a question asks for: the kind of answer, and its topic."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from medground.language import words

KINDS: Mapping[str, re.Pattern[str]] = {
    "amount": re.compile(
        r"\bhow (?:many|much|large|big|common|frequent|high|low|accurate|often)\b|\b(?:what|which) (?:is|are|was|"
        r"were) the (?:\w+ ){0,3}"
        r"(?:number|percentages?|proportion|prevalence|incidence|rates?|size|dos(?:e|age)|frequency|length|weight|"
        r"sensitivity|specificity|range|risk|level|concentration|cost|age)\b|\bwhat (?:percentage|proportion|"
        r"number|dose)\b",
        re.IGNORECASE,
    ),
    "time": re.compile(
        r"\b(?:how long|when|how old|what year|which year|half-?life|duration|what age|in what year|at what time|"
        r"survival time)\b",
        re.IGNORECASE,
    ),
    "gene": re.compile(
        r"\b(?:which|what|list)\b.{0,60}\b(?:genes?|proteins?|mutations?|receptors?|enzymes?|kinases?|ligands?|"
        r"mirnas?|micrornas?|"
        r"transcription factors?|complex(?:es)?|subunits?|isoforms?|biomarkers?|markers?|antigens?|hormones?|"
        r"cytokines?|chromosomes?|variants?|polymorphisms?|allele)\b|\btargets?\b",
        re.IGNORECASE,
    ),
    "drug": re.compile(
        r"\b(?:which|what|list|name)\b.{0,60}\b(?:drugs?|antibod(?:y|ies)|inhibitors?|treatments?|therap(?:y|"
        r"ies)|medications?|"
        r"agents?|vaccines?|compounds?|antidotes?|antibiotics?|agonists?|antagonists?|treated|molecules?)\b",
        re.IGNORECASE,
    ),
    "disease": re.compile(
        r"\b(?:which|what|list|name)\b.{0,60}\b(?:diseases?|disorders?|syndromes?|cancers?|tumou?rs?|conditions?|"
        r"indications?|"
        r"symptoms?|complications?|side effects?|adverse|phenotypes?|infections?|malignanc(?:y|ies))\b|"
        r"\bapproved for\b|\bused for\b",
        re.IGNORECASE,
    ),
    "definition": re.compile(
        r"^\s*(?:what|who) (?:is|are|was|were|does)(?: an?| the)? [^?]{1,60}\?*\s*$|\bdefin(?:e|ition)\b|"
        r"\bdescribe\b|\bstands? for\b|\bmeaning of\b|"
        r"\bcharacteri[sz]\w+\b|\bwhat does .{1,40} (?:mean|stand)\b",
        re.IGNORECASE,
    ),
    "mechanism": re.compile(
        r"\b(?:mechanism\w*|mode of action|roles?|functions?|how (?:does|do|is|are|can)|pathways?|why|act)\b", re.I
    ),
    "cause": re.compile(
        r"\b(?:caus\w+|etiolog\w+|aetiolog\w+|responsible|due to|leads? to|inherit\w*|associated|linked|implicated)\b",
        re.I,
    ),
    "place": re.compile(
        r"\b(?:where|locat\w+|organ|tissues?|cells?|organelles?|countr(?:y|ies)|regions?|routes?|expressed|"
        r"species|organisms?)\b",
        re.I,
    ),
    "method": re.compile(
        r"\b(?:methods?|tools?|software|algorithms?|tests?|techniques?|databases?|criteria|scales?|scores?|"
        r"diagnos\w+|packages?|assays?)\b",
        re.I,
    ),
    "several": re.compile(
        r"\b(?:list|name|which .{0,40}\bare|what are|types? of|symptoms|genes|drugs|features)\b", re.I
    ),
    "closed": re.compile(
        r"^\s*(?:is|are|was|were|do|does|did|can|could|has|have|had|should|will|would|may|might)\b", re.I
    ),
}
"""What a question may ask for. Several may hold."""


_PIECE = re.compile(r"[^\W_]+(?:[-'][^\W_]+)*|[,;:?()/]")


@dataclass(frozen=True)
class Asked:
    """A question as the sentences are compared with it.

    Attributes:
        terms: its content stems, in order, without repeats.
        weights: the weight of each.
        names: which of the terms belong to names, as far as their form and rarity tell.
        rarest: the term that most likely names the subject; empty without terms.
        pairs: pairs of neighbouring terms.
        near: pairs of terms at most three apart, in order.
        topic: the terms that say what it is about.
        parts: the terms of each stretch between words that say nothing of the topic, such as a drug and a disease.
        kinds: the names of `KINDS` that hold.
        options: stems of the answer options that the question does not have.
        claim: whether it is a statement, not a question.
    """

    terms: tuple[str, ...]
    weights: tuple[float, ...]
    names: frozenset[str]
    rarest: str
    pairs: frozenset[tuple[str, str]]
    near: frozenset[tuple[str, str]]
    topic: frozenset[str]
    parts: tuple[tuple[str, ...], ...]
    kinds: frozenset[str]
    options: frozenset[str]
    claim: bool


@lru_cache(maxsize=64)
def asked(question: str, options: str = "") -> Asked:
    """Read a question, with the texts of its options if it has any."""
    content = words.terms(question)
    topic = words.topic(question)
    terms = tuple(dict.fromkeys(content))
    weights = tuple(words.weight(t) * (1.0 if t in topic else 0.4) for t in terms)
    names = words.names(question)
    ranked = sorted(terms, key=lambda t: (t in names, t in topic, words.weight(t), len(t)))
    return Asked(
        terms=terms,
        weights=weights,
        names=names & set(terms),
        rarest=ranked[-1] if ranked else "",
        pairs=frozenset(pairwise(content)),
        near=frozenset((one, other) for n, one in enumerate(terms) for other in terms[n + 1 : n + 4]),
        topic=topic,
        parts=_parts(question, topic) or (terms,),
        kinds=frozenset(kind for kind, form in KINDS.items() if form.search(question)),
        options=frozenset(words.terms(options)) - set(terms),
        claim=not question.rstrip().endswith("?"),
    )


def _parts(question: str, topic: frozenset[str]) -> tuple[tuple[str, ...], ...]:
    parts: list[list[str]] = [[]]
    for piece in _PIECE.findall(question):
        stems = [term for term in words.terms(piece) if term in topic]
        if stems:
            parts[-1] += stems
        elif parts[-1]:
            parts.append([])
    return tuple(tuple(dict.fromkeys(part)) for part in parts if part)
