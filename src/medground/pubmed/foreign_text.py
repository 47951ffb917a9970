"""Rewrite queries from other systems in PubMed syntax: Ovid tags, `field:word` and numbered search lines."""

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
"""Maximum characters of a line after other lines are substituted into it."""


def without_ovid(text: str) -> str:
    """Rewrite Ovid syntax such as `exp Asthma/` and `child*.ti,ab.`."""
    text = _OVID_EXPLODED.sub(r'"\1"[mh]', text)
    return _OVID_TAG.sub(_tag_from_ovid, text)


def without_prefixes(text: str) -> str:
    """Rewrite `title:asthma` as `asthma[title]`."""
    return _NAMED.sub(_tag_after, text) if ":" in text else text


def without_numbers(text: str) -> str:
    """Turn a search strategy in numbered lines into one query: the last line with its references expanded."""
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
            line = _REFERENCE.sub(lambda named: _referenced_line(named, whole), line)
        if len(line) > _LONGEST:
            return text
        whole.append(line)
    named = _COMBINATION.fullmatch(found[-1][4])
    return whole[-1] if named else " AND ".join(f"({line})" for line in whole)


def _tag_after(found: re.Match[str]) -> str:
    # Quotations and tags are matched too, so that their contents are not mistaken for fields.
    return f"{found[2]}[{found[1]}]" if found[1] else found[0]


def _referenced_line(named: re.Match[str], whole: list[str]) -> str:
    number = int(named[1])
    return f"({whole[number - 1]})" if 1 <= number <= len(whole) else ""


def _tag_from_ovid(found: re.Match[str]) -> str:
    both = "ti" in found[0] and "ab" in found[0]
    return "[tiab]" if both else f"[{_OVID_TAGS.get(found[1], found[1])}]"
