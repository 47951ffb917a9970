"""Flips a negation: negates an assertion, or removes a negation."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence

from planting.inflection import base, past, third
from planting.replacing import replaced

_DENIALS: Sequence[tuple[re.Pattern[str], Callable[[re.Match[str]], str]]] = (
    (re.compile(r"\bdid not ((?:significantly |substantially |markedly )?)([a-z]+)"), lambda m: m[1] + past(m[2])),
    (re.compile(r"\bdo not (?=[a-z])"), lambda _: ""),
    (re.compile(r"\bdoes not ((?:significantly |substantially )?)([a-z]+)"), lambda m: m[1] + third(m[2])),
    (re.compile(r"\b(was|were|is|are|has|have|had|can|could|may|might|should|would|will|must) not\b"), lambda m: m[1]),
    (re.compile(r"\bcannot\b"), lambda _: "can"),
    (
        re.compile(
            r"\b([Nn])o (?=(?:significant|statistically|clinically|apparent|clear) [a-z ]{0,30}?"
            r"(?:difference|change|effect|association|correlation|relationship|interaction|increase|decrease|"
            r"improvement|reduction|impact|influence|evidence)\b)"
        ),
        lambda m: "A " if m[1] == "N" else "a ",
    ),
    (
        re.compile(
            r"\b[Nn]o (?=(?:[a-z-]+ ){0,4}(?:differences|changes|effects|associations|correlations|patients)\b)"
        ),
        lambda m: "Some " if m[0][0] == "N" else "some ",
    ),
    (
        re.compile(r"\b[Nn]o (?=(?:evidence|difference|change|effect|association|correlation|increase|decrease)\b)"),
        lambda m: "A clear " if m[0][0] == "N" else "a clear ",
    ),
    (re.compile(r"\bfailed to ([a-z]+)"), lambda m: past(m[1])),
    (re.compile(r"\bwithout (?=[a-z])"), lambda _: "with "),
)
_VERBS = (
    "show|demonstrate|reveal|reduce|improve|increase|decrease|predict|affect|influence|inhibit|prevent|enhance|"
    "suggest|indicate|support|confirm|lead|result|induce|cause|contribute|correlate|differ|appear|provide|require|"
    "suppress|promote|block|abolish|protect|express|play|remain|represent|occur|develop|produce"
)
_PASTS = "|".join(past(verb) for verb in _VERBS.split("|"))
_ASSERTIONS: Sequence[tuple[re.Pattern[str], Callable[[re.Match[str]], str]]] = (
    (re.compile(r"\b(was|were|is|are|could|may|might|should|would|will|must)\b(?! (?:not|no|never|neither)\b)"),
     lambda m: f"{m[1]} not"),
    (re.compile(r"\b(has|have|had)(?= (?:[a-z]+ly )?(?:been|shown|become|led|[a-z]+ed)\b)"), lambda m: f"{m[1]} not"),
    (re.compile(r"\bcan(?= [a-z])"), lambda _: "cannot"),
    (re.compile(rf"(?<=\bwe )({_PASTS})\b|(?<=\bresults )({_PASTS})\b|(?<=\bfindings )({_PASTS})\b"),
     lambda m: f"did not {base(m[0])}"),
    (re.compile(r"(?<=\bresults )(suggest|indicate|show|demonstrate|support|confirm)\b|"
                r"(?<=\bfindings )(suggest|indicate|show|demonstrate|support|confirm)\b|"
                r"(?<=\bdata )(suggest|indicate|show|demonstrate|support|confirm)\b"), lambda m: f"do not {m[0]}"),
    (re.compile(r"\bsignificantly (increased|reduced|improved|decreased|enhanced|affected|inhibited|predicted)"
                r"(?= (?:the|in|with|after|from|their|both|all|survival|mortality)\b)"),
     lambda m: f"did not significantly {base(m[1])}"),
)  # fmt: skip
_BEFORE_AUXILIARY = re.compile(r"\b(?:whether|if|as|than|how|what|why|not)\s+(?:\w+\s+){0,2}$", re.IGNORECASE)


def negated(sentence: str, rng: random.Random, _: Sequence[str]) -> str | None:
    """Remove a negation if the sentence has one that can be removed; otherwise negate an assertion."""
    if re.search(r"\bwhether\b", sentence):
        return None
    found = list(_matches(_DENIALS, sentence))
    if not found:
        if re.search(r"\b(?:no|not|nor|never|neither|cannot|without)\b", sentence, re.IGNORECASE):
            return None
        found = [f for f in _matches(_ASSERTIONS, sentence) if not _BEFORE_AUXILIARY.search(sentence[: f[0].start()])]
    return replaced(sentence, *rng.choice(found)) if found else None


def _matches(
    rules: Sequence[tuple[re.Pattern[str], Callable[[re.Match[str]], str]]], sentence: str
) -> Iterator[tuple[re.Match[str], str]]:
    for pattern, change in rules:
        for match in pattern.finditer(sentence):
            yield match, change(match)
