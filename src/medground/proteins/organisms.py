"""Organisms by the names that people use, with the taxon under which UniProt keeps the reference proteome."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True, slots=True)
class Organism:
    """An organism: scientific name as in UniProt, a common name, and NCBI's taxon id; 0 where the table has none."""

    scientific: str
    common: str = ""
    taxon: int = 0

    @property
    def shown(self) -> str:
        """Its name in messages."""
        return (
            f"{self.common} ({self.scientific})" if self.common and self.common != self.scientific else self.scientific
        )


HUMAN = Organism("Homo sapiens", "human", 9606)


@cache
def _table() -> dict[str, Organism]:
    text = (resources.files(__package__) / "organisms.tsv").read_text(encoding="utf-8")
    named: dict[str, Organism] = {}
    for line in text.splitlines():
        taxon, scientific, common, others = line.split("\t")
        one = Organism(scientific, common, int(taxon))
        names = (scientific, common, *filter(None, others.split("|")))
        named |= {name.casefold(): one for name in names if name.casefold() not in named}
    return named


def known_organism(name: str) -> Organism | None:
    """The organism with this scientific, common or other name, or taxon id; None where the table has none."""
    wanted = " ".join(name.split()).casefold()
    if wanted.isdigit():
        return next((one for one in _table().values() if str(one.taxon) == wanted), None)
    return _table().get(wanted)


@cache
def _pattern() -> re.Pattern[str]:
    names = sorted(_table(), key=len, reverse=True)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, names))})(?![\w])", re.IGNORECASE)


def organisms_in(text: str) -> tuple[Organism, ...]:
    """The organisms of the table that a text names, in its order. Other organisms put people last.

    "Patients" says that people are meant where no other organism is named; beside one it often only tells whose sample
    it was.
    """
    hits = (hit[0] for hit in _pattern().finditer(text))
    # CAT is catalase or a scan, and never a cat.
    found = dict.fromkeys(_table()[name.casefold()] for name in hits if not (name.isupper() and len(name) < 5))
    return tuple(sorted(found, key=lambda one: one == HUMAN))
