"""The list of references of a PDF, which is no evidence: where it begins, and where the paper goes on after it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from medground.corpus.readers.pdf.blocks import Block
from medground.corpus.readers.pdf.look import REFERENCES, Layout

_NUMBERED = re.compile(r"\[?(\d{1,3})[\].]?\s+\S")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_CITATION = re.compile(
    r"\[?\d{1,3}[\].]?\s+[^\W\d_][^.;]{1,120}\s[A-Z]{1,3}\b[.,].{10,400}?\b(?:19|20)\d\d\s?[;:,(]\s?\d", re.DOTALL
)
"""`1. Smith J, Doe A. A title. J Med. 2019;1:2`: number, a name with initials, and a year before a volume."""
_AFTER = re.compile(
    r"(?:appendix|appendices|supplement|supporting|figure legends|figures|tables|additional files?|acknowledg|author|"
    r"competing|conflicts?|funding|pre-publication|abbreviations|declarations|ethic)",
    re.I,
)
_TITLE = 1.2
"""How much larger than the text the title of the next article in a file is, at least."""
_PROSE = 25


def is_citation(block: Block) -> bool:
    """Whether a block is a numbered reference by itself, wherever it stands: a letter has a few, without a heading."""
    return _CITATION.match(block.text) is not None


def begins_references(block: Block, after: Sequence[Block]) -> bool:
    """Whether a list of references without a heading begins: numbered from 1, most with a year."""
    found = _NUMBERED.match(block.text)
    if found is None or found[1] != "1":
        return False
    text = " ".join([block.text, *(b.text for b in after[:4])])
    numbers = [n for n in ("2", "3", "4", "5") if re.search(rf"(?:^|\s)\[?{n}[\].]?\s+[A-Z]", text)]
    return len(numbers) == 4 and len(_YEAR.findall(text)) >= 4


def ends_references(block: Block, after: Sequence[Block], layout: Layout) -> bool:
    """Whether a list of references ends at a heading: an appendix or the like, or the title of the next article."""
    if not layout.is_heading(block) or REFERENCES.fullmatch(block.text):
        return False
    return bool(_AFTER.match(block.text)) or (block.size >= _TITLE * layout.size and _is_followed(after, layout))


def _is_followed(after: Sequence[Block], layout: Layout) -> bool:
    """Whether prose comes soon, before another reference."""
    for block in after[:6]:
        if _NUMBERED.match(block.text) and _YEAR.search(block.text):
            return False
        if layout.runs(block) and len(block.text.split()) > _PROSE:
            return True
    return False
