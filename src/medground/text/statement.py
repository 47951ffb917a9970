"""A yes-or-no question as the statement that `yes` would assert.

Plain rules that stay silent when unsure: which words are the subject cannot always be told, and a wrong statement would
be judged as if it had been asked. Questions with a negation, an alternative or a condition are not turned.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_BE = ("is", "are", "was", "were")
_DO = ("does", "do", "did")
_MODAL = ("can", "could", "may", "might", "will", "would", "should", "must")

_ACTIONS_WORDS = """
    abolish accelerate accompany account achieve activate affect aggravate aid allow alleviate alter ameliorate
    attenuate augment avoid be become block bring carry cause change compromise confer constitute contribute control
    correlate correspond decrease delay depend deserve detect determine develop differ diminish discriminate disrupt
    enhance exacerbate exert exist explain express facilitate favor favour fulfil generate give guarantee happen
    harm have help hinder identify impact impair imply improve increase indicate induce influence inhibit interact
    interfere involve justify lead limit lower make matter mean mediate meet mitigate mimic minimize modify modulate
    need obviate occur offer outweigh permit persist play possess precede preclude predict predispose prevent
    produce progress prolong promote protect prove provide raise reach receive reduce reflect regulate relate remain
    represent require respond restore result reveal serve shorten show stimulate strengthen suffer suppress survive
    sustain target trigger undergo underlie vary work worsen yield
"""
_ACTIONS = frozenset(_ACTIONS_WORDS.split())
"""Verbs that follow the subject. Words that are often nouns in a subject (`use`, `test`, `rate`) are left out."""
_NOUNS_TOO_WORDS = """
    aid block cause change control decrease delay exercise express favor favour harm help impact increase influence
    limit need play progress result show target trigger work yield
"""
_NOUNS_TOO = frozenset(_NOUNS_TOO_WORDS.split())
_STATES_WORDS = """
    able accurate acceptable adequate advantageous appropriate associated available aware beneficial better capable
    clinically comparable correlated cost-effective dangerous dependent detrimental different due effective
    efficacious equal equivalent essential feasible harmful helpful impaired implicated independent independently
    indicated inferior influenced involved justified linked mandatory mediated necessary needed possible predictive
    predictors prognostic reliable related relevant reproducible required responsible safe significantly sufficient
    suitable superior unnecessary useful valid valuable warranted worthwhile worse
"""
_STATES = frozenset(_STATES_WORDS.split())
_BEFORE_NOUN_WORDS = """
    a an the this that these those its their his her our no each every any some all both of in on at for with by to
    from as into during after before between among and without within via per under over
"""
_BEFORE_NOUN = frozenset(_BEFORE_NOUN_WORDS.split())
_UNCLEAR = re.compile(
    r"\b(?:not|no|never|neither|nor|without|or|if|unless|whether|which|what|who|how|why|when|where|versus|vs)\b|n['’]t\b"
    r"|[;:(]|\?.",
    re.IGNORECASE,
)
_AUXILIARY = "|".join((*_BE, *_DO, *_MODAL))
_LEAD = re.compile(rf"^((?:in|among|for|after|during|following)\b[^,?]{{3,80}}), (?=(?:{_AUXILIARY})\b)", re.IGNORECASE)
"""Where or in whom: `In patients with sepsis, does ...`."""
_ADVERBS = ("really", "still", "also", "always", "often", "actually", "truly")


def as_statement(question: str) -> str | None:
    """The statement, with a capital and a full stop; None where the rules are not sure of it."""
    text = " ".join(question.split())
    if not text.endswith("?") or _UNCLEAR.search(text):
        return None
    lead = _LEAD.match(text)
    words = text[lead.end() if lead else 0 :].rstrip("? ").split()
    if len(words) < 3:
        return None
    said = _turned(words[0].lower(), words[1:])
    if said is None:
        return None
    whole = f"{lead[1]}, {' '.join(said)}" if lead else " ".join(said)
    return f"{whole[0].upper()}{whole[1:]}."


def _turned(verb: str, rest: Sequence[str]) -> list[str] | None:
    if verb in _BE and rest[0].lower() == "there":
        one = ["a"] if verb in ("is", "was") else []
        return ["there", verb, *(one if rest[1] == "any" else rest[1:2]), *rest[2:]]
    if verb in _DO:
        place = _action(rest)
        return None if place is None else [*rest[:place], _in_form(verb, rest[place]), *rest[place + 1 :]]
    if verb in _MODAL:
        place = _action(rest)
    elif verb in _BE:
        place = _state(rest)
    else:
        return None
    return None if place is None else [*rest[:place], verb, *rest[place:]]


def _action(rest: Sequence[str]) -> int | None:
    """Where the verb stands: the only word that can be one."""
    found = [n for n in range(1, len(rest)) if rest[n].lower() in _ACTIONS and rest[n - 1].lower() not in _BEFORE_NOUN]
    sure = [n for n in found if rest[n].lower() not in _NOUNS_TOO]
    if len(found) > 1 and found[0] in sure:  # the first verb is the sentence's own
        return found[0]
    if len(found) > 1 and rest[found[0]].lower() in _NOUNS_TOO and len(sure) == 1:
        return sure[0] if found[0] + 1 == sure[0] else None
    return found[0] if len(found) == 1 else None


def _state(rest: Sequence[str]) -> int | None:
    """Where what is said of the subject begins."""
    for n in range(1, len(rest)):
        word, before = rest[n].lower().strip(","), rest[n - 1].lower()
        if before in _BEFORE_NOUN:
            continue
        if word in ("a", "an", "the") or word in _STATES:
            return (
                n - 1 if n > 1 and before in (*_ADVERBS, "more", "less", "as", "significantly", "independently") else n
            )
    return None


def _in_form(auxiliary: str, verb: str) -> str:
    """The verb without its auxiliary: `does reduce` is `reduces`."""
    if auxiliary == "do":
        return verb
    if auxiliary == "does":
        if verb in ("have", "be"):
            return {"have": "has", "be": "is"}[verb]
        if verb.endswith(("s", "sh", "ch", "x", "z", "o")):
            return f"{verb}es"
        return f"{verb[:-1]}ies" if verb.endswith("y") and verb[-2] not in "aeiou" else f"{verb}s"
    return f"did {verb}"
