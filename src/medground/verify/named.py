"""Find references written into a sentence, such as PMIDs, DOIs and web addresses, that this run never retrieved.

Citations are ids in the ledger. A writer that puts a PMID, a DOI or an address into its text bypasses the ledger:
nothing shows that the work exists or what it says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from medground.document import Document

FLAG = "reference"

_NAMED = re.compile(
    r"\bPMID\s*:?\s*#?\s*\d{1,9}\b|\bPMC\s?\d{3,9}\b|\b(?:https?://|www\.)[^\s<>\"]+|\b10\.\d{4,9}/[^\s<>\"]+|"
    r"\bNCT\s?\d{8}\b|\bISRCTN\s?\d{8}\b|\barXiv:\s?\d{4}\.\d{4,5}\b",
    re.IGNORECASE,
)
_ID = r"(?:E\d+|P\d+(?:\.S\d+)?)"
_MARKS = re.compile(rf"\s*\[{_ID}(?:\s*[,;]\s*{_ID})*\]")


def unretrieved_references(sentence: str, documents: Iterable[Document]) -> list[str]:
    """The references in a sentence that none of the documents has as its id or mentions."""
    named = list(dict.fromkeys(match[0].rstrip(".,;:)]}") for match in _NAMED.finditer(sentence)))
    if not named:
        return []
    known = "\n".join(_plain(part) for document in documents for part in _parts(document))
    return [work for work in named if not re.search(re.escape(_plain(work)) + r"(?!\.?[a-z0-9])", known)]


def without_marks(text: str) -> str:
    """Remove citation marks such as `[E3]` or `[P1.S2]`: an answer adds its own from the ledger."""
    return " ".join(_MARKS.sub("", text).split())


def _parts(document: Document) -> Iterator[str]:
    yield document.id
    yield document.title
    yield document.text
    yield document.url or ""
    for kind, value in document.identifiers.items():
        yield f"{kind}:{value}"


def _plain(text: str) -> str:
    """Keep only the characters of ids, so that `PMID: 123` and `pmid123` are the same reference."""
    return re.sub(r"[^a-z0-9./]", "", text.casefold())
