"""What kind of question a text is: the kinds of answer that it asks for, whether it is English, and whether it asks for
news or for people's own experience.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from medground.language.word_lists import word_lists

KINDS: Mapping[str, re.Pattern[str]] = {
    "amount": re.compile(
        r"\bhow (?:many|much|large|big|common|frequent|high|low|accurate|often)\b|\b(?:what|which) (?:is|are|was|"
        r"were) the (?:\w+ ){0,3}(?:number|percentages?|proportion|prevalence|incidence|rates?|size|dos(?:e|age)|"
        r"frequency|length|weight|sensitivity|specificity|range|risk|level|concentration|cost|age)\b|"
        r"\bwhat (?:percentage|proportion|number|dose)\b",
        re.IGNORECASE,
    ),
    "time": re.compile(
        r"\b(?:how long|when|how old|what year|which year|half-?life|duration|what age|in what year|at what time|"
        r"survival time)\b",
        re.IGNORECASE,
    ),
    "gene": re.compile(
        r"\b(?:which|what|list)\b.{0,60}\b(?:genes?|proteins?|mutations?|receptors?|enzymes?|kinases?|ligands?|mirnas?|"
        r"micrornas?|transcription factors?|complex(?:es)?|subunits?|isoforms?|biomarkers?|markers?|antigens?|"
        r"hormones?|cytokines?|chromosomes?|variants?|polymorphisms?|allele)\b|\btargets?\b",
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
        r"indications?|symptoms?|complications?|side effects?|adverse|phenotypes?|infections?|malignanc(?:y|ies))\b|"
        r"\bapproved for\b|\bused for\b",
        re.IGNORECASE,
    ),
    "definition": re.compile(
        r"^\s*(?:what|who) (?:is|are|was|were|does)(?: an?| the)? [^?]{1,60}\?*\s*$|\bdefin(?:e|ition)\b|\bdescribe\b|"
        r"\bstands? for\b|\bmeaning of\b|\bcharacteri[sz]\w+\b|\bwhat does .{1,40} (?:mean|stand)\b",
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


def kinds_of(question: str) -> frozenset[str]:
    """The names of `KINDS` that hold."""
    return frozenset(kind for kind, form in KINDS.items() if form.search(question))


_WORD = re.compile(r"[^\W\d_]+")
_LISTS = word_lists("common_words")
_ENGLISH, _OTHER = _LISTS["english"], _LISTS["other languages"]
_LAST_LATIN = "\u024f"
ENGLISH_ONLY = "the question does not look English; only English is read, and nothing was translated"
"""The warning for a question in another language."""


def looks_foreign(text: str) -> bool:
    """Whether function words of another language outnumber the English ones. In case of doubt, the text is English."""
    words = [word.casefold() for word in _WORD.findall(text)]
    foreign = sum(word in _OTHER - _ENGLISH for word in words)
    english = sum(word in _ENGLISH - _OTHER for word in words)
    other_script = sum(min(word) > _LAST_LATIN for word in words)
    few = 1 if text.rstrip().endswith("?") and not english else 2  # "Cri du chat syndrome" has one, and is English
    return other_script > len(words) / 2 or (foreign >= few and foreign > english)


_RECORDS, _COLLECTIONS = _LISTS["records"], _LISTS["collections"]


def asks_about_records(text: str) -> bool:
    """Whether a question is about a collection of papers and not about medicine.

    >>> asks_about_records("How many papers are in this collection?")
    True
    >>> asks_about_records("Which databases hold gene variants?")
    False
    """
    asked = [word for word in map(str.casefold, _WORD.findall(text)) if word not in _LISTS["function"]]
    return not _COLLECTIONS.isdisjoint(asked) and _RECORDS.issuperset(asked)


_NEWS = re.compile(
    r"\b(?:news|latest|newest|this (?:week|month|year)|today|current(?:ly)? (?:outbreak|shortage|recall)s?|"
    r"recently (?:approved|announced|recalled)|announce(?:d|ments?)|press release|recalls?|"
    r"patients?['’]? (?:experiences?|stories|reviews|forums?)|experiences? (?:of|from) (?:patients?|people|users)|"
    r"(?:lived|personal) experiences?|testimonials?|what (?:do|did) (?:patients|people|users) (?:say|report))\b",
    re.IGNORECASE,
)


def asks_for_news(text: str) -> bool:
    """Whether a question asks for news or experience: pages of the web then come before the literature.

    >>> asks_for_news("What is the latest news on the shortage of amoxicillin?")
    True
    >>> asks_for_news("Does amoxicillin help in otitis media?")
    False
    """
    return _NEWS.search(text) is not None
