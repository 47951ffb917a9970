"""Reverses a direction: up for down, better for worse."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence

from planting.replacing import replaced

_OPPOSITES = (
    "increase decrease", "increases decreases", "increased decreased", "increasing decreasing", "higher lower",
    "greater smaller", "larger smaller", "longer shorter", "better worse", "improved worsened", "improves worsens",
    "improvement worsening", "improve worsen", "reduced increased", "reduces increases", "reduction increase",
    "elevated reduced", "upregulated downregulated", "up-regulated down-regulated", "upregulation downregulation",
    "enhanced impaired", "enhances impairs", "enhance impair", "promotes inhibits", "promote inhibit",
    "promoted inhibited", "inhibits activates", "inhibited activated", "inhibition activation",
    "suppressed stimulated", "suppresses stimulates", "suppress stimulate", "faster slower", "positive negative",
    "positively negatively", "superior inferior", "lowered raised", "decline rise", "stronger weaker",
    "more less", "inversely directly", "beneficial harmful", "fewer more", "worsened improved", "older younger",
)  # fmt: skip
_OPPOSITE: Mapping[str, str] = {
    word: other for pair in reversed(_OPPOSITES) for word, other in (tuple(pair.split()), tuple(pair.split()[::-1]))
}
_DIRECTION = re.compile(rf"\b(?<!-)(?:{'|'.join(sorted(_OPPOSITE, key=len, reverse=True))})\b(?!-)", re.IGNORECASE)
_NO_WAY = re.compile(r"^(?:more|less) than \w*\d|^(?:positive|negative) (?:for|cells|patients|control)", re.IGNORECASE)


def reversed_direction(sentence: str, rng: random.Random, _: Sequence[str]) -> str | None:
    """Replace a direction by its opposite."""
    found = [m for m in _DIRECTION.finditer(sentence) if not _NO_WAY.match(sentence[m.start() :])]
    if not found:
        return None
    match = rng.choice(found)
    new = _OPPOSITE[match[0].lower()]
    return replaced(sentence, match, new.capitalize() if match[0][0].isupper() else new)
