"""CSL-JSON, the data format of citation processors (Zotero, pandoc, citeproc)."""

from __future__ import annotations

import json
from typing import Any

from medground.answer import Answer
from medground.export.names import Name
from medground.export.reference import Reference, quoted_sources


def as_csl_json(answer: Answer) -> bytes:
    """The sources that an answer quotes; the quotes are in `note`, one on each line.

    Raises:
        UsageError: it quotes none.
    """
    items = [csl_item(reference) | {"note": "\n".join(reference.notes)} for reference in quoted_sources(answer)]
    return (json.dumps(items, ensure_ascii=False, indent=2) + "\n").encode()


def csl_item(reference: Reference) -> dict[str, Any]:
    """A reference as an item of the Citation Style Language, without its quotes."""
    year, read = reference.document.year, reference.accessed
    fields: dict[str, Any] = {
        "id": reference.document.id,
        "type": reference.type,
        "title": reference.title,
        "author": [_csl_author(name) for name in reference.authors],
        "issued": {"date-parts": [[year]]} if year else None,
        "accessed": {"date-parts": [[read.year, read.month, read.day]]} if read else None,
        "container-title": reference.journal,
        "volume": reference.imprint("volume"),
        "issue": reference.imprint("issue"),
        "page": reference.imprint("pages"),
        "DOI": reference.doi,
        "PMID": reference.pmid,
        "PMCID": reference.pmcid,
        "URL": reference.address,
    }
    return {name: value for name, value in fields.items() if value}


def _csl_author(name: Name) -> dict[str, str]:
    if not name.is_person:
        return {"literal": name.family}
    return {"family": name.family, "given": name.given} | ({"suffix": name.suffix} if name.suffix else {})
