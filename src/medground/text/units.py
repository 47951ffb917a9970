"""Units of measurement in one form each: `mcg`, `µg` and `micrograms` are one, `per cent` is `%`."""

from __future__ import annotations

import re
from collections.abc import Mapping

PERCENT, POINTS, PERCENTAGE_POINTS, COUNT = "%", "points", "percentage points", "people"
TIMES = frozenset(("second", "minute", "hour", "day", "week", "month", "year"))

_SPELLED: Mapping[str, str] = {
    PERCENT: "% percent pct percentage",
    POINTS: "point points pts",
    "fold": "fold folds",
    "kg": "kg kgs kilogram kilograms",
    "g": "g gm gms gram grams",
    "mg": "mg mgs milligram milligrams",
    "μg": "μg mcg ug microgram micrograms",
    "ng": "ng nanogram nanograms",
    "pg": "pg picogram picograms",
    "l": "l liter liters litre litres",
    "dl": "dl deciliter deciliters decilitre decilitres",
    "ml": "ml mls cc milliliter milliliters millilitre millilitres",
    "μl": "μl ul microliter microliters microlitre microlitres",
    "mol": "mol mole moles",
    "mmol": "mmol mmols millimole millimoles",
    "μmol": "μmol umol micromole micromoles",
    "nmol": "nmol nanomole nanomoles",
    "pmol": "pmol picomole picomoles",
    "meq": "meq",
    "km": "km kilometer kilometers kilometre kilometres",
    "m": "m meter meters metre metres",
    "cm": "cm centimeter centimeters centimetre centimetres",
    "mm": "mm millimeter millimeters millimetre millimetres",
    "μm": "μm um micrometer micrometers micrometre micrometres micron microns",
    "nm": "nm nanometer nanometers nanometre nanometres",
    "cm2": "cm2",
    "mm2": "mm2",
    "m2": "m2",
    "cm3": "cm3",
    "mm3": "mm3",
    "mmHg": "mmhg",
    "kPa": "kpa",
    "ms": "ms msec msecs millisecond milliseconds",
    "second": "s sec secs second seconds",
    "minute": "min mins minute minutes",
    "hour": "h hr hrs hour hours",
    "day": "d day days",
    "week": "w wk wks week weeks",
    "month": "mo mos month months",
    "year": "y yr yrs year years",
    "U": "u unit units",
    "IU": "iu ius",
    "Hz": "hz",
    "bpm": "bpm",
    "kcal": "kcal kcals",
    "kJ": "kj",
    "Gy": "gy",
    "V": "v volt volts",
    "mA": "ma",
    "°C": "°c",
    "kb": "kb",
    "bp": "bp",
    "copies": "copies",
    "cells": "cells",
    "episodes": "episode episodes",
    "person-year": "person-years patient-years child-years person-year patient-year child-year",
    COUNT: """patient patients participant participants subject subjects women men woman man people person persons child
        children adult adults infant infants neonate neonates newborn newborns volunteer volunteers individual
        individuals boy boys girl girls student students case cases control controls mothers pairs eyes mice rats
        animals recipients residents veterans nurses physicians respondents""",
}
_NAMES: Mapping[str, str] = {word: unit for unit, spelled in _SPELLED.items() for word in spelled.split()}
_CASED: Mapping[str, str] = {"M": "mol/l", "mM": "mmol/l", "μM": "μmol/l", "uM": "μmol/l", "nM": "nmol/l"}
"""Units that only their case tells from another; a lone capital letter is otherwise a name."""

_POINTS = re.compile(r"[\s-]?(?:(?:%|percent(?:age)?|per cent)[\s-]?points?|pp)\b", re.IGNORECASE)
_PER_CENT = re.compile(r"[\s-]?(?:%|per ?cent\b)", re.IGNORECASE)
_MMHG = re.compile(r"[\s-]?mm ?Hg\b", re.IGNORECASE)
_FIRST = re.compile(r"(?:[ -]|(?<=\d))(?:°\s?)?([A-Za-zμ]+(?:-(?:years?|fold))?[23]?)(?![\w])")
_PER = re.compile(r"(?:\s?/\s?|\s?per\s|\s(?=a day|daily))(?:a )?([A-Za-zμ]+[23]?)(?![\w])")


def unit_at(text: str, start: int) -> tuple[str, int]:
    """The unit right after a number, in one form, and where it ends; empty if there is none.

    A compound has `/` between its parts: `mg/kg/day`. Times in it come last.

    Args:
        text: text with unified signs (`quantities`).
        start: where the number ends.
    """
    for pattern, unit in ((_POINTS, PERCENTAGE_POINTS), (_PER_CENT, PERCENT), (_MMHG, "mmHg")):
        if found := pattern.match(text, start):
            return unit, found.end()
    found = _FIRST.match(text, start)
    unit = _named(found[1]) if found else ""
    if found is None or not unit:
        return "", start
    end, parts = found.end(), [unit]
    while found := _PER.match(text, end):
        if not (part := "day" if found[1] == "daily" else _named(found[1])):
            break
        parts.append(part)
        end = found.end()
    return "/".join(parts), end


def same_unit(one: str, other: str) -> bool:
    """Whether two units are one; `mg` and `mg/day` are, because doses are often given either way."""
    first, second = one.split("/"), other.split("/")
    rates = [{part for part in parts[1:] if part in TIMES} for parts in (first, second)]
    plain = [[part for part in parts if part == parts[0] or part not in TIMES] for parts in (first, second)]
    return plain[0] == plain[1] and (rates[0] == rates[1] or not all(rates))


def _named(word: str) -> str:
    if word in _CASED:
        return _CASED[word]
    return "" if len(word) == 1 and word.isupper() and word not in "LUVG" else _NAMES.get(word.lower(), "")
