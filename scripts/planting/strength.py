"""Strengthens a claim: `may be` becomes `is`, `associated` becomes `causes`, `suggested` becomes `proven`."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

from planting.inflection import plural, third
from planting.replacing import replaced

Rule = tuple[re.Pattern[str], Callable[[re.Match[str], str], str]]
"""A pattern, and a function that returns the replacement for a match and the text before it."""


def _agreeing(verb: str, before: str) -> str:
    """A present-tense verb that agrees with the subject at the end of the text before it; plural after `and`."""
    words = before.split()
    many = (
        bool(words and plural(words[-1]))
        or " and " in before[-40:]
        or bool(re.search(r"\b(?:that|which)$", before.rstrip()) and len(words) > 1 and plural(words[-2]))
    )
    if verb == "be":
        return "are" if many else "is"
    return ("have" if verb == "have" else verb) if many else third(verb)


_PRESENT = re.compile(
    r"\b(?:may|might|could) (?:(?:also|thus|therefore|possibly|potentially|partly|even) )?"
    r"(?!not\b|no\b|or\b|only\b|well\b|still\b)([a-z]+)(?= )"
)
_LEVEL = r"((?:significantly |independently |positively |strongly |also )?)"


_PROVING = {"e": "prove", "es": "proves", "ed": "proved", "ing": "proving"}


def _proving(match: re.Match[str], _: str) -> str:
    ending = re.sub(r"^(?:suggest|indicat)", "", match[1])
    return _PROVING[{"": "e", "s": "es"}.get(ending, ending)]


RULES: Sequence[Rule] = (
    (_PRESENT, lambda m, before: _agreeing(m[1], before)),
    (re.compile(r"\b(?:appears?|seems?) to ([a-z]+)\b"), lambda m, before: _agreeing(m[1], before)),
    (re.compile(r"\b(?:appeared|seemed) to be\b"), lambda _, before: "were" if plural(before) else "was"),
    (re.compile(r"\b(?:tended|trended) to be\b"), lambda _, before: "were" if plural(before) else "was"),
    (
        re.compile(rf"\b(was|were|is|are) {_LEVEL}associated with\b"),
        lambda m, _: m[2] + {"is": "causes", "are": "cause"}.get(m[1], "caused"),
    ),
    (
        re.compile(r"\bassociated with (?=(?:an? )?(?:increased|decreased|higher|lower|reduced|greater))"),
        lambda _, __: "responsible for ",
    ),
    (re.compile(rf"\b(?:was|were) {_LEVEL}(?:correlated with|linked to|related to)\b"), lambda m, _: f"{m[1]}led to"),
    (
        re.compile(rf"\b(is|are) {_LEVEL}(?:correlated with|linked to|related to)\b"),
        lambda m, _: m[2] + ("causes" if m[1] == "is" else "cause"),
    ),
    (
        re.compile(r"\b([Aa])n? (?:independent |major |important |significant )?risk factor for\b"),
        lambda m, _: f"{m[1]} cause of",
    ),
    (re.compile(r"\b(suggest|suggests|suggested|suggesting)(?= (?:that|the|an?)\b)"), _proving),
    (re.compile(r"\b(indicate|indicates|indicated|indicating)(?= that\b)"), _proving),
    (re.compile(r"\b(?:possibly|potentially|probably|perhaps|presumably) (?=[a-z])"), lambda _, __: ""),
    (re.compile(r"\b(?:is|are) likely to (?=[a-z]+)"), lambda _, __: "will "),
    (
        re.compile(
            r"\b(?:possible|potential|putative)(?= (?:role|mechanism|target|cause|benefit|treatment|therap|effect))"
        ),
        lambda _, __: "proven",
    ),
)


def strengthened(sentence: str, rng: random.Random, _: Sequence[str]) -> str | None:
    """The sentence with one of its hedges turned into a certainty, or an association into a cause."""
    found = [
        (match, change(match, sentence[: match.start()]))
        for pattern, change in RULES
        for match in pattern.finditer(sentence)
        if not re.search(r"\b(?:and|or|but|then)\s$", sentence[: match.start()])
    ]
    return replaced(sentence, *rng.choice(found)) if found else None
