"""The cues of one sentence alone: its role, and the kinds of answer it could hold."""

from __future__ import annotations

import re

from medground.language.word_lists import forms

# Cues of one sentence alone: its form, its role, and the kinds of answer it could hold.

_I = re.IGNORECASE

ROLES = forms("roles")
"""What a sentence does in its paper."""

HOLDS = forms("holds")
"""By kind of question (`question_kinds.KINDS`): whether a sentence holds something of the kind."""

_HEADED = re.compile(
    r"\W*(?:fig(?:ure)?|table|box|scheme|supplementary|additional file)s?\.?\s*\w{1,4}\b|"
    r"\W*(?:\[?\d{1,3}\]?[.)]?\s+)?(?:[A-Z][\w'-]+ [A-Z]{1,3}[,;] ?){2,}",
    _I,
)
_PRINTED = re.compile(
    r"https?://|www\.|\bdoi\b|@\w+\.|\bcopyright\b|©|\blicen[sc]e\b|creative commons|all rights reserved|"
    r"correspond(?:ing author|ence)|\bet al\.?,? \d{4}|\bISSN\b|\bPMC?ID\b|\b(?:university|department of|institute of|"
    r"faculty of)\b.*\b(?:university|hospital|school|china|usa|japan|india|germany)\b|\b(?:conflicts? of interest|"
    r"competing interests?|funding|acknowledg\w+|author contributions?|ethics approval)\b",
    _I,
)
_HINTS = (
    *("http", "www", "doi", "@", "copy", "©", "licen", "creative", "rights", "correspond", "et al", "issn", "pm"),
    *(
        "university",
        "department of",
        "institute of",
        "faculty of",
        "interest",
        "funding",
        "acknowl",
        "author",
        "ethics",
    ),
)
"""What `_PRINTED` finds has one of these in small letters: looking for them first is faster."""


def is_printed_around(text: str) -> bool:
    """Whether it is front matter, a reference, a legend or a link: not quoted, except where nothing else is there."""
    small = text.lower()
    found = any(hint in small for hint in _HINTS) and _PRINTED.search(text)
    return bool(found or _HEADED.match(text))
