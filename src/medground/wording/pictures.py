"""Pictures of a report: files that outputs may embed, because they can neither run nor load anything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from medground.report import Attachment
from medground.wording.blocks import Picture

Files = Callable[[Attachment], bytes]
"""Reads a file of a report. Raises UsageError where it is gone."""

_PNG = b"\x89PNG\r\n\x1a\n"
_SVG = "http://www.w3.org/2000/svg"
_ACTIVE = ("script", "foreignObject", "image", "feImage", "a", "set", "animate", "animateTransform", "handler")
"""Elements that run, load or move something."""
_LONGEST = 8_000_000


def picture(content: bytes, media_type: str) -> Picture | None:
    """A file as a picture; None if it is no picture, or one that could run or load something."""
    if media_type == "image/png" and content.startswith(_PNG) and len(content) <= _LONGEST:
        return Picture(content, media_type)
    if media_type == "image/svg+xml" and len(content) <= _LONGEST and _is_still(content):
        return Picture(content, media_type)
    return None


def _is_still(content: bytes) -> bool:
    """Whether an SVG file only draws."""
    from lxml import etree  # only where there is a picture

    if b"<!ENTITY" in content:
        return False
    try:
        root = etree.fromstring(content, etree.XMLParser(resolve_entities=False, no_network=True))
    except etree.XMLSyntaxError:
        return False
    if root.tag not in ("svg", f"{{{_SVG}}}svg"):
        return False
    return all(_only_draws(element) for element in root.iter())


def _only_draws(element: Any) -> bool:
    from lxml import etree

    if not isinstance(element.tag, str):
        return isinstance(element, etree._Comment)
    if etree.QName(element).localname in _ACTIVE:
        return False
    for name, value in element.attrib.items():
        local, told = etree.QName(name).localname.lower(), "".join(value.split()).lower()
        if local.startswith("on") or (local in ("href", "src") and not told.startswith("#")) or _loads(told):
            return False
    return not _loads("".join((element.text or "").split()).lower())


def _loads(told: str) -> bool:
    """Whether a style or an attribute loads something from elsewhere."""
    return "@import" in told or told.count("url(") != told.count("url(#")
