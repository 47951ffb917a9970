"""Accessions of UniProtKB and ids of PDB entries."""

from __future__ import annotations

import re

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
