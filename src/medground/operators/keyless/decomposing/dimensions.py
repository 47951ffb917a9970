"""The dimensions of biomedical questions (D of Eq. 1): what each asks of a gene, a drug, a disease and other subjects.

Source: BioMedSearch, section III.A, which names developmental effects, physiology or endocrine regulation, clinical
phenotypes and molecular mechanisms; the others are ours.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Dimension:
    """One view of a question.

    Attributes:
        name: as plans show it.
        asks: for a kind of subject, the sub-question. `{S}` is the subject, `{C}` what it bears on, `{D}` the same
            if it is a disease, `{X}` the gene's perturbation, and `{P}` in whom, with its preposition, or nothing. A
            form with `{C}` or `{D}` is used where that is named, the next one where it is not.
        words: how questions ask for it, as a pattern.
        keyword: the word that papers use for it; empty where the subject says enough.
        synonyms: other words for `keyword`.
        fine: the fine dimension of `keyword` (D' of Eq. 2).
        after: dimensions whose results sharpen this one: the general comes before the specific.
    """

    name: str
    words: str
    keyword: str
    synonyms: tuple[str, ...]
    fine: str
    after: tuple[str, ...] = ()
    asks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def is_asked(self, question: str) -> bool:
        """Whether the words of a question ask for it."""
        return bool(self.words) and re.search(rf"\b(?:{self.words})\b", question, re.IGNORECASE) is not None


BACKGROUND = "background"
DIRECT = "association"
"""The dimension of a question whose words ask for none."""

_ALTERNATIVES = (
    "Which alternatives to {S} are there for {D}{P}, and how do they compare?",
    "Which alternatives to {S} are there{P}, and how do they compare?",
)

_ALL = (
    Dimension(
        BACKGROUND,
        "",
        "",
        (),
        "background",
        (),
        {"name": ("What is known about {S}{P}?",)},
    ),
    Dimension(
        "molecular function",
        r"functions?|role of|encod\w+|activit\w+|what is the (?:protein|gene)",
        "function",
        ("functional", "activity", "role"),
        "molecular function",
        (),
        {"gene": ("What is the molecular function of {S}{P}?",)},
    ),
    Dimension(
        "molecular structure",
        r"structur\w+|conformation|3d|domains?|fold(?:ing)?|binding sites?|crystal|sequence|residues?",
        "structure",
        ("structural", "domain", "conformation"),
        "protein structure",
        ("molecular function",),
        {"gene": ("What are the structure and the binding partners of {S}{P}?",)},
    ),
    Dimension(
        "epidemiology",
        r"prevalence|incidence|frequen(?:t|cy)|how (?:common|many|often)|epidemiolog\w*|risk factors?|rare|common|"
        r"mortality rates?|trends?|burden",
        "prevalence",
        ("incidence", "epidemiology", "frequency", "rate"),
        "frequency",
        (),
        {
            "disease": ("What is the prevalence of {S}{P}?",),
            "finding": ("What is the prevalence of {S}{P}?",),
            "microbe": ("How common is infection with {S}{P}?",),
            "other": ("What is the prevalence of {S}{P}?",),
        },
    ),
    Dimension(
        "cause",
        r"caus\w+|a?etiolog\w*|due to|risk factors?|predispos\w+|why|inherit\w*|hereditary|mutat\w+|"
        r"genes?|genetic\w*|pathogenesis",
        "cause",
        ("etiology", "aetiology", "risk factor", "due to", "caused"),
        "causation",
        (),
        {
            "disease": ("What are the causes and risk factors of {S}{P}?",),
            "finding": ("What are the causes of {S}{P}?",),
            "substance": ("What raises or lowers {S}{P}?",),
            "other": ("Which factors influence {S}{P}?",),
            "microbe": ("What are the routes of transmission of {S}{P}?",),
        },
    ),
    Dimension(
        "molecular mechanism",
        r"mechanisms?|pathways?|how do(?:es)?|molecular|signal?ling|targets?|mode of action|express\w+|regulat\w+|"
        r"interact\w*|bind\w*|mediat\w+|activat\w+|inhibit\w*",
        "mechanism",
        ("pathway", "signaling", "signalling", "mediated", "regulation"),
        "mechanism",
        ("molecular function", "cause"),
        {
            "gene": ("Which pathways link {S} with {C}{P}?", "Which pathways involve {S}{P}?"),
            "drug": ("What is the mechanism of action of {S} in {D}{P}?", "What is the mechanism of action of {S}{P}?"),
            "substance": ("Which mechanisms link {S} with {C}{P}?", "Which pathways involve {S}{P}?"),
            "disease": ("Which molecular mechanisms underlie {S}{P}?",),
            "finding": ("Which mechanisms underlie {S}{P}?",),
            "microbe": ("Which mechanisms of virulence and resistance are known of {S}{P}?",),
            "other": ("Which mechanisms link {S} with {C}{P}?", "Which mechanisms explain {S}{P}?"),
            "anatomy": ("Which mechanisms link {S} with {C}{P}?", "Which pathways involve {S}{P}?"),
            "name": ("Which mechanisms link {S} with {C}{P}?", "Which mechanisms explain {S}{P}?"),
        },
    ),
    Dimension(
        "physiology and endocrine regulation",
        r"hormon\w+|endocrin\w+|steroid\w*|estrogen\w*|androgen\w*|testosterone|gonad\w*|thyroid|insulin|cortisol",
        "hormone",
        ("hormonal", "endocrine", "steroid", "androgen", "estrogen"),
        "hormone synthesis",
        ("molecular function",),
        {"gene": ("How does {X} change hormone synthesis and endocrine regulation{P}?",)},
    ),
    Dimension(
        "developmental effects",
        r"develop(?:ment(?:al)?|s|ing)?|embryo\w*|differentiat\w+|growth|morpho\w+|matur\w+|sex determination",
        "development",
        ("developmental", "differentiation", "embryo", "growth", "maturation"),
        "development",
        ("molecular function",),
        {"gene": ("How does {X} affect development{P}?",)},
    ),
    Dimension(
        "clinical phenotype",
        r"phenotyp\w+|symptoms?|signs?|features?|manifest\w*|presentation|characteri[sz]\w+|effects? of",
        "phenotype",
        ("effect", "feature", "manifestation", "symptom", "defect", "impaired", "abnormal"),
        "phenotype",
        ("molecular function", "cause"),
        {
            "gene": ("Which phenotype follows {X}{P}?",),
            "disease": ("What are the clinical features of {S}{P}?",),
            "finding": ("Which symptoms come with {S}{P}?",),
            "microbe": ("Which diseases are caused by {S}{P}?",),
        },
    ),
    Dimension(
        "disease association",
        r"diseases?|syndromes?|disorders?|cancers?|tumou?rs?|patients?|associat\w+|susceptib\w+|risk of",
        "disease",
        ("syndrome", "disorder", "patient", "associated"),
        "disease association",
        ("molecular function",),
        {"gene": ("What is the role of {S} in {C}{P}?", "Which diseases are associated with {S}{P}?")},
    ),
    Dimension(
        "diagnosis",
        r"diagnos\w+|detect\w*|screen\w*|tests?|accura\w+|sensitiv\w+|specificit\w+|biomarkers?|markers?|imaging|"
        r"measur\w+|identif\w+|assess\w*|classif\w+",
        "diagnosis",
        ("diagnostic", "detection", "accuracy", "sensitivity", "assessment"),
        "diagnostic accuracy",
        ("cause", "epidemiology"),
        {
            "disease": ("Which tests are used to diagnose {S}{P}?",),
            "finding": ("Which methods detect or assess {S}{P}?",),
            "test": ("What is the diagnostic accuracy of {S} for {D}{P}?", "What is the accuracy of {S}{P}?"),
            "substance": ("What is the diagnostic value of {S} for {D}{P}?", "Which methods measure {S}{P}?"),
            "microbe": ("How is infection with {S} diagnosed{P}?",),
            "other": ("Which methods measure {S}{P}?",),
            "name": ("Which methods detect or measure {S}{P}?",),
            "anatomy": ("Which methods detect or assess {S}{P}?",),
        },
    ),
    Dimension(
        "treatment effect",
        r"treat\w*|therap\w+|effective\w*|efficacy|improv\w*|reduc\w+|prevent\w*|manag\w+|benefit\w*|cure\w*|"
        r"lower\w*|shorten\w*|reliev\w+|alleviat\w+|mitigat\w+|protect\w*|approved|intervention\w*|prophyla\w+",
        "treatment",
        ("therapy", "efficacy", "effect", "effective", "trial", "improved"),
        "efficacy",
        ("cause", "molecular mechanism", "epidemiology"),
        {
            "drug": ("What is the effect of {S} on {C}{P}?", "For which diseases has {S} been shown to work{P}?"),
            "procedure": ("What is the effect of {S} on {C}{P}?", "What are the benefits of {S}{P}?"),
            "disease": ("Which treatments are effective for {S}{P}?",),
            "finding": ("Which treatments are effective for {S}{P}?",),
            "microbe": ("Which treatments are effective against {S}{P}?",),
            "gene": ("Which treatments target {S}{P}?",),
        },
    ),
    Dimension(
        "dose and use",
        r"dos(?:e|es|age|ing)|how much|mg|duration|regimens?|how long|long[- ]term|administ\w+|timing|indications?",
        "dose",
        ("dosage", "dosing", "regimen", "duration"),
        "dose",
        ("treatment effect",),
        {
            "drug": ("Which doses of {S} are used for {D}{P}, and for how long?", "Which doses of {S} are used{P}?"),
            "procedure": ("What are the indications of {S}{P}?",),
        },
    ),
    Dimension(
        "safety",
        r"safe\w*|adverse (?:drug )?(?:effects?|events?|reactions?)|side effects?|toxic\w*|harm\w*|complications?|"
        r"contraindicat\w+|risks? of harm|bleeding|"
        r"tolera\w+|injur\w+",
        "adverse effects",
        ("side effect", "safety", "toxicity", "complication", "harm", "adverse event"),
        "safety",
        ("molecular mechanism", "treatment effect"),
        {
            "drug": ("What are the adverse effects of {S}{P}?",),
            "procedure": ("What are the complications of {S}{P}?",),
            "test": ("What are the limits and risks of {S}{P}?",),
        },
    ),
    Dimension(
        "comparison",
        r"compar\w+|versus|vs|better|superior|inferior|alternatives?|equivalent|differ\w*|gold standard|than",
        "comparison",
        ("compared", "versus", "alternative", "superior", "randomized"),
        "comparison",
        ("treatment effect", "diagnosis"),
        {
            "drug": _ALTERNATIVES,
            "procedure": _ALTERNATIVES,
            "test": (
                "Which other tests are there for {D}{P}, and how do they compare with {S}?",
                "Which other tests are compared with {S}{P}?",
            ),
        },
    ),
    Dimension(
        "prognosis",
        r"prognos\w+|surviv\w+|mortality|death|outcomes?|predict\w*|recurren\w+|relapse|course|progress\w*|"
        r"long[- ]term|follow[- ]up|quality of life",
        "prognosis",
        ("outcome", "survival", "mortality", "recurrence", "predictor"),
        "outcome",
        ("treatment effect", "diagnosis", "cause"),
        {
            "disease": ("What is the prognosis of {S}{P}?",),
            "finding": ("What is the outcome of {S}{P}?",),
            "procedure": ("What are the long-term outcomes of {S}{P}?",),
            "test": ("What is the prognostic value of {S} for {D}{P}?", "What is the prognostic value of {S}{P}?"),
            "substance": ("What is the prognostic value of {S} for {D}{P}?", "Which outcomes are predicted by {S}{P}?"),
            "gene": ("What is the prognostic value of {S}{P}?",),
            "other": ("Which outcomes are related to {S}{P}?",),
            "anatomy": ("Which outcomes are related to {S}{P}?",),
        },
    ),
    Dimension(
        "prevention and practice",
        r"should|guidelines?|recommend\w*|practice|polic\w+|implement\w*|programme?s?|education|training|counsel\w*|"
        r"nurs\w+|attitudes?|knowledge|access|cost\w*|services?",
        "practice",
        ("guideline", "recommendation", "care", "implementation", "policy"),
        "health care",
        ("treatment effect", "epidemiology"),
        {
            "other": ("What do guidelines and studies of practice say about {S}{P}?",),
            "disease": ("What do guidelines recommend for {S}{P}?",),
            "procedure": ("What do guidelines and studies of practice say about {S}{P}?",),
            "drug": ("What do guidelines and studies of practice say about {S}{P}?",),
            "test": ("What do guidelines and studies of practice say about {S}{P}?",),
        },
    ),
    Dimension(
        DIRECT,
        r"associat\w+|relat\w+|correlat\w+|link\w*|influenc\w+|affect\w*|impact|matter|contribut\w+|effects? of",
        "association",
        ("associated", "effect", "influence", "related", "impact"),
        "association",
        ("cause", "epidemiology", BACKGROUND),
        {
            "substance": (
                "What is the relationship between {S} and {C}{P}?",
                "Which diseases are associated with {S}{P}?",
            ),
            "other": ("What is the relationship between {S} and {C}{P}?", "What are the effects of {S}{P}?"),
            "anatomy": ("What is the relationship between {S} and {C}{P}?", "Which diseases involve {S}{P}?"),
            "name": ("What is the relationship between {S} and {C}{P}?", "What are the effects of {S}{P}?"),
        },
    ),
)

DIMENSIONS: Mapping[str, Dimension] = {one.name: one for one in _ALL}
"""All dimensions by name, the general before the specific."""

USUAL: Mapping[str, tuple[str, ...]] = {
    "gene": (
        "molecular function",
        "clinical phenotype",
        "developmental effects",
        "molecular mechanism",
        "disease association",
    ),
    "gene of a disease": (
        "molecular function",
        "disease association",
        "molecular mechanism",
        "clinical phenotype",
        "treatment effect",
        "prognosis",
    ),
    "drug": ("treatment effect", "safety", "molecular mechanism", "comparison", "dose and use"),
    "substance": (DIRECT, "molecular mechanism", "prognosis", "diagnosis", "cause"),
    "disease": ("cause", "diagnosis", "treatment effect", "prognosis", "clinical phenotype", "epidemiology"),
    "finding": ("cause", "diagnosis", "treatment effect", "prognosis", "epidemiology"),
    "procedure": ("treatment effect", "safety", "comparison", "prognosis", "dose and use"),
    "test": ("diagnosis", "comparison", "prognosis", "safety"),
    "microbe": ("clinical phenotype", "epidemiology", "molecular mechanism", "treatment effect", "diagnosis", "cause"),
    "anatomy": (DIRECT, "molecular mechanism", "diagnosis", "prognosis"),
    "other": (DIRECT, "cause", "prognosis", "diagnosis", "molecular mechanism", "prevention and practice"),
    "name": (BACKGROUND, DIRECT, "molecular mechanism", "diagnosis"),
}
"""The dimensions of a kind of subject, the most usual first."""
