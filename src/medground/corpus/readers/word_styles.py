"""How the text of a Word file is set: what its styles say of it, and whether it can be seen."""

from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from typing import TypeAlias

from lxml.etree import _Element as Element

from medground.corpus.readers.xml import name_of

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
VAL = f"{W}val"
Look: TypeAlias = Mapping[str, str]
"""Properties of a text by name: a font has its name, what is only switched on an empty text."""
_BY_STYLE = frozenset(["vanish", "vertAlign", "strike", "dstrike", "rFonts"])
_OFF = (None, "0", "false", "none", "off")
_PLAIN_TABLES = ("", "TableGrid", "TableNormal")
_TINY = 4
"""Size in half points below which text is unreadable."""
_BRIGHT = 240


def value_at(element: Element, path: str) -> str:
    """The value of what is at a path, such as `pPr/pStyle`; empty where there is none."""
    found = element.find("/".join(f"{W}{name}" for name in path.split("/")))
    return "" if found is None else found.get(VAL, "")


def look_of(properties: Element | None) -> Look:
    """The properties that a run or a style has of its own."""
    if properties is None:
        return {}
    named = ((name_of(one), one) for one in properties)
    return {name: one.get(f"{W}ascii", "") if name == "rFonts" else one.get(VAL, "") for name, one in named}


def is_on(look: Look, name: str) -> bool:
    """Whether a property that is switched on or off is on."""
    return look.get(name) not in _OFF


class Styles:
    """The styles of a file."""

    def __init__(self, styles: Element) -> None:
        self._styles = styles
        self.look = lru_cache(maxsize=None)(self._look)

    @cached_property
    def _by_id(self) -> Mapping[str, Element]:
        return {style.get(f"{W}styleId", ""): style for style in self._styles.iterfind(f"{W}style")}

    def name(self, style: str) -> str:
        """What a style is called: `heading 1` in every language."""
        found = self._by_id.get(style)
        return "" if found is None else value_at(found, "name")

    def _look(self, *styles: str) -> Look:
        """What these styles say of a text: that of its paragraph, then its own."""
        found: dict[str, str] = {}
        for style in styles:
            for one in reversed([*self._based_on(style)]):
                found |= look_of(one.find(f"{W}rPr"))
        return {name: value for name, value in found.items() if name in _BY_STYLE}

    def _based_on(self, style: str) -> Iterator[Element]:
        """A style, and those on which it is based."""
        seen = set[str]()
        while style in self._by_id and style not in seen:
            seen.add(style)
            yield self._by_id[style]
            style = value_at(self._by_id[style], "basedOn")


def is_hidden(run: Element, look: Look) -> bool:
    """Whether a run is marked as hidden, or is tiny, or white with nothing dark behind it."""
    if is_on(look, "vanish"):
        return True
    size = look.get("sz", "")
    if size.isdecimal() and int(size) < _TINY:
        return True
    return _is_bright(look.get("color", "")) and not any(_grounds(run, look))


def _grounds(run: Element, look: Look) -> Iterator[bool]:
    """Whether what is behind a run is dark: its own marker, a shaded paragraph, cell or table, a drawn box."""
    yield look.get("highlight") not in (None, "none", "white")
    for outer in (run, *run.iterancestors()):
        name = name_of(outer)
        yield name == "txbxContent"
        for shade in outer.iterfind(f"{W}{name}Pr/{W}shd"):
            yield not _is_bright(shade.get(f"{W}fill", "auto").replace("auto", "FFFFFF"))
        if name == "tbl":
            yield value_at(outer, "tblPr/tblStyle") not in _PLAIN_TABLES


def _is_bright(colour: str) -> bool:
    try:
        return len(colour) == 6 and min(bytes.fromhex(colour)) >= _BRIGHT
    except ValueError:
        return False
