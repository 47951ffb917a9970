"""Queries in the habits of other systems, rewritten in PubMed's: Ovid's tags, `field:word`, numbered search lines."""

from __future__ import annotations

import re

_OVID_EXPLODED = re.compile(r"\bexp\s+\*?([A-Za-z][^/()\"\[\]\n]{1,80}?)/(?=[\s)]|\Z)")
_OVID_TAG = re.compile(r"\.(ti|ab|tw|mp|kw|kf|pt|sh|au|jn|hw)(?:,[a-z]{2}){0,3}\.(?=[\s)]|\Z)")
_OVID_TAGS = {"mp": "tw", "kw": "ot", "kf": "ot", "jn": "ta", "hw": "mh", "sh": "mh:noexp"}
_NAMED = re.compile(
    r"\"[^\"]*\"|\[[^\]]*\]|(?<!\w)(title|abstract|mesh|majr|author|journal|language|tiab|ti|ab|mh|tw|pt|pmid):(\"[^\"\n]+\"|\w[\w-]*)",
    re.IGNORECASE,
)
_LINE = re.compile(r"\s*(#?)(\d{1,2})\s*([.:)]?)\s+(\S.*)")
_COMBINATION = re.compile(r"(?:\s|[()]|#?\d{1,2}\b|\b(?:AND|OR|NOT)\b)+")
_REFERENCE = re.compile(r"#?\b(\d{1,2})\b")
_LONGEST = 50_000
"""Characters that lines may grow to when one is put into the other."""


def without_ovid(text: str) -> str:
    """`exp Asthma/` and `child*.ti,ab.` as PubMed writes them."""
    text = _OVID_EXPLODED.sub(r'"\1"[mh]', text)
    return _OVID_TAG.sub(_tag_of_ovid, text)


def without_prefixes(text: str) -> str:
    """`title:asthma` as `asthma[title]`."""
    return _NAMED.sub(_tag_after, text) if ":" in text else text


def without_numbers(text: str) -> str:
    """A search strategy in numbered lines as one query: its last line, with the lines that it names put in."""
    rows = [_LINE.fullmatch(line) for line in text.splitlines() if line.strip()]
    found = [row for row in rows if row is not None]
    marked = all(row[1] or row[3] for row in found)
    if len(found) != len(rows) or len(found) < 2 or not marked:
        return text
    if [int(row[2]) for row in found] != list(range(1, len(found) + 1)):
        return text
    whole: list[str] = []
    for row in found:
        line = row[4]
        if whole and _COMBINATION.fullmatch(line):
            line = _REFERENCE.sub(lambda named: _line(named, whole), line)
        if len(line) > _LONGEST:
            return text
        whole.append(line)
    named = _COMBINATION.fullmatch(found[-1][4])
    return whole[-1] if named else " AND ".join(f"({line})" for line in whole)


def _tag_after(found: re.Match[str]) -> str:
    # Quotations and tags are matched too, so that nothing inside of them is taken for a field.
    return f"{found[2]}[{found[1]}]" if found[1] else found[0]


def _line(named: re.Match[str], whole: list[str]) -> str:
    number = int(named[1])
    return f"({whole[number - 1]})" if 1 <= number <= len(whole) else ""


def _tag_of_ovid(found: re.Match[str]) -> str:
    both = "ti" in found[0] and "ab" in found[0]
    return "[tiab]" if both else f"[{_OVID_TAGS.get(found[1], found[1])}]"
