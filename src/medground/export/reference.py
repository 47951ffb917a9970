"""The sources that an answer quotes, as references: what every reference manager can hold, cleaned of control codes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from urllib.parse import unquote

from medground.answer import Answer, SourceDocument
from medground.document import SourceKind
from medground.errors import UsageError
from medground.evidence import Evidence
from medground.export.names import Name, name_of
from medground.rank import source_facts
from medground.text.clean import clean
from medground.wording import references
from medground.wording.quotes import Quotes

_TYPES: Mapping[SourceKind, str] = {
    "book": "book",
    "guideline": "report",
    "research": "article-journal",
    "wiki": "entry-encyclopedia",
    "graph": "entry",
    "protein": "dataset",
    "web": "webpage",
}
"""CSL's types by kind of source."""
_CHANGING = ("web", "protein", "wiki")
"""Kinds of source whose texts change, so that their references tell when they were read."""
_DOI = re.compile(r"10\.\d{4,9}(?:\.\d+)*/[^\s\"\\{}]+")
"""With `<` and `>`, which older DOIs have: `10.1002/(SICI)1097-0258(19980815)17:15<1661::AID-SIM968>3.0.CO;2-2`."""
_NOT_TEXT = re.compile("[\ufdd0-\ufdef\ufffe\uffff]")
"""Code points that are no characters, and that XML cannot hold."""


@dataclass(frozen=True)
class Reference:
    """One quoted source; every text is a single line without control characters.

    Attributes:
        document: the source as the answer lists it.
        number: its number in the answer's list of sources, from 1.
        quotes: what the answer quotes from it.
        accessed: the day on which it was read, for what may change: a web page, a record of a database.
    """

    document: SourceDocument
    number: int
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
        prefix, _, name = self.document.id.partition(":")
        found = _DOI.search(one_line(unquote(self._identifier("doi") or (name if prefix.upper() == "DOI" else ""))))
        return found[0].rstrip(".,;") if found else ""

    @property
    def pmid(self) -> str:
        """The PMID; empty if not known."""
        prefix, _, name = self.document.id.partition(":")
        number = self._identifier("pmid") or (name if prefix == "PMID" else "")
        return number if number.isascii() and number.isdigit() else ""

    @property
    def pmcid(self) -> str:
        """The id in PubMed Central, such as `PMC1065070`; empty if not known."""
        found = re.fullmatch(r"(?:PMC)?(\d{1,12})", self._identifier("pmc"), re.ASCII)
        return f"PMC{found[1]}" if found else ""

    @property
    def address(self) -> str:
        """Where it can be read; empty unless that is a web address."""
        return source_facts.web_address(self.document)

    @property
    def notes(self) -> list[str]:
        """What a reader must know before trusting it, each quote with its mark and its section or page, the licence."""
        state, terms = source_facts.state(self.document), one_line(references.terms(self.document))
        return [*filter(None, [state]), *map(_quoted, self.quotes), *filter(None, [terms])]

    def _identifier(self, kind: str) -> str:
        return one_line(self.document.identifiers.get(kind, ""))


def quoted_sources(answer: Answer) -> list[Reference]:
    """The sources that an answer quotes, in the order of its list of sources.

    Raises:
        UsageError: it quotes none.
    """
    found = [reference for reference in listed_sources(answer) if reference.quotes]
    if not found:
        raise UsageError("the answer quotes no source, so there is no reference to export; use --format markdown")
    return found


def listed_sources(answer: Answer) -> list[Reference]:
    """Every source that an answer lists, quoted or not, in the order of its list of sources."""
    quotes = Quotes(answer)
    return [
        Reference(
            quotes.documents[document_id],
            number,
            tuple(quotes.of(document_id)),
            answer.created.date() if quotes.documents[document_id].kind in _CHANGING else None,
        )
        for document_id, number in quotes.numbers.items()
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
