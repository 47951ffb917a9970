"""Values as people write them: lists in one string, names of authors, identifiers with or without their address."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from medground.corpus.readers.compose import printable
from medground.document import Substance
from medground.identifiers import normal_doi, normal_pmid

_PMC = re.compile(r"(?:.*/)?(?:PMC(?:ID)?:?\s*)?(?:PMC)?(\d{1,10})(?:\.\d+)?/?", re.IGNORECASE)
_WITH_INITIALS = re.compile(r"[^\W\d_][\w'’. -]* [A-Z]{1,4}")
_MOST_INITIALS = 4
_LONGEST_PMID = 8
_REGISTRY = re.compile(r"0|EC [\d.-]+|[A-Z0-9]{10}|\d{2,7}-\d\d-\d")
"""A registry number: none, of an enzyme, UNII, CAS."""
_LONGEST_VALUE = 1000
_LONGEST_NAME = 64
_MOST_FIELDS = 200
_DEEPEST = 4


def letters_of(text: str) -> str:
    """The letters and digits of a text alone, in lower case: what is left is the same however it is set."""
    return re.sub(r"[\W_]+", "", text.casefold())


def one_line(value: Any) -> str:
    """A value as text, with white space collapsed."""
    return " ".join(str(value).split())


def listed(value: Any) -> list[str]:
    """The parts of a list, or of a string with `;`, `|` or, without those, commas between them."""
    if isinstance(value, str):
        separator = next((mark for mark in (";", "|") if mark in value), ",")
        value = value.split(separator)
    elif not isinstance(value, list | tuple):
        value = [value]
    words = (item.get("tag", item) if isinstance(item, Mapping) else item for item in value)  # Zotero's tags
    return [text for item in words if item is not None and (text := one_line(item))]


def names_of(value: Any) -> list[str]:
    """The names of authors: a list (of strings or of objects with a family name), or one string.

    Names in a string are separated by `;`, ` and `, or by commas if each has initials (`Smith J, Doe AB`).
    """
    if isinstance(value, Mapping):
        value = [value]
    if not isinstance(value, str):
        items = value if isinstance(value, list | tuple) else [value]
        return [name for item in items if item is not None and (name := _name(item))]
    for separator in (";", "|", " and "):
        if separator in value:
            return [name for part in value.split(separator) if (name := _name(part))]
    parts = [one_line(part).rstrip(".") for part in value.split(",")]
    if len(parts) > 1 and all(_WITH_INITIALS.fullmatch(part) for part in parts):
        return parts
    return [_name(value)]


def substances_of(value: Any) -> list[Substance]:
    """Registered substances: a list of names, of `0 (Aspirin)` as MEDLINE has them, or of objects with a name."""
    if isinstance(value, Mapping) and len(value) == 1:  # Europe PMC's `{"chemical": [...]}`
        (value,) = value.values()
    items = value if isinstance(value, list | tuple) else listed(value)
    return [found for item in items if item is not None and (found := _substance(item))]


def _substance(value: Any) -> Substance | None:
    if isinstance(value, Mapping):
        parts = {str(key).casefold().replace("_", ""): one_line(part) for key, part in value.items() if part}
        name = parts.get("name") or parts.get("nameofsubstance") or ""
        number = parts.get("number") or parts.get("registrynumber") or "0"
        return Substance(name=name, ui=parts.get("ui"), number=number) if name else None
    number, _, name = (text := one_line(value)).partition(" (")
    if name and _REGISTRY.fullmatch(number):
        return Substance(name=name.removesuffix(")"), number=number)
    return Substance(name=text) if text else None


def pmid_of(value: Any) -> str | None:
    """A PMID, from a number or its address; None if the value names none.

    Raises:
        ValueError: the value mixes digits with something else.
    """
    if isinstance(value, list | tuple) and len(value) == 1:
        value = value[0]
    text = one_line(int(value) if isinstance(value, float) and value.is_integer() else value)
    if found := normal_pmid(text):
        return found
    if any(letter.isdigit() for letter in text) and isinstance(value, str | int | float):
        raise ValueError(f"pmid: {text[:40]!r} is not a PMID")
    return None


def pmid_of_accession(value: str) -> str | None:
    """The PMID that an accession number is; other databases have longer ones, or begin theirs with letters."""
    found = normal_pmid(value)
    return found if found and len(found) <= _LONGEST_PMID else None


def pmc_of(value: Any) -> str | None:
    """A PMC id such as `PMC123`, or None."""
    found = _PMC.fullmatch(one_line(value))
    return f"PMC{found[1]}" if found else None


def doi_of(value: Any) -> str | None:
    """A DOI in lower case (DOIs ignore case), without its address; None if the value holds none."""
    return normal_doi(one_line(value))


def flattened(fields: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Metadata: each value as a tuple of texts, objects by dotted names (`dose.unit`), null left out."""
    found: dict[str, list[str]] = {}
    _collect(fields, "", found, 0)
    return {name: tuple(dict.fromkeys(values)) for name, values in list(found.items())[:_MOST_FIELDS]}


def _collect(value: Any, name: str, found: dict[str, list[str]], depth: int) -> None:
    if isinstance(value, Mapping) and depth < _DEEPEST:
        for key, inner in value.items():
            plain = re.sub(r"[\s=-]+", "_", printable(str(key)).strip().casefold())
            _collect(inner, f"{name}.{plain}" if name else plain, found, depth + 1)
    elif isinstance(value, list | tuple) and depth < _DEEPEST:
        for inner in value:
            _collect(inner, name, found, depth + 1)
    elif value is not None and name:
        text = str(value).lower() if isinstance(value, bool) else one_line(printable(str(value)))
        if text:
            found.setdefault(name[:_LONGEST_NAME], []).append(text[:_LONGEST_VALUE])


def _name(value: Any) -> str:
    """`Family Initials` or `Family, Given`, from a text or from an object with these parts; else the whole name."""
    if isinstance(value, Mapping):
        parts = {str(key).casefold(): one_line(part) for key, part in value.items() if part}
        family = parts.get("family") or parts.get("lastname") or parts.get("last_name") or parts.get("last") or ""
        given = parts.get("given") or parts.get("firstname") or parts.get("first_name") or parts.get("first") or ""
        whole = parts.get("literal") or parts.get("name") or ""
        return _joined(one_line(f"{parts.get('non-dropping-particle', '')} {family}"), given) or whole
    family, _, given = one_line(value).rstrip(",; ").partition(", ")
    return _joined(family, given)


def _joined(family: str, given: str) -> str:
    if not (family and given):
        return family or given
    initials = re.sub(r"[\s.-]", "", given)
    return f"{family} {initials}" if initials.isupper() and len(initials) <= _MOST_INITIALS else f"{family}, {given}"
