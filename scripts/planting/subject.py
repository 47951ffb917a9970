"""Swaps a subject: another entity of the document replaces it, or two in the sentence change places."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from planting.replacing import replaced

_SHAPES: Mapping[str, re.Pattern[str]] = {
    "symbol": re.compile(
        r"(?<![\w(-])(?=[\w-]*[A-Z0-9]\b)(?:[A-Z]{2,}[\w-]*|[A-Z][a-z]?[A-Z0-9][\w-]*|[A-Z]+-\d+\w*)(?![\w-])"
    ),
    "drug": re.compile(
        r"\b[a-z]{3,}(?:mab|nib|statin|pril|sartan|olol|azole|cillin|mycin|cycline|parin|prazole|oxacin|vir|platin|"
        r"tidine|azepam|dronate|gliptin|glitazone|caine|triptan|setron|taxel|rubicin|formin|phylline|zumab|ximab|"
        r"afil|profen|amine|idine|oxetine|apine|olone|asone|otide|insulin|aspirin|warfarin)\b"
    ),
    "disease": re.compile(
        r"\b(?!diagnosis|prognosis)[a-z]{3,}(?:itis|osis|emia|aemia|oma|pathy|algia|penia|plasia|trophy|asthma|cancer|diabetes|stroke|"
        r"obesity|hypertension|depression|dementia|sepsis)\b"
    ),
    "substance": re.compile(
        r"\b(?!(?:in|de)?crease|phase|disease|release|please|database|base|case)"
        r"[a-z]{3,}(?:ase|globulin|albumin|kinin|leukin|feron|tropin|sterol|glycan|protein|collagen)\b"
    ),
    "tissue": re.compile(
        r"\b(?:liver|kidney|lung|heart|brain|muscle|skin|bone|breast|prostate|colon|spleen|pancreas|retina)\b"
    ),
}  # fmt: skip
_PAIRS = (
    "men women", "boys girls", "male female", "males females", "children adults", "mice rats",
    "patients controls", "cases controls", "mothers fathers", "smokers non-smokers", "left right",
)  # fmt: skip
_OTHER: Mapping[str, str] = {
    word: other for pair in reversed(_PAIRS) for word, other in (tuple(pair.split()), tuple(pair.split()[::-1]))
}
_PAIRED = re.compile(rf"(?<![\w-])(?:{'|'.join(_OTHER)})(?![\w-])", re.IGNORECASE)
_NEED_BOTH = frozenset(("patients", "controls", "cases", "left", "right"))
_ABBREVIATIONS = """
    CI OR RR HR SD SE SEM ANOVA II III IV VI USA UK DNA RNA MRI CT BMI ICU NS OBJECTIVE METHODS RESULTS CONCLUSIONS
    CONCLUSION BACKGROUND DESIGN AND SETTING PATIENTS
"""
_NO_NAMES = frozenset(_ABBREVIATIONS.split())
_PREPOSITION = r"(?:in|with|for|among|by|from|after) (?:the )?"
_SIDES = re.compile(
    rf"\b(?P<one>{_PREPOSITION}[\w-]+(?: [\w-]+){{0,3}}?)"
    r"(?P<between>,? (?:than|compared with|compared to|versus|vs\.?) )"
    rf"(?P<two>{_PREPOSITION}[\w-]+(?: [\w-]+){{0,2}})(?=[,.;)])"
)


def swapped(sentence: str, rng: random.Random, others: Sequence[str]) -> str | None:
    """Replace an entity by another of its kind from the document, or exchange it with another in the sentence."""
    choices = [*_exchanges(sentence), *_exchanged_sides(sentence), *_paired(sentence)]
    for shape in _SHAPES.values():
        here = _names(shape, sentence)
        elsewhere = sorted({name for text in others for name in _names(shape, text)} - set(here))
        choices += [_everywhere(sentence, name, rng.choice(elsewhere)) for name in here if elsewhere]
    return rng.choice(choices) if choices else None


def _names(shape: re.Pattern[str], text: str) -> list[str]:
    return sorted({name for name in shape.findall(text) if name not in _NO_NAMES})


def _everywhere(sentence: str, name: str, new: str) -> str:
    return re.sub(rf"(?<![\w-]){re.escape(name)}(?![\w-])", lambda _: new, sentence)


def _exchanges(sentence: str) -> list[str]:
    """Exchange two names of one shape, unless the words between them are just a list."""
    found = []
    for shape in _SHAPES.values():
        places = [m for m in shape.finditer(sentence) if m[0] not in _NO_NAMES]
        for one, two in pairwise(places):
            between = sentence[one.end() : two.start()]
            if one[0] != two[0] and re.search(r"\b[a-z]{4,}\b.*\b[a-z]+\b", between) and "(" not in between:
                swapped_two = replaced(sentence, two, one[0])
                found.append(replaced(swapped_two, one, two[0]))
    return found


def _exchanged_sides(sentence: str) -> list[str]:
    """Exchange the two sides of a comparison: in A than in B."""
    return [replaced(sentence, m, m["two"] + m["between"] + m["one"]) for m in _SIDES.finditer(sentence)]


def _paired(sentence: str) -> list[str]:
    """Replace the words of each pair by each other: men by women and women by men.

    Patients and controls are only exchanged if a sentence has both.
    """
    found = {match.lower() for match in _PAIRED.findall(sentence)}
    pairs = [word for word in sorted(found) if word not in _NEED_BOTH or _OTHER[word] in found]
    if not pairs:
        return []
    return [_PAIRED.sub(lambda m: _like(_OTHER[m[0].lower()], m[0]) if m[0].lower() in pairs else m[0], sentence)]


def _like(word: str, model: str) -> str:
    return word.capitalize() if model[0].isupper() else word
