"""BibTeX. Text of documents is escaped: it cannot end a field, start an entry or call a macro."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from urllib.parse import quote

from medground.answer import Answer
from medground.export.names import Name
from medground.export.reference import Reference, quoted_sources

_BIBTEX_TYPES = {"article-journal": "article", "book": "book", "chapter": "incollection", "report": "techreport"}
_ESCAPES = {
    "\\": r"{\textbackslash}",
    "{": r"{\textbraceleft}",
    "}": r"{\textbraceright}",
    "^": r"{\textasciicircum}",
    "~": r"{\textasciitilde}",
    **{sign: f"\\{sign}" for sign in "$&#%_"},
}
"""Braces are named, because BibTeX counts those that are only escaped."""


def as_bibtex(answer: Answer) -> bytes:
    """The sources that an answer quotes; the quotes are in `annote`.

    Raises:
        UsageError: it quotes none.
    """
    taken: set[str] = set()
    entries = [_entry(reference, _bibtex_key(reference, taken)) for reference in quoted_sources(answer)]
    return "\n".join(entries).encode()


def escaped(text: str) -> str:
    """Text with no effect but itself in a field of BibTeX."""
    return "".join(_ESCAPES.get(character, character) for character in text)


def _entry(reference: Reference, key: str) -> str:
    fields = "".join(f"  {name} = {{{value}}},\n" for name, value in _bibtex_fields(reference) if value)
    return f"@{_BIBTEX_TYPES.get(reference.type, 'misc')}{{{key},\n{fields}}}\n"


def _bibtex_fields(reference: Reference) -> Iterator[tuple[str, str]]:
    pages = re.sub("(?<=\\w)[-\u2010-\u2015](?=\\w)", "--", reference.imprint("pages"))
    yield "title", f"{{{escaped(reference.title)}}}"  # the second braces keep capitals
    yield "author", " and ".join(map(_bibtex_author, reference.authors))
    yield "booktitle" if reference.type == "chapter" else "journal", escaped(reference.journal)
    yield "year", str(reference.document.year or "")
    yield "volume", escaped(reference.imprint("volume"))
    yield "number", escaped(reference.imprint("issue"))
    yield "pages", escaped(pages)
    yield "doi", reference.doi.replace("%", r"\%")  # read letter by letter, but a comment would swallow the rest
    yield "pmid", reference.pmid
    yield "pmcid", reference.pmcid
    yield "url", quote(reference.address, safe=":/?#[]@!$&'()*+,;=%~")
    yield "urldate", reference.accessed.isoformat() if reference.accessed else ""
    yield "annote", escaped(" ".join(reference.notes))


def _bibtex_author(name: Name) -> str:
    """`Family, Suffix, Given`; the braces keep a group, and the word `and` inside a name, in one piece."""
    if not name.is_person:
        return f"{{{escaped(name.family)}}}"
    family = escaped(name.family)
    if re.search(r"\band\b", family, re.IGNORECASE):
        family = f"{{{family}}}"
    return ", ".join(filter(None, [family, escaped(name.suffix), escaped(name.given)]))


def _bibtex_key(reference: Reference, taken: set[str]) -> str:
    """The first author's family name and the year, or else the id; a number makes it unique."""
    family = _ascii(reference.authors[0].family.rpartition(" ")[2]) if reference.authors else ""
    base = f"{family}{reference.document.year or ''}" if family else _ascii(reference.document.id)
    key = next(key for key in (base, *(f"{base}-{number}" for number in range(2, len(taken) + 3))) if key not in taken)
    taken.add(key)
    return key


def _ascii(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9]", "", unicodedata.normalize("NFKD", text))
