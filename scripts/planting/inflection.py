"""The English grammar that planted errors need: past tense, third person, and articles."""

from __future__ import annotations

import re

_PAST = {
    "be": "was",
    "become": "became",
    "begin": "began",
    "bind": "bound",
    "do": "did",
    "fall": "fell",
    "find": "found",
    "give": "gave",
    "grow": "grew",
    "have": "had",
    "lead": "led",
    "lose": "lost",
    "make": "made",
    "meet": "met",
    "rise": "rose",
    "see": "saw",
    "show": "showed",
    "take": "took",
    "undergo": "underwent",
}
_BASE = {past: base for base, past in _PAST.items() if base != "be"}
_DOUBLED = ("drop", "stop", "plan", "permit", "occur", "prefer", "confer", "control", "admit", "incur", "refer")
_KEPT_E = ("c", "g", "s", "v", "u", "z")
"""A past tense in -ed after these letters comes from a verb in -e: reduced, changed, increased, improved."""


def past(verb: str) -> str:
    """Past tense of a base form: improve, improved; carry, carried."""
    if verb in _PAST:
        return _PAST[verb]
    if verb in _DOUBLED:
        return f"{verb}{verb[-1]}ed"
    if verb.endswith("e"):
        return f"{verb}d"
    if re.search(r"[^aeiou]y$", verb):
        return f"{verb[:-1]}ied"
    return f"{verb}ed"


def base(verb: str) -> str:
    """Base form of a past tense: improved, improve; carried, carry."""
    if verb in _BASE:
        return _BASE[verb]
    if verb.endswith("ied"):
        return f"{verb[:-3]}y"
    stem = verb.removesuffix("ed")
    if stem[:-1] in _DOUBLED:
        return stem[:-1]
    late_e = re.search(r"(?:[^aeiou][aiou]|[aeiou][iu])[rtn]$|[bcdfgpt]l$", stem) and not re.search(
        r"(?:er|or|en|on|et|it|ear|eat|ain|oin|our)$", stem
    )
    return f"{stem}e" if late_e or (stem.endswith(_KEPT_E) and not stem.endswith("ss")) else stem


def third(verb: str) -> str:
    """Third person of a base form: play, plays; carry, carries; be, is."""
    known = {"be": "is", "have": "has", "do": "does"}
    if verb in known:
        return known[verb]
    if re.search(r"[^aeiou]y$", verb):
        return f"{verb[:-1]}ies"
    return f"{verb}es" if verb.endswith(("s", "sh", "ch", "x", "z")) else f"{verb}s"


def plural(noun: str) -> bool:
    """Whether the last word before a verb looks like a plural."""
    return bool(re.search(r"(?:[^suia]s|ies|ae|children|women|men|people|mice|data|they|we|these|those)$", noun, re.I))


def with_articles(text: str) -> str:
    """The text with `a` or `an` to match the next word."""
    fixed = re.sub(
        r"\b([Aa])(?= (?:increas|elevat|improv|impair|enhanc|inhibit|activat|upregul|old|earl|adult))", r"\1n", text
    )
    return re.sub(
        r"\b([Aa])n(?= (?:decreas|reduc|lower|wors|dimin|downregul|suppress|significant|child|higher))", r"\1", fixed
    )
