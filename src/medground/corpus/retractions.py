"""Papers that are known to be retracted, whatever their own record says.

A paper may have been retracted since its record was downloaded. The list in `medground/data` is made by
`scripts/make_retracted.py`.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files

from medground.document import Document, Retraction
from medground.identifiers import pmid_in_address
from medground.retraction import NOTICE, RETRACTED, why_aside

ON_THE_LIST = "Its PMID is on the list of retracted papers, whatever the record itself says."
_SAID: Mapping[str, Retraction] = {RETRACTED: "retracted", NOTICE: "notice"}


@cache
def retracted_pmids() -> frozenset[int]:
    """PMIDs of papers that are known to be retracted."""
    packed = files("medground.data").joinpath("retracted_pmids.txt.gz").read_bytes()
    return frozenset(map(int, gzip.decompress(packed).split()))


def is_retracted(paper: Iterable[str]) -> bool:
    """Whether a paper is on the list, by its names (`Document.paper`): one of them is `pmid:N`."""
    pmids = (name.removeprefix("pmid:") for name in paper if name.startswith("pmid:"))
    return any(int(pmid) in retracted_pmids() for pmid in pmids)


def with_retraction(document: Document) -> Document:
    """The document, marked as retracted if its PMID is on the list, or its publication types or its title say so.

    An address of PubMed is as good as the PMID: the result of a search engine has nothing else. A notice is marked as
    one: it reports a retraction, and some lists name it along with the paper.
    """
    if document.retraction in ("retracted", "notice"):
        return document
    if said := _SAID.get(why_aside(document) or ""):
        return document.model_copy(update={"retraction": said})
    names = document.paper
    if document.url and not any(name.startswith("pmid:") for name in names):
        names = (*names, f"pmid:{pmid_in_address(document.url) or 0}")
    if is_retracted(names):
        told = tuple(dict.fromkeys([*document.cautions, ON_THE_LIST]))
        return document.model_copy(update={"retraction": "retracted", "cautions": told})
    return document
