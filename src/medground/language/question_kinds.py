"""What kind of question a text is: the kinds of answer that it asks for, what it asks of its subject, whether it is
English, and whether it asks for news or for people's own experience.
"""

import re
from functools import cache, lru_cache

from medground.language.pattern import lazy_pattern, verbose_pattern
from medground.language.word_lists import word_lists
from medground.language.words import stems

KINDS = {
    "amount": verbose_pattern(
        r"""
        \bhow\ (?:many|much|large|big|common|frequent|high|low|accurate|often)\b|\b(?:what|which)\ (?:is|are|was|
        were)\ the\ (?:\w+\ ){0,3}(?:number|percentages?|proportion|prevalence|incidence|rates?|size|dos(?:e|age)|
        frequency|length|weight|sensitivity|specificity|range|risk|level|concentration|cost|age)\b|
        \bwhat\ (?:percentage|proportion|number|dose)\b
        """
    ),
    "time": verbose_pattern(
        r"""
        \b(?:how\ long|when|how\ old|what\ year|which\ year|half-?life|duration|what\ age|in\ what\ year|
        at\ what\ time|survival\ time)\b
        """
    ),
    "gene": verbose_pattern(
        r"""
        \b(?:which|what|list)\b.{0,60}\b(?:genes?|proteins?|mutations?|receptors?|enzymes?|kinases?|ligands?|
        mirnas?|micrornas?|transcription\ factors?|complex(?:es)?|subunits?|isoforms?|biomarkers?|markers?|
        antigens?|hormones?|cytokines?|chromosomes?|variants?|polymorphisms?|allele)\b|\btargets?\b
        """
    ),
    "drug": verbose_pattern(
        r"""
        \b(?:which|what|list|name)\b.{0,60}\b(?:drugs?|antibod(?:y|ies)|inhibitors?|treatments?|therap(?:y|ies)|
        medications?|agents?|vaccines?|compounds?|antidotes?|antibiotics?|agonists?|antagonists?|treated|
        molecules?)\b
        """
    ),
    "disease": verbose_pattern(
        r"""
        \b(?:which|what|list|name)\b.{0,60}\b(?:diseases?|disorders?|syndromes?|cancers?|tumou?rs?|conditions?|
        indications?|symptoms?|complications?|side\ effects?|adverse|phenotypes?|infections?|malignanc(?:y|ies))\b|
        \bapproved\ for\b|\bused\ for\b
        """
    ),
    "definition": verbose_pattern(
        r"""
        ^\s*(?:what|who)\ (?:is|are|was|were|does)(?:\ an?|\ the)?\ [^?]{1,60}\?*\s*$|\bdefin(?:e|ition)\b|
        \bdescribe\b|\bstands?\ for\b|\bmeaning\ of\b|\bcharacteri[sz]\w+\b|\bwhat\ does\ .{1,40}\ (?:mean|stand)\b
        """
    ),
    "mechanism": verbose_pattern(
        r"""
        \b(?:mechanism\w*|mode\ of\ action|roles?|functions?|how\ (?:does|do|is|are|can)|pathways?|why|act)\b
        """
    ),
    "cause": verbose_pattern(
        r"""
        \b(?:caus\w+|etiolog\w+|aetiolog\w+|responsible|due\ to|leads?\ to|inherit\w*|associated|linked|
        implicated)\b
        """
    ),
    "place": verbose_pattern(
        r"""
        \b(?:where|locat\w+|organ|tissues?|cells?|organelles?|countr(?:y|ies)|regions?|routes?|expressed|species|
        organisms?)\b
        """
    ),
    "method": verbose_pattern(
        r"""
        \b(?:methods?|tools?|software|algorithms?|tests?|techniques?|databases?|criteria|scales?|scores?|diagnos\w+|
        packages?|assays?)\b
        """
    ),
    "several": lazy_pattern(
        r"\b(?:list|name|which .{0,40}\bare|what are|types? of|symptoms|genes|drugs|features)\b", re.IGNORECASE
    ),
    "closed": lazy_pattern(
        r"^\s*(?:is|are|was|were|do|does|did|can|could|has|have|had|should|will|would|may|might)\b", re.IGNORECASE
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


_AMOUNT = verbose_pattern(
    r"""
    \bhow\ (?:much|many|often|long|far|fast|soon)\b(?!.{0,80}\b(?:tak(?:e|en|ing)|giv(?:e|en|ing)|us(?:e|ed|
    ing)|need(?:ed)?|dos(?:e|age|ing)|drink|eat|inject|apply|safe|too|allowed|recommended|mg)\b)|
    \b(?:(?:average|mean|median|usual|typical)\ (?:\w+\ ){0,2}(?:time|cost|price|length|loss|duration|stay|
    number))\b|\b(?:cost|price)s?\ of\b
    """
)


def asks_for_amount(text: str) -> bool:
    """Whether a question asks how much of something there is, and not how much of a drug to take.

    >>> asks_for_amount("How much blood is lost with tranzolin?"), asks_for_amount("How much tranzolin should I take?")
    (True, False)
    """
    return _AMOUNT.search(text) is not None


# What a question asks of the thing that it is about, such as its prognosis or its harms, in anybody's words.

_SURE = 0.5
"""Share from which a sentence tells of a kind whatever its words."""
_TOLD = {
    "the outlook of": "outlook",
    "the inheritance of": "inheritance",
    "frequency": "frequency",
    "cause": "causes",
    "diagnosis": "exams and tests",
    "symptoms": "symptoms",
    "treatment": "treatment",
    "prevention": "prevention",
}
"""The kinds of sentences (`kinds.KINDS`) by the aspects that they tell of."""


@cache
def _aspects() -> dict[str, tuple[str, ...]]:
    lists = word_lists("aspects")
    return {aspect: tuple(sorted({_stems(form) for form in forms})) for aspect, forms in lists.items()}


def _stems(text: str) -> str:
    """All words of a text as stems, also those that say nothing, between single spaces."""
    return f" {' '.join(stems(text))} "


@lru_cache(maxsize=8192)
def aspects_of(text: str) -> frozenset[str]:
    """The aspects that a text speaks of (the headings of `aspects.txt`)."""
    read = _stems(text)
    return frozenset(aspect for aspect, forms in _aspects().items() if any(form in read for form in forms))


@lru_cache(maxsize=8192)
def aspects_told(text: str) -> frozenset[str]:
    """The aspects that a sentence tells something of: by its words, or by what such sentences are about."""
    from medground.language import kinds  # numpy is slow to import

    shares = kinds.told(stems(text))
    return aspects_of(text).union(one for one, kind in _TOLD.items() if shares[kinds.KINDS.index(kind)] >= _SURE)


def asked_in(question: str) -> list[list[str]]:
    """The words of each aspect that a question asks for, as they are searched for."""
    return [sorted(word_lists("aspects")[aspect]) for aspect in sorted(aspects_of(question))]


@cache
def asked_words() -> frozenset[str]:
    """The single words by which aspects are asked for."""
    return frozenset(form for forms in word_lists("aspects").values() for form in forms if " " not in form)
