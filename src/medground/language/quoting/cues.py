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

NOT_PROSE = re.compile(
    r"https?://|www\.|\bdoi\b|@\w+\.|\bcopyright\b|©|\blicen[sc]e\b|creative commons|all rights reserved|"
    r"correspond(?:ing author|ence)|\bet al\.?,? \d{4}|\bISSN\b|\bPMC?ID\b|^\W*(?:fig(?:ure)?|table|box|scheme|"
    r"supplementary|additional file)s?\.?\s*\w{1,4}\b|\b(?:university|department of|institute of|"
    r"faculty of)\b.*\b(?:university|hospital|school|china|usa|japan|india|germany)\b|\b(?:conflicts? of interest|"
    r"competing interests?|funding|acknowledg\w+|author contributions?|ethics approval)\b|"
    r"^\W*(?:\[?\d{1,3}\]?[.)]?\s+)?(?:[A-Z][\w'-]+ [A-Z]{1,3}[,;] ?){2,}",
    _I,
)
"""Front matter, references, legends and links: not quoted, except where nothing else is there."""
