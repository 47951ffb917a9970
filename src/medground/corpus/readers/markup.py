"""Markup that exporters leave inside a title or an abstract: tags of HTML and JATS, and entities."""

from __future__ import annotations

import html
import re

_RAISED = re.compile(r"(?<=\d)<(?:jats:)?sup>\s*(?=[-+\u2212\u2013]?\d)", re.IGNORECASE)
_WITHIN = re.compile(
    r"</?(?:jats:)?(?:i|b|em|strong|su[bp]|span|italic|bold|underline|sc|scp|inf)(?:\s[^<>]{0,200})?/?>", re.I
)
_BETWEEN = re.compile(r"</?(?:jats:[\w-]{1,30}|p|br|div|h[1-6]|sec|title|list|ul|ol|li)(?:\s[^<>]{0,200})?/?>", re.I)
_ENTITY = re.compile(r"&(?:#\d{2,6}|#x[0-9a-f]{2,5}|[a-z]{2,8}\d{0,2});", re.IGNORECASE)


def unmarked(text: str) -> str:
    """The text without tags, and with its entities resolved; `10<sup>6</sup>` becomes `10^6`, as in our XML."""
    if "&" in text:
        text = _ENTITY.sub(lambda found: html.unescape(found[0]), text)
    if "<" not in text:
        return text
    text = _WITHIN.sub("", _RAISED.sub("^", text))
    return " ".join(_BETWEEN.sub(" ", text).split()) if _BETWEEN.search(text) else text
