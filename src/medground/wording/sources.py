"""The numbered list of sources, each with the quotes that were not printed before."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from medground.answer import SourceDocument
from medground.document import Joined
from medground.rank import source_facts
from medground.retraction import why_aside
from medground.wording import references
from medground.wording.blocks import Block, Line, Span, heading, line
from medground.wording.quotes import Quotes, anchor, marks


def source_list(
    quotes: Quotes,
    *,
    details: bool,
    bibliography: Callable[[SourceDocument], Line] = references.plain_reference,
    cited_as: str = "",
) -> Iterator[Block]:
    """The sources by number.

    Args:
        quotes: the quotes and sources of the answer.
        details: also show where each quote is in its source, and the licence of each document. Of a source that says
            where it has its texts from, the licence is always shown.
        bibliography: formats each source.
        cited_as: the heading under which those alone are listed that are quoted; all, if empty.
    """
    numbers = {name: n for name, n in quotes.numbers.items() if not cited_as or name in quotes.cited}
    if numbers:
        yield heading(cited_as or "Sources")
    for document_id, number in numbers.items():
        document = quotes.documents[document_id]
        lines = [bibliography(document), where(document)]
        if state := source_facts.state(document):
            lines.append(line(state, "bad"))
        lines += [line(caution, "caution") for caution in document.cautions]
        if (document.origin or details) and (terms := references.terms(document)):
            lines.append(line(terms, "dim"))
        if details:
            lines += [line(_filled(note), "dim") for note in document.joined]
        lines += _quotes(document, quotes, details=details)
        yield Block("item", tuple(lines), marker=f"{number}.")


def _filled(note: Joined) -> str:
    return f"From {note.record} ({note.source}): {', '.join(note.fields)}"


def where(document: SourceDocument) -> Line:
    """The id of a document and where it can be read."""
    address = source_facts.address(document)
    if not address:
        return line(document.id)
    link = Span(address, url=address) if source_facts.is_web_address(address) else Span(address)
    return (Span(f"{document.id} "), link)


def _quotes(document: SourceDocument, quotes: Quotes, *, details: bool) -> Iterator[Line]:
    evidence = quotes.of(document.id)
    if not evidence and not why_aside(document):
        yield line("Found, but not cited.", "dim")
    above = [e.id for e in evidence if quotes.is_printed(e.id) and not details]
    if above:
        yield (Span("Quoted above: ", "dim"), *marks(above, anchored=True))
    for quote in (e for e in evidence if e.id not in above):
        place = [] if quotes.is_printed(quote.id) else quotes.place(quote.id)
        place += [f"characters {quote.start}-{quote.end}"] if details else []
        where = (Span(f" ({', '.join(place)})", "dim"),) if place else ()
        yield (anchor(quote.id), *where, Span(f" {quotes.text(quote.id)}"))
