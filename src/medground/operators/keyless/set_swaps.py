"""One word or one number of a finding, exchanged so that the sentence says something else, and reads as before.

A word is exchanged by the opposite word of another finding, which has the same grammatical form. So the words of a
couple of findings stand in right and in wrong options equally often, if it is drawn afterwards which of them are right.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

SwapKind = Literal["direction", "number", "order"]

_FORMS: Mapping[str, tuple[SwapKind, str, str]] = {
    "amount, past": (
        "direction",
        "increased|elevated|raised|heightened|upregulated|augmented",
        "decreased|reduced|lowered|diminished|downregulated|attenuated",
    ),
    "action, past": (
        "direction",
        "promoted|improved|stimulated|activated|enhanced|accelerated|restored",
        "suppressed|inhibited|impaired|blocked|worsened|delayed|disrupted",
    ),
    "present": (
        "direction",
        "increases|promotes|enhances|improves|stimulates|activates|accelerates|induces",
        "decreases|reduces|inhibits|suppresses|attenuates|impairs|blocks|prevents|lowers|disrupts",
    ),
    "infinitive": (
        "direction",
        r"(?<=to )(?:increase|promote|enhance|improve|stimulate|activate|induce)",
        r"(?<=to )(?:decrease|reduce|inhibit|suppress|attenuate|impair|prevent|block)",
    ),
    "gerund": (
        "direction",
        r"(?<=by )(?:increasing|promoting|enhancing|improving|stimulating|activating|inducing)",
        r"(?<=by )(?:decreasing|reducing|inhibiting|suppressing|attenuating|impairing|preventing|blocking)",
    ),
    "noun": (
        "direction",
        r"(?:increase|rise|elevation|improvement)(?= (?:in|of)\b)",
        r"(?:decrease|reduction|decline|fall|impairment)(?= (?:in|of)\b)",
    ),
    "level": (
        "direction",
        r"(?<!or )(?:higher|greater|larger)(?!-)",
        r"(?<!or )(?:lower|smaller)(?!-| (?:\w+ )?(?:extremit|limb|back|leg|body|respirat|urinar|airway|third|lobe))",
    ),
    "more": (
        "direction",
        r"more(?= (?:\w+ly|common|frequent|effective|severe)\b)",
        r"less(?= (?:\w+ly|common|frequent|effective|severe)\b)",
    ),
    "better": ("direction", "better", "worse|poorer"),
    "longer": ("direction", "longer", "shorter"),
    "sign": ("direction", "positively|directly", "negatively|inversely"),
    "order": ("order", "before|prior to|preceding", "after|following"),
    "time": ("order", "earlier|sooner", "later"),
}
"""By form: what it is, then the words of one side and of the other. Verbs that agree with a plural are left out."""
_WORDS = {
    (form, side): re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
    for form, (_, up, down) in _FORMS.items()
    for side, words in ((1, up), (-1, down))
}
NUMBER = re.compile(
    r"(?<![\w.,/±-])(?P<value>\d{1,3}(?:\.\d{1,2})?)(?P<gap>\s?-?)"
    r"(?P<unit>%|percent\b|(?:hour|day|week|month|year)s?\b|fold\b)"
)
"""A plain number with a unit that other papers use too."""
_DIGIT = re.compile(r"(?<![\w-])\d")
_ARTICLE = re.compile(r"\b([Aa])n? $")


@dataclass(frozen=True)
class Place:
    """What can be exchanged in a sentence.

    Attributes:
        kind: what it is.
        start: where it stands.
        end: where it ends.
        written: the word or the number, as it is written.
        form: its grammatical form, or the unit of a number; both sides of an exchange have the same.
        side: 1 or -1 for opposite words, 0 for a number.
    """

    kind: SwapKind
    start: int
    end: int
    written: str
    form: str
    side: int = 0


def place_of(sentence: str, kinds: tuple[SwapKind, ...]) -> Place | None:
    """The one place of these kinds that can be exchanged; None if there is none, or several.

    A sentence with another number beside the place is passed over: it would often show which one was changed.
    """
    digits = len(_DIGIT.findall(sentence))
    for kind in kinds:
        found = list(_numbers(sentence) if kind == "number" else _words(sentence, kind))
        if len(found) == 1 and digits == (kind == "number"):
            return found[0]
    return None


def _numbers(sentence: str) -> list[Place]:
    return [
        Place("number", m.start("value"), m.end("value"), m["value"], _unit(m["unit"]))
        for m in NUMBER.finditer(sentence)
    ]


def _words(sentence: str, kind: SwapKind) -> list[Place]:
    return [
        Place(kind, match.start(), match.end(), match[0], form, side)
        for (form, side), pattern in _WORDS.items()
        if _FORMS[form][0] == kind
        for match in pattern.finditer(sentence)
    ]


def exchanged(sentence: str, place: Place, by: str) -> str:
    """The sentence with another word or number at the place, in the same case and with the article that it needs."""
    word = by[:1].upper() + by[1:] if place.written[:1].isupper() else by[:1].lower() + by[1:]
    before = sentence[: place.start]
    if (article := _ARTICLE.search(before)) is not None and place.kind != "number":
        before = f"{before[: article.start()]}{article[1]}{'n' if word[0].lower() in 'aeiou' else ''} "
    return before + word + sentence[place.end :]


def altered(sentence: str, other: str) -> bool:
    """Whether one sentence becomes the other by one exchange, and they say different things."""
    for kind in _SWAPS:
        one, two = place_of(sentence, (kind,)), place_of(other, (kind,))
        if one is None or two is None or one.form != two.form or not _opposed(one, two):
            continue
        if exchanged(sentence, one, two.written) == other:
            return True
    return False


_SWAPS: tuple[SwapKind, ...] = ("direction", "order", "number")


def _opposed(one: Place, two: Place) -> bool:
    return float(one.written) != float(two.written) if one.kind == "number" else one.side == -two.side


def _unit(written: str) -> str:
    return "%" if written in ("%", "percent") else written.rstrip("s")
