"""Proteins by accession, gene and name, and organisms by the names that people use."""

import re
from dataclasses import dataclass
from functools import cache

from medground.home.files import rows
from medground.sources.live import Json, part, parts, text, texts


@dataclass(frozen=True)
class Names:
    """Names of one entry. `names` are those of the protein, the recommended one first; `synonyms` are of the gene."""

    accession: str
    names: tuple[str, ...]
    gene: str
    synonyms: tuple[str, ...]
    organism: str
    common: str
    taxon: int
    reviewed: bool
    fragment: bool
    secondary: tuple[str, ...]

    @property
    def name(self) -> str:
        """The recommended or submitted name of the protein; its accession where it has none."""
        return self.names[0] if self.names else self.accession

    @property
    def subject(self) -> str:
        """What sentences call it: its gene, else its name, and the organism."""
        return f"{self.gene or self.name} ({self.organism or 'organism not given'})"

    def fits(self, wanted: str) -> int:
        """How a name names this entry: 4 its gene, 3 a synonym of it, 2 its own name, 1 another of its names, 0 not."""
        key = folded(wanted)
        ranked = ((4, (self.gene,)), (3, self.synonyms), (2, self.names[:1]), (1, self.names))
        return next((rank for rank, names in ranked if key in map(folded, names)), 0)


def folded(name: str) -> str:
    """A name without case, spaces, hyphens and brackets: `IL-6` is `il6`."""
    return "".join(c for c in name.casefold() if c.isalnum())


def read_names(entry: Json) -> Names:
    """The names of an entry."""
    kinds = ("recommendedName", "submissionNames", "alternativeNames")
    named = [one for kind in kinds for one in parts(entry, f"proteinDescription.{kind}")]
    places = ("geneName.value", "synonyms.value", "orderedLocusNames.value", "orfNames.value")
    genes = [name for one in parts(entry, "genes") for place in places for name in texts(one, place)]
    gene, *others = [*filter(None, genes)] or [""]
    organism = part(entry, "organism")
    taxon = organism.get("taxonId")
    return Names(
        accession=text(entry, "primaryAccession"),
        names=tuple(
            dict.fromkeys(
                name
                for one in named
                for place in ("fullName.value", "shortNames.value")
                for name in texts(one, place)
                if name
            )
        ),
        gene=gene,
        synonyms=tuple(dict.fromkeys(others)),
        organism=text(organism, "scientificName"),
        common=text(organism, "commonName"),
        taxon=taxon if isinstance(taxon, int) else 0,
        reviewed=text(entry, "entryType").startswith("UniProtKB reviewed"),
        fragment="fragment" in text(entry, "proteinDescription", "flag").casefold(),
        secondary=tuple(texts(entry, "secondaryAccessions")),
    )


ACCESSION = re.compile(r"(?:[OPQ][0-9][A-Z0-9]{3}[0-9]|[A-NR-Z][0-9](?:[A-Z][A-Z0-9]{2}[0-9]){1,2})")
"""UniProtKB's own form of an accession: 6 or 10 characters."""
_WITH_ISOFORM = re.compile(rf"({ACCESSION.pattern})(?:-([1-9][0-9]{{0,2}}))?", re.IGNORECASE)
PDB_ID = re.compile(r"[1-9][A-Za-z0-9]{3}")


def split_isoform(name: str) -> tuple[str, int | None] | None:
    """`P05067-4` as `("P05067", 4)`, `p05067` as `("P05067", None)`; None if it is not an accession."""
    found = _WITH_ISOFORM.fullmatch(name.strip().removeprefix("UNIPROT:"))
    if found is None:
        return None
    return found[1].upper(), int(found[2]) if found[2] else None


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
    named: dict[str, Organism] = {}
    for taxon, scientific, common, others in rows("sources/proteins", "organisms"):
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
