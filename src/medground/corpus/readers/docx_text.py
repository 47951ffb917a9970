"""The words of a Word paragraph: inserted text, no deleted text, exponents with their sign, hidden text apart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from medground.corpus.readers.raised import written

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_VAL = f"{_W}val"
_PLAIN_TABLES = ("", "TableGrid", "TableNormal")
_TINY = 4
"""Size in half points below which nobody can read a text."""
_BRIGHT = 240


def shown(paragraph: Any) -> tuple[str, str]:
    """The text of a paragraph that can be seen, and the text that cannot."""
    parts: list[str] = []
    hidden: list[str] = []
    for node in paragraph.iter():
        name = node.tag.rpartition("}")[2] if isinstance(node.tag, str) else ""
        if name in ("tab", "br", "cr"):
            parts.append(" ")
        elif name == "t" and not any(outer.tag.endswith("}Fallback") for outer in node.iterancestors()):
            run = next(node.iterancestors(f"{_W}r"), None)
            if run is not None and _is_hidden(run):
                hidden.append(node.text or "")
            else:
                raised = run is not None and _value(run, "vertAlign") == "superscript"
                parts.append(written(node.text or "", "".join(parts[-3:])) if raised else node.text or "")
    return " ".join("".join(parts).split()), " ".join("".join(hidden).split())


def _is_hidden(run: Any) -> bool:
    """Whether a run is marked as hidden, or is tiny, or white with nothing dark behind it."""
    if run.find(f"{_W}rPr") is None:
        return False
    if _value(run, "vanish") not in (None, "0", "false"):
        return True
    size = _value(run, "sz") or ""
    if size.isdecimal() and int(size) < _TINY:
        return True
    return _is_bright(_value(run, "color") or "") and not any(_grounds(run))


def _value(run: Any, name: str) -> str | None:
    """The value of a property of a run; empty if it is only switched on, None if it has none."""
    found = run.find(f"{_W}rPr/{_W}{name}")
    return None if found is None else str(found.get(_VAL, ""))


def _grounds(run: Any) -> Iterator[bool]:
    """Whether what is behind a run is dark: its own marker, a shaded paragraph, cell or table, a drawn box."""
    yield _value(run, "highlight") not in (None, "none", "white")
    for outer in (run, *run.iterancestors()):
        name = outer.tag.rpartition("}")[2]
        yield name == "txbxContent"
        for shade in outer.iterfind(f"{_W}{name}Pr/{_W}shd"):
            yield not _is_bright(shade.get(f"{_W}fill", "auto").replace("auto", "FFFFFF"))
        if name == "tbl":
            style = outer.find(f"{_W}tblPr/{_W}tblStyle")
            yield style is not None and style.get(_VAL, "") not in _PLAIN_TABLES


def _is_bright(colour: str) -> bool:
    try:
        return len(colour) == 6 and min(bytes.fromhex(colour)) >= _BRIGHT
    except ValueError:
        return False
