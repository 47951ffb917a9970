"""The words around the numbers of a sentence (`slots`): where those of one number end, and names in a list."""

from __future__ import annotations

import re

from medground.text import words

CONTRAST = re.compile(r"\b(?:than|vs\.?|versus|compared (?:with|to)|relative to|against)(?!\w)", re.IGNORECASE)
_STRONG = re.compile(r";|\b(?:whereas|while|but)\b", re.IGNORECASE)
_WEAK = re.compile(
    r"[,:]|\b(?:and|(?-i:or)|against|than|vs\.?|versus|compared (?:with|to)|to|followed by)(?!\w)", re.IGNORECASE
)
_HEAD = re.compile(r"[(;]")
PART = re.compile(r"[(;,]|\bthat\b")
AFTER = re.compile(r"\s*\)?\s*(?:in|for|with|on|among|after|at|during|by|under|without|when|from)\b", re.IGNORECASE)
_LISTED = re.compile(
    r",\s*(?:and|or)\b|,|\b(?:and|(?-i:or)|than|vs\.?|versus|compared (?:with|to)|against)(?!\w)", re.IGNORECASE
)
_LABEL = re.compile(
    r"\b(?i:groups?|arms?|exons?|cohorts?|grades?|levels?|stages?|types?) (\d{1,2}|[IVX]{1,3})\b|"
    r"(?<=[\s/(])([A-Z])\b(?!\.\s?[A-Z])"
)
_OPENING = re.compile(
    r"[\s,;:)\].]*(?:than\b|(?=(?:in|for|with|on|among|after|at|during|by|under|without)\b))", re.IGNORECASE
)
"""Marks before words that still belong to the number before them."""
VERB = re.compile(
    r"\b(?:had|have|has|was|were|is|are|did|might|may|will|achieved|obtained|received|developed|showed|occurred|died|"
    r"experienced|reported|completed|reached|resulting)\b",
    re.IGNORECASE,
)
"""What comes after a name and its verb is said of all names."""
_NOT = re.compile(r"\b(?:without|no|non|not)\b", re.IGNORECASE)
_NAME_WORDS = 6
"""Most words of a name in a list."""
_SAYING = """
    respectively compared group patients overall arm subjects participants mean median significantly significant
    increased lower higher more less greater rate rates number among received found showed used observed
"""
_EMPTY = frozenset(map(words.stem, _SAYING.split()))
"""Stems that tell no number from another."""


def names(text: str, count: int, *, last: bool) -> list[frozenset[str]]:
    """The parts of a list of so many names, or the sides of a contrast; empty if there is none that differ."""
    cuts = list((CONTRAST if count == 2 and CONTRAST.search(text) else _LISTED).finditer(text))
    cuts = cuts[-(count - 1) :] if last else cuts[: count - 1]
    if len(cuts) < count - 1:
        return []
    ends = [0, *(cut.end() for cut in cuts)], [*(cut.start() for cut in cuts), len(text)]
    parts = [text[start:end] for start, end in zip(*ends, strict=True)]
    heads = [" " + VERB.split(_HEAD.split(part.strip(" (,;"))[0])[0] for part in parts[1:]]
    named = [stems(parts[0], last=_NAME_WORDS), *(stems(head, first=_NAME_WORDS) for head in heads)]
    told = [name - frozenset().union(*named[:n], *named[n + 1 :]) for n, name in enumerate(named)]
    return told if all(told) else []


def shared_out(gap: str) -> tuple[str, str]:
    """The words between two numbers that belong to the first one, and those that belong to the second."""
    opening = _OPENING.match(gap)
    for pattern, which in ((_STRONG, 0), (CONTRAST, -1), (_WEAK, 0)):
        cuts = [cut for cut in pattern.finditer(gap, opening.end() if opening else 0) if not _is_aside(gap, cut)]
        if not cuts:
            continue
        if not stems(gap[: cuts[0].start()]):
            return "", gap[cuts[0].end() :]
        if not stems(gap[cuts[-1].end() :]):
            return gap[: cuts[-1].start()], ""
        return gap[: cuts[which].start()], gap[cuts[which].end() :]
    return gap, gap


def _is_aside(gap: str, cut: re.Match[str]) -> bool:
    """Whether a semicolon is inside brackets that open in the gap, and so parts no two numbers."""
    before = gap[: cut.start()]
    return cut[0] == ";" and before.rfind("(") > before.rfind(")")


def stems(text: str, *, first: int | None = None, last: int | None = None) -> frozenset[str]:
    """The stems of a text's content words and labels such as the B of `group B`; of so many words at one end only."""
    labels = [f"label {(one or other).lower()}" for one, other in _LABEL.findall(text)]
    found = [stem for stem in words.terms(text) if not stem[0].isdigit() and stem not in _EMPTY]
    kept = found[:first] if first else found[-last:] if last else found
    return frozenset((*kept, *labels, *(["not"] if _NOT.search(text) else ())))
