"""What type of question it is, by its wording: sources are chosen by it (Omni-RAG has a model choose them)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, get_args

QuestionType = Literal["case", "exam", "features", "advice", "definition", "study", "molecule", "claim", "fact"]
"""
- `case`: a patient is described, or it is longer than a question.
- `exam`: a short question with options.
- `features`: signs, genes, inheritance or onset of a named disease: what a graph has relations for.
- `advice`: what to do: treatment, prevention, dose, side effects, a person's own trouble.
- `definition`: what something is.
- `study`: a closed question, or a title with a question mark: what a study asks.
- `molecule`: which gene, protein, drug, target or mechanism: what experts ask the literature.
- `claim`: a sentence that asks nothing: a statement to check.
- `fact`: any other question.
"""

TYPES: tuple[QuestionType, ...] = get_args(QuestionType)

_LONG = 45
"""Words of a question; beyond them it tells a case."""

_CASE = re.compile(
    r"\b(?:\d+|\w+)[- ](?:year|month|week|day)s?[- ]old\b|\b(?:presents|presented|brought|admitted|comes|came)\b"
    r".{0,40}\b(?:with|because|for|to (?:the|a|his|her))\b.*\.\s",
    re.IGNORECASE | re.DOTALL,
)
_DISEASE_PARTS = (
    r"symptoms?|signs?|(?:clinical )?features|manifestations|genes?|genetic changes|inherit\w*|inheritance|onset|"
    r"mutat(?:ed|ions?)|presentation"
)
_DISEASE = (
    r"syndromes?|diseases?|disorders?|dystroph\w+|anaemia|anemia|deficiency|ataxia|myopath\w+|neuropath\w+|\w+osis"
)
_FEATURES = re.compile(
    rf"^\W*(?:what|which|list|name|how)\b[^.]{{0,80}}\b(?:{_DISEASE_PARTS})\b[^.]{{0,30}}\b(?:of|for|to|in|with|cause\w*|"
    rf"are|is|associated|related|underl\w+|responsible)\b|\b(?:is|are) [^.]{{1,80}} (?:inherited|hereditary)\b|"
    rf"\b(?:is|are) [^.]{{1,60}} (?:a |an )?(?:symptoms?|signs?|features?|manifestations?) of\b[^.]*|"
    rf"^\W*(?:what|which) causes? [^.]{{1,60}}(?:{_DISEASE})\b",
    re.IGNORECASE,
)
_ADVICE = re.compile(
    r"\b(?:treat(?:ed|ing|ments?)?|therap(?:y|ies)|manage(?:d|ment)?|prevent(?:ed|ion|ing)?|prescribed?|dos(?:e|es|age|ing)|"
    r"side effects?|adverse (?:effects?|reactions?)|contraindicat\w+|interact(?:s|ions?)? with|first[- ]line|"
    r"drug of choice|vaccinat\w+|overdose|how (?:much|often|long) (?:can|should|do|to)|outlook|prognosis|"
    r"guidelines?|recommend(?:ed|ations?)?|should (?:i|you|we|one|patients|my)|can i|what can be done|"
    r"how to|safe to (?:take|use)|exams? and tests|diagnos(?:e|ed|is))\b",
    re.IGNORECASE,
)
_PERSONAL = re.compile(
    r"\b(?:my|i'm|i've|me|mine|i (?:am|was|have|had|do|did|can|could|would|should|must|need|want|take|took|get|got|"
    r"feel|think|suspect|suffer|know|like|just|use|live|smoke))\b",
    re.IGNORECASE,
)
_DEFINITION = re.compile(
    r"^\W*(?:what|who)\b\W*(?:is|are|was|does)\W*(?:\(are\)\W*)?(?:an? |the )?"
    r"(?:(?!\b(?:of|for|in|with|by|to)\b)[^?.]){1,70}\??\W*$|"
    r"\bdefin(?:e|ed|ition)\b|\bmeaning of\b|\bwhat does .{1,60} (?:mean|stand for)\b|\btell me about\b|"
    r"\b(?:do you have )?information (?:on|about)\b|^\W*describe\b",
    re.IGNORECASE,
)
_MOLECULE = re.compile(
    r"\b(?:genes?|proteins?|mutations?|receptors?|enzymes?|kinases?|ligands?|mirnas?|micrornas?|lncrnas?|transcription|"
    r"subunits?|isoforms?|biomarkers?|cytokines?|chromosom\w+|variants?|polymorphisms?|inhibitors?|antibod(?:y|ies)|"
    r"agonists?|antagonists?|pathways?|mechanism of action|targets?|genom\w+|proteom\w+|sequencing|software|algorithm|"
    r"databases?|cells?|methylation|histone|dna|rna)\b",
    re.IGNORECASE,
)
_CLOSED = re.compile(
    r"(?:^|[:.?] *)(?:is|are|was|were|am|do|does|did|has|have|had|can|could|should|will|would|may|might|must)\b",
    re.IGNORECASE,
)
OPENING = re.compile(
    r"(?:^|[:,.] *)(?:which|who|whom|whose|where|when|list|name|describe|give|tell|explain|define|mention|compare|"
    r"please|provide|suggest)\b|\b(?:what|how|why|can u|thanks)\b",
    re.IGNORECASE,
)


def question_type(text: str, *, options: bool = False) -> QuestionType:
    """The type of a question: the first that fits. `options`: it is asked with options to choose from."""
    said = " ".join(text.split())
    if len(said.split()) > _LONG or _CASE.search(said):
        return "case"
    if options:
        return "exam"
    personal, closed, asks = bool(_PERSONAL.search(said)), bool(_CLOSED.match(said)), bool(OPENING.search(said))
    if said.endswith(".") and not (personal or closed or asks):
        return "claim"
    tests: Mapping[QuestionType, bool] = {
        "features": bool(_FEATURES.search(said)),
        "study": closed and not personal,
        "definition": bool(_DEFINITION.search(said)),
        "advice": personal or bool(_ADVICE.search(said)),
        "molecule": asks and bool(_MOLECULE.search(said)),
        "fact": asks or not said.endswith("?"),
    }
    return next((kind for kind, fits in tests.items() if fits), "study")
