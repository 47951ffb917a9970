"""Text of a page that nobody sees: taken out before anything is read. Style sheets are not read, only the tags' own."""

from __future__ import annotations

import re
from typing import Any

_HIDDEN = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(?:\.0\d*)?\s*(?:;|!|$)|"
    r"font-size\s*:\s*0*[01]?(?:\.\d+)?\s*(?:px|pt)?\s*(?:;|!|$)|text-indent\s*:\s*-\d{3,}|"
    r"(?:left|top)\s*:\s*-\d{3,}",
    re.IGNORECASE,
)
_WHITE = re.compile(
    r"(?<![\w-])color\s*:\s*(?:white|#f{3}(?:f{3})?\b|rgba?\(\s*255\s*,\s*255\s*,\s*255)", re.IGNORECASE
)
_GROUND = re.compile(r"background(?:-color)?\s*:\s*(?!white|#f{3}(?:f{3})?\b|none|transparent|inherit)", re.IGNORECASE)


def take_out_hidden(tree: Any) -> list[str]:
    """Remove the elements that cannot be seen; returns their texts."""
    hidden = [element for element in tree.iter() if isinstance(element.tag, str) and _is_hidden(element)]
    texts = []
    for element in hidden:
        if element.getparent() is not None and element.tag not in ("html", "body", "head"):
            texts.append(" ".join("".join(element.itertext()).split()))
            element.drop_tree()
    return [text for text in texts if text]


def _is_hidden(element: Any) -> bool:
    if element.get("hidden") is not None:
        return True
    style = element.get("style") or ""
    return bool(_HIDDEN.search(style)) or (bool(_WHITE.search(style)) and not _has_ground(element))


def _has_ground(element: Any) -> bool:
    return any(
        _GROUND.search(outer.get("style") or "") or outer.get("bgcolor") or outer.get("class")
        for outer in (element, *element.iterancestors())
    )
