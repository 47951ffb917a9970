"""Names and abbreviations of major journals, so that a journal name in a search is not treated as a subject.

To add the journals of a snapshot, use `Mapper(vocabulary(), with_journals(names))`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from medground.pubmed.characters import table
from medground.pubmed.mesh.fold import fold


@cache
def known_journals() -> Mapping[str, str]:
    """Return folded journal names, mapped to the abbreviation used in records."""
    return {fold(name): names[0] for names in table("journals.tsv") for name in names}


def with_journals(names: Iterable[str]) -> Mapping[str, str]:
    """Return the known journals plus further names, which map to themselves."""
    return {**{fold(name): name for name in names}, **known_journals()}
