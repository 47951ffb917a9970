"""Queries for sources without a model: the question without its filler, its names by term mapping, and graph terms."""

from __future__ import annotations

import re
from functools import lru_cache

from medground.operators.keyless.naming import Named, named
from medground.pubmed.mesh import Heading, vocabulary
from medground.text import words

_WORDS = 40
"""Most words of a query. A case is cut to what it asks and what it names."""
_NAMES = 6
"""Most names of a query by terms."""

_FILLER = re.compile(
    r"\b(?:please|thanks?(?: you)?(?: very much| so much)?|thank u|hello|hi|dear (?:sir|doctor|dr)\b(?: or madam)?|sir|"
    r"which (?:one )?of the following(?: \w+)? (?:is|are|was|were|does|do|would|will|can|should|best|most likely)?|"
    r"(?:can|could|do|would) you (?:please )?(?:tell|give|help|have|explain|provide|let)(?: me)?(?: know)?(?: about|"
    r" some| any)?|i (?:would like|want|need|wish|am trying|am looking|was wondering|am writing)(?: to know| to find(?:"
    r" out)?| to ask| to| for| if| about)?|tell me(?: about)?|(?:do you have|is there|are there) any"
    r" (?:info|information)(?: on| about| regarding)?|any information (?:on|about)|all of the following(?: \w+)?|"
    r"except|not true|true about|in your opinion|please advise|\[[a-z ]+\])(?!\w)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.?!])\s+")
_ASPECTS = {
    "treatment": r"treat\w*|therap\w+|manage\w*|medication|drug of choice|cure",
    "prevention": r"prevent\w*|prophyla\w+",
    "symptoms": r"symptoms?|signs?|features?|manifest\w+|present(?:s|ation)",
    "causes": r"caus\w+|aetiolog\w+|etiolog\w+|due to|risk factors?",
    "genetics": r"genes?|genetic\w*|inherit\w*|mutat\w+|hereditary",
    "diagnosis": r"diagnos\w+|tests?|screen\w*|investigation",
    "dose": r"dos(?:e|es|age|ing)|how much|mg",
    "side effects": r"side effects?|adverse|safe\w*|contraindicat\w+|toxic\w*",
    "prognosis": r"prognos\w+|outlook|survival|mortality|outcomes?",
    "mechanism": r"mechanism|mode of action|how does|works?",
    "prevalence": r"how many|prevalence|incidence|frequency|common",
}


def by_words(question: str) -> str:
    """The question without its filler. Of a case: what it asks, and what it names."""
    said = " ".join(question.split())
    plain = _plain(said)
    if len(plain.split()) <= _WORDS:
        return plain
    asked = _asked(said)
    names = [one.words for one in _best_names(said, 2 * _NAMES) if one.words.casefold() not in asked.casefold()]
    rest = plain.split() if not names and len(asked.split()) < _WORDS // 2 else []
    return " ".join(" ".join([asked, *names, *rest]).split()[:_WORDS])


def by_terms(question: str) -> str:
    """What the question names, by its heading where the heading says it in other words, and the aspect asked for.

    Empty if it names nothing.
    """
    said = " ".join(question.split())
    found = _best_names(said, _NAMES)
    if not found:
        return ""
    aspects = [name for name, pattern in _ASPECTS.items() if re.search(rf"\b(?:{pattern})\b", said, re.IGNORECASE)]
    names = [_both(one) for one in sorted(found, key=lambda one: one.start)]
    return " ".join(dict.fromkeys(" ".join([*names, *aspects[:2]]).split()))


def graph_terms(question: str) -> tuple[str, ...]:
    """The names of a question to look up in a graph, the most specific first, at most three."""
    return tuple(dict.fromkeys(_term(one) for one in _best_names(" ".join(question.split()), 3)))


def _asked(text: str) -> str:
    """The sentence that asks: the last one with a question mark, else the last one that says something."""
    sentences = [(one, _plain(one)) for one in _SENTENCE.split(text)]
    telling = [(one, plain) for one, plain in sentences if len(words.terms(plain)) > 1] or sentences
    return next((plain for one, plain in reversed(telling) if one.rstrip().endswith("?")), telling[-1][1])


def _plain(text: str) -> str:
    kept = _FILLER.sub(" ", text)
    plain = " ".join(kept.replace(";", ",").split()).strip(" ,:?!.-")
    return plain or " ".join(text.replace(";", ",").split())


@lru_cache(maxsize=512)
def _best_names(text: str, most: int) -> list[Named]:
    """What a text names, without populations: names of diseases and drugs first, then the most specific."""
    candidates = [one for one in named(text) if one.kind != "population" and _is_telling(one)]
    ranked = sorted(candidates, key=lambda one: (-_specific(one), one.start))
    return ranked[:most]


def _specific(one: Named) -> float:
    heading = vocabulary().find(one.heading) if one.heading else None
    rarest = max((words.weight(term) for term in words.terms(one.words)), default=0.0)
    return rarest + (_SUBJECT if heading is None or _is_subject(heading) else 0.0)


_UNIT = re.compile(
    r"[\d.,/+-]*(?:\d+[a-z]?|/)?(?:min|mcl|mm3?|dl|kg|mg|ml|hg|year|month|week|day|hour)s?(?:-old)?|s\d|.*\d+/\w+|name|email|.*/",
    re.IGNORECASE,
)
"""Names by their writing that are none: measures, ages, heart sounds, addresses."""
_EMPTY = frozenset(["Diagnosis", "Pharmaceutical Preparations", "Solutions", "Motion", "Light"])
_SUBJECTS = ("A", "B", "C", "D", "E", "F03", "G", "J02")
"""Branches of MeSH whose headings name what a biomedical question is about: not people, places, or human affairs."""


def _is_telling(one: Named) -> bool:
    """Whether a name is worth a query of its own: no unit, no address, no everyday thing."""
    if not one.heading:
        return not _UNIT.fullmatch(one.words)
    heading = vocabulary().find(one.heading)
    return one.heading not in _EMPTY and (heading is None or any(tree.startswith(_SUBJECTS) for tree in heading.trees))


_SUBJECT = 2.0
"""What a disease, a drug or a name without a heading is worth beside the weight of its rarest word (at most 7)."""


def _is_subject(heading: Heading) -> bool:
    """Whether a heading is of diseases, chemicals and drugs, or mental disorders."""
    return any(tree.startswith(("C", "D", "F03")) for tree in heading.trees)


def _both(one: Named) -> str:
    """The words of a name; its heading too, if that shares no word with them."""
    if not one.heading or set(words.terms(one.heading)) & set(words.terms(one.words)):
        return one.words
    return f"{one.words} {one.heading.split(',')[0]}"


def _term(one: Named) -> str:
    """How a graph is asked for it: by its heading, unless that is written backwards (`Diabetes Mellitus, Type 2`)."""
    return one.heading if one.heading and "," not in one.heading else one.words.replace(",", " ")
