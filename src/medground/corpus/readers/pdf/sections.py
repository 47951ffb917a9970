"""The parts of a paper as labelled paragraphs: running text by section, then the legends."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from medground.corpus.readers.pdf.kinds import Part
from medground.corpus.readers.pdf.lines import Line
from medground.corpus.readers.pdf.paragraphs import continues, split

_ABSTRACT = re.compile(r"(?:structured )?(?:abstract|summary)\b", re.I)
_KEYWORDS = re.compile(r"key\s?-?words?(?: and phrases)?", re.I)
_LABEL_ENDS = (".", ":", "\u2014", "\u2013")
_LONGEST_LABEL = 16

Labelled = tuple[str | None, list[Line]]
"""The section of a paragraph (`Methods > Patients`), and its lines."""


def running(parts: Sequence[Part]) -> Iterator[Labelled]:
    """The paragraphs of the running text, in order. One that a page end or a figure broke is one again."""
    later = Counter(part.label.casefold() for part in parts if part.kind == "heading")
    path: tuple[str, ...] = ()
    open_: Labelled | None = None
    for part in parts:
        if part.kind == "heading":
            later[part.label.casefold()] -= 1
            path = _path(path, part, again=later[part.label.casefold()] > 0)
        elif part.kind == "text":
            for lines in split(part.block):
                label, rest = _run_in(lines, path)
                if label and _KEYWORDS.fullmatch(label[-1]):
                    continue
                section = " > ".join(label) or None
                if open_ is not None and open_[0] == section and rest is lines and continues(open_[1], lines):
                    open_[1].extend(lines)
                    continue
                if open_ is not None:
                    yield open_
                open_ = (section, list(rest))
    if open_ is not None:
        yield open_


def legends(parts: Sequence[Part]) -> Iterator[Labelled]:
    """The legends of figures and tables, each one paragraph."""
    open_: Labelled | None = None
    for part in parts:
        if part.kind == "legend":
            if open_ is not None and open_[0] == part.label:
                open_[1].extend(part.block.lines)
                continue
            if open_ is not None:
                yield open_
            open_ = (part.label, list(part.block.lines))
    if open_ is not None:
        yield open_


def _path(path: tuple[str, ...], part: Part, *, again: bool) -> tuple[str, ...]:
    """The headings above the text after a heading. A part of a structured abstract comes again in the paper."""
    in_abstract = bool(path) and bool(_ABSTRACT.match(path[0]))
    if path and ((in_abstract and again) or not part.main):
        return (path[0], part.label)
    return (part.label,)


def _run_in(lines: list[Line], path: tuple[str, ...]) -> tuple[tuple[str, ...], list[Line]]:
    """A paragraph that opens with its own heading in bold (`Patients. We enrolled`): the heading, and the rest."""
    at = next((at for at, line in enumerate(lines) if line.opening < len(line.text)), len(lines))
    if at == len(lines):
        return path, lines
    first = lines[at]
    label = " ".join([*(line.text for line in lines[:at]), first.text[: first.opening].strip()]).strip()
    rest = first.text[first.opening :].strip()
    if not label or not rest or len(label.split()) > _LONGEST_LABEL:
        return path, lines
    if not label.endswith(_LABEL_ENDS):
        if rest[0] not in _LABEL_ENDS:
            return path, lines
        rest = rest[1:].strip()
    label = label.strip(" .:\u2014\u2013")
    opened = (label,) if not path or _ABSTRACT.fullmatch(label) else (path[0], label)
    return opened, [replace(first, text=rest), *lines[at + 1 :]] if rest else lines[at + 1 :]
