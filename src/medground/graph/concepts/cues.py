"""Which relations a question asks for: "symptoms" asks for features, "how is it treated" for what treats."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from medground.text import words

_FAMILIES = (
    (r"symptoms?|signs?|features?|manifest\w*|presentations?|clinical|findings?|complications?", "feature phenotype"),
    (r"(?:do|does|did|can|may) .*\bcause|affect(?:ed|s)?", "feature phenotype"),
    (r"genes?|genetic(?:s|ally)?|mutations?|mutated", "gene"),
    (
        r"causes? of|what causes?|the cause|caused by|due to|a?etiolog\w+|pathogen|why",
        "cause causative due gene",
    ),
    (r"inherit(?:ed|ance)?|dominant|recessive|hereditary|runs? in famil\w+", "inheritance inherited"),
    (r"onset|ages?|course|progress(?:ion|ive)?|prognosis", "onset course"),
    (
        r"treat(?:s|ed|ments?|ing)?|therap\w+|drugs?|medic(?:ines?|ations?)|manage[ds]?|management|cured?",
        "treat treatment",
    ),
    (r"prevent(?:s|ed|ing|ion)?|prophyla\w+", "prevent prevention"),
    (r"interact(?:s|ions?|ing)?", "interact interaction"),
    (
        r"kinds?|(?:sub)?types?|class(?:es|ified)?|categor\w+",
        "isa broader narrower parent child includes",
    ),
    (r"absent|excluded|lacking", "absent excluded"),
)
"""What a question says, and words of the predicates that it asks for with it."""
_NEGATED = frozenset({"absent", "exclud"})


@cache
def _compiled() -> tuple[tuple[re.Pattern[str], frozenset[str]], ...]:
    return tuple((re.compile(rf"\b(?:{cue})\b", re.I), frozenset(words.terms(said))) for cue, said in _FAMILIES)


def asked_for(question: str) -> frozenset[str]:
    """The words of predicates, as stems, that a question asks for; empty where it asks for none in particular."""
    wanted = frozenset[str]().union(*(said for cue, said in _compiled() if cue.search(question)))
    return wanted & _NEGATED or wanted


def without_cues(question: str) -> str:
    """A question without the words that ask for a kind of relation, and name nothing."""
    for cue, _ in _compiled()[:1] + _compiled()[2:]:  # a verb between two names stays
        question = cue.sub(" ", question)
    return question


def says(predicate: Iterable[str], wanted: frozenset[str]) -> bool:
    """Whether a predicate or a line, as stems, is of a kind that is asked for; what is absent must be asked for."""
    stems = frozenset(predicate)
    return bool(stems & wanted) and stems & _NEGATED <= wanted
