"""Papers that are known to be retracted, whatever their own record says.

A paper may have been retracted since its record was downloaded. The list in `medground/data` is made by
`scripts/make_retracted.py`.
"""

from __future__ import annotations

import gzip
from functools import cache
from importlib.resources import files

from medground.document import Document


@cache
def retracted_pmids() -> frozenset[int]:
    """PMIDs of papers that are known to be retracted."""
    packed = files("medground.data").joinpath("retracted_pmids.txt.gz").read_bytes()
    return frozenset(map(int, gzip.decompress(packed).split()))


def is_retracted(document_id: str) -> bool:
    """Whether this document is on the list. Only ids of the form `PMID:N` can be."""
    prefix, _, name = document_id.partition(":")
    return prefix == "PMID" and name.isascii() and name.isdecimal() and int(name) in retracted_pmids()


def with_retraction(document: Document) -> Document:
    """The document, marked as retracted if its PMID is on the list.

    A notice stays a notice: it reports a retraction, and some lists name it along with the paper.
    """
    if document.retraction in ("retracted", "notice"):
        return document
    ids = (document.id, f"PMID:{document.identifiers.get('pmid', '')}")
    if any(is_retracted(name) for name in ids):
        return document.model_copy(update={"retraction": "retracted"})
    return document
