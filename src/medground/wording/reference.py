"""The sources that an answer quotes, as references: cleaned of control codes, and as RIS, BibTeX and CSL-JSON."""

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any
from urllib.parse import quote, unquote

from medground.answering import captions
from medground.errors import UsageError
from medground.home.files import tables
from medground.language.clean import clean
from medground.language.names import Name, name_of
from medground.values.answer import Answer, SourceDocument
from medground.values.document import SourceKind
from medground.values.evidence import Evidence
from medground.wording import blocks as references
from medground.wording.view import numbered

_TYPES: Mapping[SourceKind, str] = tables("wording", "words")["csl types"]
"""CSL's types by kind of source."""
_CHANGING = ("web", "protein", "wiki")
"""Kinds of source whose texts change, so that their references tell when they were read."""
_DOI = re.compile(r"10\.\d{4,9}(?:\.\d+)*/[^\s\"\\{}]+")
"""With `<` and `>`, which older DOIs have: `10.1002/(SICI)1097-0258(19980815)17:15<1661::AID-SIM968>3.0.CO;2-2`."""
_NOT_TEXT = re.compile("[\ufdd0-\ufdef\ufffe\uffff]")
"""Code points that are not characters, and that XML cannot hold."""


@dataclass(frozen=True)
class Reference:
    """One quoted source; every text is a single line without control characters.

    Attributes:
        document: the source as the answer lists it.
        quotes: what the answer quotes from it.
        accessed: the day on which it was read, for what may change: a web page, a record of a database.
    """

    document: SourceDocument
    quotes: tuple[Evidence, ...] = ()
    accessed: date | None = None

    @property
    def type(self) -> str:
        """The type in the Citation Style Language."""
        kind = _TYPES[self.document.kind]
        if kind == "book" and self.journal not in ("", self.title):
            return "chapter"
        return kind if kind != "article-journal" or self.journal else "document"  # CSL's "article" is a preprint

    @property
    def title(self) -> str:
        """The title without the full stop that MEDLINE ends it with, or else the id."""
        title = one_line(self.document.title)
        return (title if title.endswith("..") else title.removesuffix(".").rstrip()) or self.document.id

    @property
    def authors(self) -> list[Name]:
        """The authors in order."""
        return [name_of(author) for author in map(one_line, self.document.authors) if author]

    @property
    def journal(self) -> str:
        """The journal or book that it is in; empty if none is known."""
        return one_line(self.document.journal or "")

    def imprint(self, part: str) -> str:
        """`volume`, `issue` or `pages`; empty if not known."""
        return one_line(self.document.imprint.get(part, ""))

    @property
    def doi(self) -> str:
        """The DOI without an address before it; empty if not known."""
        found = _DOI.search(one_line(unquote(self._identifier("doi"))))
        return found[0].rstrip(".,;") if found else ""

    @property
    def pmid(self) -> str:
        """The PMID; empty if not known."""
        number = self._identifier("pmid")
        return number if number.isascii() and number.isdigit() else ""

    @property
    def pmcid(self) -> str:
        """The id in PubMed Central, such as `PMC1065070`; empty if not known."""
        found = re.fullmatch(r"(?:PMC)?(\d{1,12})", self._identifier("pmc"), re.ASCII)
        return f"PMC{found[1]}" if found else ""

    @property
    def address(self) -> str:
        """Where it can be read; empty unless that is a web address."""
        return captions.web_address(self.document)

    @property
    def notes(self) -> list[str]:
        """What a reader must know before trusting it, each quote with its mark and its section or page, the licence."""
        state, terms = captions.state(self.document), one_line(references.terms(self.document))
        return [*filter(None, [state]), *map(_quoted, self.quotes), *filter(None, [terms])]

    def _identifier(self, kind: str) -> str:
        prefix, _, name = self.document.id.partition(":")
        return one_line(self.document.identifiers.get(kind) or (name if prefix.lower() == kind else ""))


def quoted_sources(answer: Answer) -> list[Reference]:
    """The sources that an answer quotes, in the order of its list of sources. Raises UsageError: it quotes none."""
    found = [reference for reference in listed_sources(answer) if reference.quotes]
    if not found:
        raise UsageError(
            "the answer quotes no source, so there is no reference to export; "
            'use [[--format markdown|form="markdown"|the format markdown]]'
        )
    return found


def listed_sources(answer: Answer) -> list[Reference]:
    """Every source that an answer lists, quoted or not, in the order of its list of sources."""
    documents = {document.id: document for document in answer.documents}
    return [
        Reference(
            document := documents[name],
            tuple(quote for quote in answer.evidence if quote.document_id == name),
            answer.created.date() if document.kind in _CHANGING else None,
        )
        for name in numbered(answer)
    ]


def one_line(text: str) -> str:
    """Text as one line without control characters."""
    return " ".join(_NOT_TEXT.sub(" ", clean(text)).split())


def _quoted(quote: Evidence) -> str:
    place = [one_line(quote.section).lower()] if quote.section else []
    place += [f"p. {quote.page}"] if quote.page else []
    return f"[{quote.id}] “{one_line(quote.quote)}”" + (f" ({', '.join(place)})" if place else "")


def spaced_line(text: str) -> str:
    """`one_line`, but with a space at each end that has white space, where words of neighbouring spans meet."""
    if not text.strip():
        return " " if text else ""
    return " " * text[0].isspace() + one_line(text) + " " * text[-1].isspace()


_RIS_TYPES: Mapping[str, str] = tables("wording", "words")["ris types"]


def as_ris(answer: Answer) -> bytes:
    """The sources that an answer quotes; the quotes are notes (`N1`)."""
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
    """The sources that an answer quotes; the quotes are in `annote`."""
    taken = set[str]()
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


def as_csl_json(answer: Answer) -> bytes:
    """The sources that an answer quotes; the quotes are in `note`, one on each line."""
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
