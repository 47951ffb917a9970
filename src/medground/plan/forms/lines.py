"""A plan by lines: `book: a ; b`, or a heading with the name of a source and a list of queries below it."""

from __future__ import annotations

import re

from medground.plan.forms.base import Names, Written


def from_lines(text: str, names: Names, found: Written) -> bool:
    """`book: a ; b`, or a heading with the name and a list of queries below it."""
    heading = re.compile(
        rf"^[\s>*#•\-\d.()]*({names.pattern})(?:[\s*_]*[:：=]|[\s*_]*$|\s+[-–—]\s)[\s*_]*(.*)$", re.IGNORECASE
    )
    current: str | None = None
    lines: dict[str, list[str]] = {}
    for line in text.splitlines():
        if (head := heading.match(line)) and (name := names.find(head[1])):
            current = name[0]
            lines.setdefault(current, []).append(head[2])
        elif not line.strip():
            current = current if current and not any(part.strip() for part in lines[current]) else None
        elif current:
            lines[current].append(line)
    if not lines:
        return False
    found.note("other form", "", "lines")
    for name_of, parts in lines.items():
        found.put(name_of, "\n".join(parts))
    return True
