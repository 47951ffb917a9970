"""Formulas of Word (OMML) on one line, as print has them: `3/8`, `10^-3`, `√(x+1)`, `∑_(i=1)^n x`."""

from collections.abc import Callable, Mapping

from lxml.etree import _Element as Element

from medground.corpus.readers.latex import fenced
from medground.corpus.readers.xml import name_of

_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
NOT_PRINTED = frozenset(
    ["del", "moveFrom", "delText", "instrText", "delInstrText", "Fallback", "rPr", "pPr", "sdtPr", "tblPr", "sectPr"]
)
"""What is deleted, moved away, or says how something is set."""


def formula_text(formula: Element) -> str:
    """The text of a formula, or of a part of one."""
    name = name_of(formula)
    if name in _WRITTEN:
        return _WRITTEN[name](formula)
    if name == "t":
        return formula.text or ""
    return "".join(formula_text(part) for part in formula if name_of(part) not in NOT_PRINTED)


def _part(formula: Element, name: str) -> str:
    found = formula.find(f"{_MATH}{name}")
    return "" if found is None else formula_text(found)


def _sign(formula: Element, name: str, usual: str) -> str:
    """A sign that the properties of a formula name, such as the bracket that opens it."""
    found = formula.find(f"{_MATH}{name_of(formula)}Pr/{_MATH}{name}")
    return usual if found is None else found.get(f"{_MATH}val", "")


def _lowered(part: str, before: str) -> str:
    """An index; two numbers beside each other would be another number."""
    signed = len(part) > 1 and not part.isalnum()
    return f"_({part})" if signed else f"_{part}" if before[-1:].isdigit() and part else part


def _raised(part: str) -> str:
    """A power; a prime or an asterisk has no sign before it."""
    return f"^{fenced(part)}" if any(map(str.isalnum, part)) else part


def _fraction(formula: Element) -> str:
    over, under = fenced(_part(formula, "num")), fenced(_part(formula, "den"))
    return f"({over} over {under})" if _sign(formula, "type", "bar") == "noBar" else f"{over}/{under}"


def _scripts(formula: Element) -> str:
    base = _part(formula, "e")
    base = fenced(base) if name_of(formula) != "sSub" else base
    return base + _lowered(_part(formula, "sub"), base) + _raised(_part(formula, "sup"))


def _scripts_before(formula: Element) -> str:
    return _raised(_part(formula, "sup")) + _lowered(_part(formula, "sub"), "0") + _part(formula, "e")


def _root(formula: Element) -> str:
    degree, base = _part(formula, "deg"), fenced(_part(formula, "e"))
    return f"{base}^(1/{degree})" if degree else f"√{base}"


def _limits(formula: Element) -> str:
    """A sum, an integral or the like: its sign, its limits, and what stands after it."""
    limits = _lowered(_part(formula, "sub"), "0") + _raised(_part(formula, "sup"))
    return f"{_sign(formula, 'chr', '∫')}{limits} {_part(formula, 'e')}"


def _brackets(formula: Element) -> str:
    inside = _sign(formula, "sepChr", "|").join(map(formula_text, formula.iterfind(f"{_MATH}e")))
    return _sign(formula, "begChr", "(") + inside + _sign(formula, "endChr", ")")


def _rows(formula: Element) -> str:
    """A matrix, or several equations over each other."""
    rows = formula.findall(f"{_MATH}mr") or formula.findall(f"{_MATH}e")
    return "; ".join(", ".join(map(formula_text, row)) if name_of(row) == "mr" else formula_text(row) for row in rows)


_WRITTEN: Mapping[str, Callable[[Element], str]] = {
    "f": _fraction,
    **dict.fromkeys(("sSup", "sSub", "sSubSup"), _scripts),
    "sPre": _scripts_before,
    "rad": _root,
    "nary": _limits,
    "d": _brackets,
    "func": lambda formula: f"{_part(formula, 'fName')} {_part(formula, 'e')}",
    "limLow": lambda formula: _part(formula, "e") + _lowered(_part(formula, "lim"), "0"),
    "limUpp": lambda formula: _part(formula, "e") + _raised(_part(formula, "lim")),
    "acc": lambda formula: _part(formula, "e") + _sign(formula, "chr", "\u0302"),
    "bar": lambda formula: _part(formula, "e") + "\u0304",
    "m": _rows,
    "eqArr": _rows,
}
