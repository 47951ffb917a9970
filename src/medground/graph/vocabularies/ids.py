"""Ids of terms: as ontologies write them, and as documents have them."""

from __future__ import annotations

import re

_ID = re.compile(
    r"[A-Za-z][A-Za-z0-9._-]{0,31}:[^\s#/\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]{1,190}"
)
_IRI = re.compile(r"https?://(?:[^#\s]*[/#])?([A-Za-z][A-Za-z0-9-]{0,31})_([A-Za-z0-9.-]+)")


def is_id(text: str) -> bool:
    """Whether a text is `PREFIX:NAME`, and so can be the id of a document; `/` is left for continued documents."""
    return _ID.fullmatch(text) is not None


def compact(iri: str) -> str:
    """The id that an address stands for: `http://purl.obolibrary.org/obo/GO_0008150` is `GO:0008150`."""
    found = _IRI.fullmatch(iri)
    return f"{found[1]}:{found[2]}" if found else iri
