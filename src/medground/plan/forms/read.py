"""Which text a planner wrote for which source."""

from __future__ import annotations

import re
from html import unescape

from medground.plan.forms.base import Names, Written
from medground.plan.forms.lines import from_lines
from medground.plan.forms.objects import from_json
from medground.plan.forms.tags import from_tags, names_a_source

_END_OF_THOUGHT = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_FENCE = re.compile(r"^[ \t]*```.*$", re.MULTILINE)
LONGEST_TEXT = 100_000
"""Longest text in characters that is read."""


def written_parts(text: str, names: Names) -> Written:
    """What a text holds for each source, after the thoughts of a model that writes them first."""
    found = Written()
    text = _END_OF_THOUGHT.split(text)[-1]
    if len(text) > LONGEST_TEXT:
        found.note("too long", "", text)
        text = text[:LONGEST_TEXT]
    bare = _FENCE.sub("", text)
    if bare != text:
        found.note("other form", "", "```")
    if not names_a_source(bare, names) and "&lt;" in bare:
        bare = unescape(bare)
        found.note("other form", "", "&lt;")
    if names_a_source(bare, names):
        from_tags(bare, names, found)
        return found
    for form in (from_json, from_lines):
        if form(bare, names, found):
            return found
    found.note("nothing read", "", " ".join(text.split()))
    return found
