"""What a question asks for, and the cues of one sentence alone: its role, and the kinds of answer it could hold."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from medground.language import words

# What a question asks for: the kind of answer, its names, and its words with their weights.

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


# Cues of one sentence alone: its form, its role, and the kinds of answer it could hold.

_I = re.IGNORECASE

ROLES: Mapping[str, re.Pattern[str]] = {
    "significance": re.compile(r"\bsignificant(?:ly)?\b", _I),
    "finding": re.compile(
        r"\b(?:show\w*|demonstrat\w*|reveal\w*|confirm\w*|found|observed|identified|detected|report\w*)\b", _I
    ),
    "comparison": re.compile(
        r"\b(?:higher|lower|greater|less|more|increas\w*|decreas\w*|reduc\w*|improv\w*|correlat\w*|associat\w*|"
        r"predict\w*|differ\w*)\b",
        _I,
    ),
    "conclusion": re.compile(
        r"\b(?:conclu\w+|suggest\w*|indicat\w+|thus|therefore|in summary|(?:our|these|the present) (?:results|"
        r"findings|data|stud\w+))\b",
        _I,
    ),
    "negation": re.compile(r"\b(?:no|not|nor|neither|without|fail\w*|lack\w*)\b", _I),
    "hedge": re.compile(
        r"\b(?:may|might|could|possib\w+|potential\w*|unclear|unknown|remain\w*|controvers\w+|elusive)\b", _I
    ),
    "method": re.compile(
        r"\b(?:were (?:included|enrolled|recruited|randomi\w+|performed|measured|collected|obtained|assessed|"
        r"analy\w+|evaluated|compared|asked|divided)|was (?:performed|measured|assessed|used|conducted|carried)|"
        r"using|retrospective\w*|questionnaire|between (?:19|20)\d\d)\b",
        _I,
    ),
    "purpose": re.compile(
        r"\b(?:aim\w*|purpose|objectives?|whether|hypothesi\w+|goals?)\b|"
        r"\bto (?:determine|investigate|evaluate|assess|examine|compare|test|study|explore|clarify)\b|"
        r"\bwe (?:sought|studied|investigated|examined|evaluated|aimed|asked)\b",
        _I,
    ),
    "question": re.compile(r"\?\s*$"),
    "deictic": re.compile(
        r"^\W*(?:this|these|it|its|they|their|such|those|here|he|she|both|in this|of these|among these)\b", _I
    ),
    "review": re.compile(
        r"\b(?:(?:this|the|our) (?:review|article|paper|chapter)|we (?:review|discuss|describe|report|present|"
        r"propose)|here,? we|is discussed|are discussed)\b",
        _I,
    ),
    "concluding label": re.compile(r"^\W*(?:conclu\w+|interpretation|in conclusion|significance)\b", _I),
    "result label": re.compile(r"^\W*(?:results?|findings|main results?)\s*[:.]", _I),
    "background label": re.compile(r"^\W*(?:background|introduction|context|rationale)\s*[:/.]", _I),
    "purpose label": re.compile(r"^\W*(?:aims?|purpose|objectives?|methods?|design|setting|hypothesis)\b", _I),
}
"""What a sentence does in its paper."""

HOLDS: Mapping[str, re.Pattern[str]] = {
    "amount": re.compile(
        r"\b\d[\d,.]*\s*(?:%|percent|per cent|mg|g|kg|ml|kb|mb|bp|kda|million|patients|cases|genes|in \d|per|/|"
        r"-fold|[°º])|\b\d+(?:[.,]\d+)?\b|\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|half|third)\b",
        _I,
    ),
    "time": re.compile(
        r"\b\d+(?:\.\d+)?\s*(?:-|to)?\s*\d*\s*(?:hours?|h|days?|weeks?|months?|years?|minutes?|min)\b|\b(?:19|"
        r"20)\d\d\b|\b(?:hours|days|weeks|months|years|decade)\b",
        _I,
    ),
    "gene": re.compile(
        r"\b(?:[A-Z][A-Z0-9]{1,6}\d[A-Z0-9]*|[A-Z]{3,6}\d?|[A-Za-z]+\d+[A-Za-z]?|p\d\d|miR-?\d+|"
        r"[A-Z][a-z]{2}[A-Z0-9]\w*)\b|\b\w{4,}(?:ase|in)s?\b"
    ),
    "drug": re.compile(
        r"\b\w{3,}(?:mab|nib|statin|pril|sartan|olol|azole|cillin|mycin|floxacin|vir|prazole|gliptin|gliflozin|"
        r"tide|zumab|caine|azepam|triptan|dipine|oxetine|setron|parin|ban|xaban|gatran|grel|cept|zomib|ciclib|"
        r"lisib|stat|platin|taxel|rubicin|kinra|limus|idine|amine|afil|one|ine)\b",
        _I,
    ),
    "disease": re.compile(
        r"\b(?:syndrome|disease|disorder|cancer|carcinoma|\w+oma|\w+itis|\w+emia|\w+aemia|\w+osis|\w+opathy|"
        r"infection|deficiency|failure|diabetes|stroke|epilepsy|\w+algia|\w+plegia|\w+ia)\b",
        _I,
    ),
    "definition": re.compile(
        r"\b(?:is|are|was|were)\s+(?:(?:generally|currently|considered|also|usually|commonly|often|primarily|"
        r"mainly)\s+)?(?:an?|the|one of|defined|characteri[sz]ed|known|called|caused)\b|\brefers? to\b|"
        r"\bdefined as\b|\bcharacteri[sz]ed by\b|\bconsists? of\b|\bstands for\b|,\s+an?\s+\w+|"
        r"\([A-Z][A-Za-z0-9-]{1,9}\)",
        _I,
    ),
    "mechanism": re.compile(
        r"\b(?:mediat\w+|regulat\w+|inhibit\w*|activat\w+|bind\w*|via|through|by \w+ing|interact\w*|"
        r"phosphorylat\w+|pathway|role|function\w*|essential|required|involved|promot\w+|modulat\w+|acts?|"
        r"target\w*|induc\w+|blocks?|suppress\w*)\b",
        _I,
    ),
    "cause": re.compile(
        r"\b(?:caus\w+|due to|result\w* (?:from|in)|mutations? (?:in|of)|leads? to|because|attributed|"
        r"responsible|underl\w+|inherit\w*|autosomal|x-linked|associated with|linked to|risk factor)\b",
        _I,
    ),
    "place": re.compile(
        r"\b(?:locat\w+|locali[sz]\w+|expressed in|found in|in the (?:\w+ ){0,2}(?:brain|liver|heart|kidney|lung|"
        r"nucleus|membrane|cytoplasm|mitochondri\w+|intestine|blood|bone|skin)|chromosome|oral\w*|intraven\w*|"
        r"subcutaneous\w*|endemic|africa|asia|europe|china)\b",
        _I,
    ),
    "method": re.compile(
        r"\b(?:software|package|web server|database|algorithm|test|assay|method|tool|pipeline|available at|score|"
        r"criteria|scale|imaging|sequencing|mri|ct|pcr|diagnos\w+|index|questionnaire)\b",
        _I,
    ),
    "several": re.compile(
        r"(?:\w+, ){2,}(?:and|or)\b|\bsuch as\b|\binclud(?:e|es|ed|ing)\b|\bnamely\b|\be\.g\.|:\s*\w+,|\((?:i|1|a)\)",
        _I,
    ),
    "closed": re.compile(
        r"\b(?:not|no|significant\w*|effective\w*|associated|evidence|increas\w*|reduc\w*|caus\w*|shown|"
        r"suggest\w*|can|does|is)\b",
        _I,
    ),
}
"""By kind of question (`asked.KINDS`): whether a sentence holds something of the kind."""

NOT_PROSE = re.compile(
    r"https?://|www\.|\bdoi\b|@\w+\.|\bcopyright\b|©|\blicen[sc]e\b|creative commons|all rights reserved|"
    r"correspond(?:ing author|ence)|\bet al\.?,? \d{4}|"
    r"\bISSN\b|\bPMC?ID\b|^\W*(?:fig(?:ure)?|table|box|scheme|supplementary|additional file)s?\.?\s*\w{1,4}\b|"
    r"\b(?:university|department of|institute of|faculty of)\b.*\b(?:university|hospital|school|china|usa|japan|"
    r"india|germany)\b|"
    r"\b(?:conflicts? of interest|competing interests?|funding|acknowledg\w+|author contributions?|ethics approval)\b|"
    r"^\W*(?:\[?\d{1,3}\]?[.)]?\s+)?(?:[A-Z][\w'-]+ [A-Z]{1,3}[,;] ?){2,}",
    _I,
)
"""Front matter, references, legends and links: not quoted, except where nothing else is there."""


def roles(sentence: str) -> list[float]:
    """1.0 for each role that the sentence shows, in the order of `ROLES`."""
    return [1.0 if form.search(sentence) else 0.0 for form in ROLES.values()]
