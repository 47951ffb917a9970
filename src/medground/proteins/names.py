"""What a UniProtKB entry is called: its gene, its protein names, its organism, and how sure its content is."""

from __future__ import annotations

from dataclasses import dataclass

from medground.proteins.fields import Json, part, parts, text, texts


@dataclass(frozen=True)
class Names:
    """Names of one entry. `names` are those of the protein, the recommended one first; `synonyms` are of the gene."""

    accession: str
    entry_name: str
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
    described = part(entry, "proteinDescription")
    found: list[str] = []
    for kind in ("recommendedName", "submissionNames", "alternativeNames"):
        given = [part(described, kind)] if kind == "recommendedName" else parts(described, kind)
        for name in given:
            found += [text(name, "fullName", "value"), *(text(short, "value") for short in parts(name, "shortNames"))]
    genes = list(parts(entry, "genes"))
    gene, *others = [name for one in genes for name in _gene_names(one)] or [""]
    organism = part(entry, "organism")
    taxon = organism.get("taxonId")
    return Names(
        accession=text(entry, "primaryAccession"),
        entry_name=text(entry, "uniProtkbId"),
        names=tuple(dict.fromkeys(filter(None, found))),
        gene=gene,
        synonyms=tuple(dict.fromkeys(others)),
        organism=text(organism, "scientificName"),
        common=text(organism, "commonName"),
        taxon=taxon if isinstance(taxon, int) else 0,
        reviewed=text(entry, "entryType").startswith("UniProtKB reviewed"),
        fragment="fragment" in text(described, "flag").casefold(),
        secondary=tuple(texts(entry, "secondaryAccessions")),
    )


def _gene_names(gene: Json) -> list[str]:
    named = [text(gene, "geneName", "value")]
    for kind in ("synonyms", "orderedLocusNames", "orfNames"):
        named += [text(one, "value") for one in parts(gene, kind)]
    return [name for name in named if name]
