"""HTML and SVG from values. All text is escaped; only what this module creates is markup."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from medground.text.clean import clean

_VOID = frozenset({"meta", "br", "col", "img", "input", "circle", "line", "rect", "path"})


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


Part = str | Markup | int | float | None


def element(tag: str, *parts: Part | Iterable[Part], **attributes: str | int | float | bool | None) -> Markup:
    """One element. `class_` becomes `class`, and `_` in names becomes `-`; None and False omit an attribute."""
    named = "".join(_attribute(name, value) for name, value in attributes.items() if value not in (None, False))
    if tag in _VOID:
        return Markup(f"<{tag}{named}>" if tag in ("meta", "br", "col", "img", "input") else f"<{tag}{named}/>")
    return Markup(f"<{tag}{named}>{joined(parts)}</{tag}>")


def joined(parts: Iterable[Part | Iterable[Part]]) -> Markup:
    """The parts joined together, with texts escaped."""
    return Markup("".join(_text(part) for part in parts))


def _text(part: Part | Iterable[Part]) -> str:
    if part is None:
        return ""
    if isinstance(part, Markup):
        return part
    if isinstance(part, (str, int, float)):
        return escape(clean(str(part)), quote=True)
    return joined(part)


def _attribute(name: str, value: str | int | float | bool | None) -> str:
    written = name.rstrip("_").replace("_", "-")
    return f" {written}" if value is True else f' {written}="{escape(clean(str(value)), quote=True)}"'
