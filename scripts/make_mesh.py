"""Make the package's MeSH table: `python scripts/make_mesh.py descriptors.tsv.gz|desc2026.xml[.gz] [OUT]`.

Reads a table with the columns id, heading, entry terms and tree numbers (others are ignored), or NLM's descriptor file.
Keeps only facts: no scope notes, no annotations.
"""

from __future__ import annotations

import gzip
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

from lxml import etree

TERMS = tuple(Path(__file__).resolve().parent / name for name in ("mesh_terms.tsv", "hpo_terms.tsv"))
"""More names in common use for each heading, such as PubMed's own translation table adds to the entry terms; those of
the second file are HPO's (`make_hpo_terms.py`)."""
OUT = Path(__file__).resolve().parent.parent / "src" / "medground" / "data" / "mesh.tsv.gz"
Row = tuple[str, str, tuple[str, ...], tuple[str, ...]]


def read_tsv(stream: IO[bytes]) -> Iterator[Row]:
    """Rows of a table."""
    for line in stream:
        id_, name, terms, trees, *_ = line.decode("utf-8").rstrip("\n").split("\t")
        yield id_, name, tuple(filter(None, terms.split("|"))), tuple(filter(None, trees.split("|")))


def read_xml(stream: IO[bytes]) -> Iterator[Row]:
    """Rows of NLM's descriptor file, with one record in memory at a time. Resolves no entities and fetches nothing."""
    records = etree.iterparse(
        stream, tag="DescriptorRecord", resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    for _, record in records:
        id_ = record.findtext("DescriptorUI")
        name = record.findtext("DescriptorName/String")
        if id_ and name:
            terms = [t.text for t in record.iterfind("ConceptList/Concept/TermList/Term/String") if t.text]
            trees = [t.text for t in record.iterfind("TreeNumberList/TreeNumber") if t.text]
            yield id_.strip(), name.strip(), tuple(t.strip() for t in terms), tuple(t.strip() for t in trees)
        record.clear()
        while record.getprevious() is not None:
            del record.getparent()[0]


def spoken_terms() -> dict[str, tuple[str, ...]]:
    """Headings and their additional names."""
    found: dict[str, tuple[str, ...]] = {}
    for line in (line for path in TERMS for line in path.read_text(encoding="utf-8").splitlines()):
        name, terms = line.split("\t")
        found[name] = (*found.get(name, ()), *terms.split("|"))
    return found


def line_of(row: Row, spoken: dict[str, tuple[str, ...]], taken: frozenset[str]) -> str:
    """A line of the table. A name with accents also gets a term without them, to simplify look-ups.

    `taken` holds the lower-case names that a heading already has; additional names never reuse one of them.
    """
    id_, name, terms, trees = row
    plain = (_without_accents(term) for term in (name, *terms))
    further = (term for term in (*spoken.get(name, ()), *_of_neoplasms(name)) if term.casefold() not in taken)
    kept = dict.fromkeys(term for term in (*terms, *plain, *further) if term != name)
    return "\t".join((id_, name, "|".join(kept), "|".join(trees)))


def _of_neoplasms(name: str) -> tuple[str, ...]:
    """Common names for neoplasms, such as breast cancer for `Breast Neoplasms`."""
    organ = name.removesuffix(" Neoplasms")
    if organ == name or "," in organ or len(organ.split()) > 2:
        return ()
    return (f"{organ} Cancer", f"{organ} Cancers", f"Cancer of {organ}", f"Cancer of the {organ}")


def _without_accents(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


def main(source: Path, out: Path = OUT) -> None:
    """Write the table, ordered by id. The same input gives the same bytes."""
    with source.open("rb") as raw:
        packed = raw.read(2) == b"\x1f\x8b"
    with cast("IO[bytes]", gzip.open(source) if packed else source.open("rb")) as stream:
        rows = sorted(read_xml(stream) if ".xml" in source.suffixes else read_tsv(stream))
    if not rows:
        raise SystemExit(f"{source} contains no descriptors; use NLM's desc20xx.xml or a table of descriptors")
    taken = frozenset(term.casefold() for _, name, terms, _ in rows for term in (name, *terms))
    spoken = spoken_terms()
    unknown = spoken.keys() - {name for _, name, _, _ in rows}
    if unknown:
        print(f"the tables of names have headings that are not descriptors: {', '.join(sorted(unknown))}")
    lines = (line_of(row, spoken, taken) for row in rows)
    out.write_bytes(gzip.compress("\n".join(lines).encode("utf-8"), 9, mtime=0))
    print(f"{len(rows):,} headings, {out.stat().st_size / 1e6:.2f} MB: {out}")


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        raise SystemExit(__doc__)
    main(*map(Path, sys.argv[1:]))
