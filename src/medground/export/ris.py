"""RIS, as EndNote, Zotero and Mendeley read it: one tag and one value on each line."""

from __future__ import annotations

import re
from collections.abc import Iterator

from medground.answer import Answer
from medground.export.names import Name
from medground.export.reference import Reference, quoted_sources

_RIS_TYPES = {
    "article-journal": "JOUR",
    "document": "GEN",
    "book": "BOOK",
    "chapter": "CHAP",
    "report": "RPRT",
    "entry-encyclopedia": "ENCYC",
    "dataset": "DATA",
    "entry": "DATA",
    "webpage": "ELEC",
}


def as_ris(answer: Answer) -> bytes:
    """The sources that an answer quotes; the quotes are notes (`N1`).

    Raises:
        UsageError: it quotes none.
    """
    lines = [f"{tag}  - {value}" for found in quoted_sources(answer) for tag, value in _ris_fields(found)]
    return ("\r\n".join(lines) + "\r\n").encode()


def _ris_fields(reference: Reference) -> Iterator[tuple[str, str]]:
    yield "TY", _RIS_TYPES[reference.type]
    first, _, last = re.sub("[\u2010-\u2015]", "-", reference.imprint("pages")).partition("-")
    fields = [
        ("ID", reference.document.id),
        *(("AU", _ris_author(name)) for name in reference.authors),
        ("TI", reference.title),
        ("T2", reference.journal.replace("*", " ").strip()),
        ("PY", str(reference.document.year or "")),
        ("VL", reference.imprint("volume")),
        ("IS", reference.imprint("issue")),
        ("SP", first),
        ("EP", last),
        ("DO", reference.doi),
        ("AN", reference.pmid),
        ("C2", reference.pmcid),
        ("UR", reference.address),
        ("Y2", f"{reference.accessed:%Y/%m/%d}/" if reference.accessed else ""),
        *(("N1", note) for note in reference.notes),
    ]
    yield from ((tag, value) for tag, value in fields if value)
    yield "ER", ""


def _ris_author(name: Name) -> str:
    """`Family, Given, Suffix`; a group ends with a comma, so that it is not taken apart. RIS has no asterisk here."""
    suffix = f", {name.suffix}" if name.suffix else ""
    text = f"{name.family}, {name.given}{suffix}" if name.is_person else f"{name.family.replace(',', ' ')},"
    return " ".join(text.replace("*", " ").split())
