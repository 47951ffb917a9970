"""What a loss shows: if less of one thing lowers another, the first promotes the second.

`Deletion of Sirt1 impaired insulin secretion` supports `Sirt1 promotes insulin secretion` and refutes `Sirt1 inhibits
insulin secretion`; both share its words and neither shares its direction. Many claims about genes are proved so.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence

from pairing.pair import Label, Pair, around, joined

_DOWN = (
    r"reduc(?:ed|es)|decreas(?:ed|es)|impair(?:ed|s)|abolish(?:ed|es)|attenuat(?:ed|es)|suppress(?:ed|es)|"
    r"inhibit(?:ed|s)|block(?:ed|s)|prevent(?:ed|s)|diminish(?:ed|es)|abrogat(?:ed|es)|compromis(?:ed|es)|"
    r"lower(?:ed|s)|delay(?:ed|s)|limit(?:ed|s)|disrupt(?:ed|s)"
)
_UP = (
    r"increas(?:ed|es)|enhanc(?:ed|es)|promot(?:ed|es)|induc(?:ed|es)|accelerat(?:ed|es)|elevat(?:ed|es)|"
    r"augment(?:ed|s)|exacerbat(?:ed|es)|stimulat(?:ed|es)|rais(?:ed|es)"
)
_LESS = (
    r"knock-?down|knock-?out|depletion|deletion|loss|silencing|inhibition|deficiency|absence|ablation|blockade|"
    r"disruption|inactivation|lack|suppression|down-?regulation|removal"
)
_MORE = r"over-?expression|activation|up-?regulation|administration|addition|ectopic expression|supplementation with"
_NAME = r"(?P<name>(?:the )?[\w\-/α-ωΑ-Ω+]+(?: [\w\-/α-ωΑ-Ω+]+){0,3}?)"
_WHAT = r"(?P<what>(?:the |its )?[\w\-/α-ω+]+(?: [\w\-/α-ω+]+){0,9}?)"
_END = r"(?=[.,;(]| (?:and|but|while|whereas|through|via|by|without|after|when|during|upon|at|as|is) )"
_BETWEEN = (
    r"(?:,? (?:significantly|markedly|strongly|also|further|greatly|substantially|severely|dramatically|completely))?"
)
_SENTENCE = re.compile(
    rf"\b(?P<much>{_LESS}|{_MORE}) (?:of )?{_NAME}{_BETWEEN} (?P<verb>{_DOWN}|{_UP}){_BETWEEN} {_WHAT}{_END}",
    re.IGNORECASE,
)
_NULL = re.compile(
    rf"\b(?P<name>[A-Z][\w\-/α-ω]*?)(?:[- ](?:deficient|null|knockout|depleted)|-/-|\(-/-\)) (?:\w+ ){{1,3}}?"
    rf"(?:had|show(?:ed)?|display(?:ed)?|exhibit(?:ed)?|have) {_BETWEEN.strip()}\s?(?P<verb>reduced|decreased|impaired|"
    rf"lower|diminished|attenuated|fewer|less|increased|enhanced|elevated|higher|more|accelerated) {_WHAT}{_END}"
)
_SMALLER = re.compile(rf"(?:{_DOWN}|lower|fewer|less)$", re.IGNORECASE)
_FEWER = re.compile(rf"(?:{_LESS})$", re.IGNORECASE)
_NO_NAME = re.compile(
    r"\b(?:the|this|these|which|that|both|either|patients?|mice|cells?|animals?|expression|function|its)$|"
    r"\b(?:was|were|is|are|has|had|have|been|only|but|and|also|to|by|profound)\b|^(?:a|an|any|all|such) ",
    re.IGNORECASE,
)
_NO_OBJECT = re.compile(r"\b(?:but|was|were|by|only|significantly)\b|^(?:the|its) \w+$", re.IGNORECASE)
_RAISES = ("promotes", "increases", "supports", "is needed for", "is required for", "contributes to", "enhances")
_LOWERS = ("inhibits", "reduces", "suppresses", "limits", "decreases", "counteracts", "protects against")


def from_needs(sentences: Sequence[str], rng: random.Random) -> Iterator[Pair]:
    """Two or three pairs for each sentence that reports what a loss or a gain does."""
    for place, sentence in enumerate(sentences):
        found = _SENTENCE.search(sentence) or _NULL.search(sentence)
        if found is None or re.search(r"\b(?:not|no|neither|failed|nor)\b", sentence):
            continue
        name, what = found["name"].strip(), found["what"].strip()
        if _NO_NAME.search(name) or len(what) < 6 or _NO_OBJECT.search(what):
            continue
        less = "much" not in found.groupdict() or bool(_FEWER.match(found["much"]))
        raises = less == bool(_SMALLER.match(found["verb"]))  # less of it, less of the other
        premise = joined(around(sentences, place, rng))
        yield _said(premise, name, what, _RAISES, "entails" if raises else "contradicts", rng)
        yield _said(premise, name, what, _LOWERS, "contradicts" if raises else "entails", rng)


def _said(premise: str, name: str, what: str, verbs: Sequence[str], label: Label, rng: random.Random) -> Pair:
    bare = name.removeprefix("the ")
    text = f"{bare} {rng.choice(verbs)} {what.removeprefix('its ')}."
    return Pair(premise, text[:1].upper() + text[1:], label, "need")
