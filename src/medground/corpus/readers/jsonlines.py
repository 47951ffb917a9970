"""Your own JSON Lines: `id` and `text` with any other field of `Document`, or `pmid`, `title` and `abstract`.

    {"id": "LAB:17", "title": "...", "text": "...", "year": 2024, "kind": "guideline"}
    {"pmid": 21645374, "title": "...", "abstract": "..."}

An unknown field is rejected, with its line number, so that a misspelt one is not lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from medground.corpus.readers.base import Input
from medground.corpus.readers.compose import make_document
from medground.corpus.readers.files import file_input
from medground.corpus.readers.lines import read_lines
from medground.document import Document


def open_jsonlines(path: Path) -> Input:
    """One file of JSON Lines, plain or gzip."""
    return file_input(path, "jsonlines", partial(read_lines, convert=own_document))


def own_document(record: Mapping[str, Any]) -> Document:
    """The document of a record.

    Raises:
        ValueError: a field is missing, wrong or unknown.
    """
    fields = dict(record)
    if "pmid" in fields and "id" not in fields:
        pmid = str(fields.pop("pmid"))
        if not pmid.isdecimal():
            raise ValueError(f"pmid: {pmid[:40]!r} is not a PMID")
        fields["id"] = f"PMID:{pmid}"
        fields["text"] = fields.pop("abstract", "") or fields.get("title", "")
        fields["identifiers"] = {**_mapping(fields.get("identifiers")), "pmid": pmid}
        fields.setdefault("url", f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/")
    return make_document(fields)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
