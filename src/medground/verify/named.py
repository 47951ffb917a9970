"""Hold what a written sentence may not say by itself: references to works that this run never retrieved, and quoted
text that its sources do not contain.

Citations are ids in the ledger. A writer that puts a PMID, a DOI, an author with a year or words in quotes into its
text bypasses the ledger: nothing shows that the work exists or what it says. What a document says about other works
does not make them retrieved.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from medground.document import Document
from medground.identifiers import normal_doi
from medground.verify.author_year import NEAR_YEARS, author_years, of_any
from medground.verify.quantities import QUANTITY
from medground.verify.quotations import altered_quotations
from medground.verify.references import Reference, address, cochrane_number, plain, references, trial_numbers

FLAG = "reference"
"""The flag of a sentence that refers to a work that was never retrieved."""
QUOTATION = "quotation"
"""The flag of a sentence that quotes what its sources do not say."""
HELD = (FLAG, QUOTATION, QUANTITY)
"""The flags of sentences that are never released."""

_ID = r"(?:E\d+|P\d+(?:\.S\d+)?)"
_MARKS = re.compile(rf"\s*\[{_ID}(?:\s*[,;]\s*{_ID})*\]")
_LONGEST = 120
_SHORT = {
    "newenglandjournalofmedicine": "nengljmed",
    "nejm": "nengljmed",
    "britishmedicaljournal": "bmj",
    "annalsofinternalmedicine": "anninternmed",
    "cochranedatabaseofsystematicreviews": "cochranedatabasesystrev",
}


def unfounded(
    sentence: str, cited: Sequence[Document], documents: Iterable[Document], question: str = ""
) -> tuple[str, str] | None:
    """The flag and the reason for which a sentence is held; None if nothing in it is unfounded.

    Args:
        sentence: a whole written sentence.
        cited: the documents that it cites; all, if it cites none.
        documents: everything that the run retrieved.
        question: the user's words, which may be quoted too.
    """
    everything = list(documents)
    if works := unretrieved_references(sentence, everything, cited):
        return FLAG, f"it refers to {', '.join(works)[:_LONGEST]}, which this run never retrieved"
    sources = [part for document in cited or everything for part in (document.text, document.title)]
    if altered := altered_quotations(sentence, [*sources, question]):
        which = "the source that it cites does" if cited else "the retrieved texts do"
        return QUOTATION, f"it quotes “{altered[0][:_LONGEST]}”, which {which} not say"
    return None


def remark(written: str, documents: Iterable[Document], question: str) -> str:
    """A model's remark on one line; empty if it names or quotes what was not retrieved, which is never shown."""
    return "" if unfounded(written, (), documents, question) else " ".join(written.split())


def unretrieved_references(sentence: str, documents: Iterable[Document], cited: Iterable[Document] = ()) -> list[str]:
    """The references in a sentence to works that are none of the documents, in the words of the sentence.

    The number of a trial is also known from the text of a cited document, which reports that trial under it.
    """
    named, authors = references(sentence), author_years(plain(sentence))
    if not named and not authors:
        return []
    retrieved = list(documents)
    known = {name for document in retrieved for name in _names(document)}
    known |= {("trial", number) for document in cited for number in trial_numbers(document.text)}
    unknown = [work.text for work in named if not _is_known(work, known, retrieved)]
    unknown += [work.text for work in authors if not of_any(work, retrieved)]
    return list(dict.fromkeys(unknown))


def without_marks(text: str) -> str:
    """Remove citation marks such as `[E3]` or `[P1.S2]`: an answer adds its own from the ledger."""
    return " ".join(_MARKS.sub("", text).split())


def _names(document: Document) -> Iterator[tuple[str, str]]:
    """Everything that a document is called, as `references` reads it."""
    own = document.id.partition(":")[2]
    for name in document.paper:
        kind, _, value = name.partition(":")
        yield kind, value
    for value in (document.id, own, *document.identifiers.values()):
        yield "number", value.lstrip("0")
        yield "number", re.sub(r"[^A-Za-z0-9]", "", value).upper()
        yield from (("trial", number) for number in trial_numbers(value))
        yield from (("preprint", name.value) for name in references(value) if name.kind == "preprint")
        if review := cochrane_number(value):
            yield "cochrane", review
    if document.url:
        yield "url", address(document.url)
        yield from ((name.kind, name.value) for name in references(document.url))


def _is_known(work: Reference, known: set[tuple[str, str]], documents: Sequence[Document]) -> bool:
    if work.kind == "number" and ("pmid", work.value) in known:
        return True
    if work.kind == "printed":
        return any(_is_printed(work.value, document) for document in documents)
    if work.kind == "doi":
        return ("doi", normal_doi(work.value) or work.value) in known
    return (work.kind, work.value) in known


def _is_printed(value: str, document: Document) -> bool:
    """Whether a document is at a printed place, `2021;384:403` or `Lancet 2021`, as far as its record says."""
    if ";" in value:
        first = re.match(r"[A-Za-z]?\d+", document.imprint.get("pages", ""))
        return value == f"{document.year};{document.imprint.get('volume', '')}:{first[0] if first else ''}".upper()
    journal, _, year = value.rpartition(" ")
    near = document.year is not None and abs(document.year - int(year)) <= NEAR_YEARS
    return near and _journal(journal) in _journal(document.journal or "")


def _journal(name: str) -> str:
    """A journal by the letters of its short name."""
    letters = re.sub(r"[^a-z]", "", name.casefold())
    for long, short in _SHORT.items():
        letters = letters.replace(long, short)
    return letters
