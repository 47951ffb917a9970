"""HTML and SVG from values. All text is escaped; only what this module creates, and Jinja2, is markup."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from markupsafe import Markup

from medground.language.clean import clean

__all__ = ["Markup", "Part", "element", "joined"]

_VOID = frozenset({"meta", "br", "col", "img", "input", "circle", "line", "rect", "path"})


Part = str | Markup | int | float | None


def element(tag: str, *parts: Part | Iterable[Part], **attributes: str | int | float | bool | None) -> Markup:
    """One element. `class_` becomes `class`, and `_` in names becomes `-`; None and False omit an attribute."""
    named = "".join(_attribute(name, value) for name, value in attributes.items() if value not in (None, False))
    if tag in _VOID:
        written = f"<{tag}{named}>" if tag in ("meta", "br", "col", "img", "input") else f"<{tag}{named}/>"
    else:
        written = f"<{tag}{named}>{joined(parts)}</{tag}>"
    return Markup(written)  # noqa: S704 (all that is in it is escaped)


def joined(parts: Iterable[Part | Iterable[Part]]) -> Markup:
    """The parts joined together, with texts escaped."""
    return Markup("".join(_text(part) for part in parts))  # noqa: S704 (each is escaped)


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
