"""Facts about a source that are said beside its quotes: the design of its study, whether it was retracted, its
address.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from medground.corpus.retraction import RETRACTED, doubt, why_aside
from medground.language.clean import clean
from medground.values.answer import SourceDocument

# Study designs by publication type, from the strongest to the weakest kind of evidence.

_LEVELS: tuple[frozenset[str], ...] = (
    frozenset({"meta-analysis", "systematic review", "network meta-analysis", "systematic-review"}),
    frozenset({"practice guideline", "guideline", "consensus development conference"}),
    frozenset({"randomized controlled trial", "pragmatic clinical trial", "equivalence trial"}),
    frozenset({"controlled clinical trial", "clinical trial, phase iii", "clinical trial, phase iv", "clinical trial"}),
    frozenset({"observational study", "multicenter study", "comparative study", "validation study", "twin study"}),
    frozenset({"review", "scoping review", "review-article"}),
    frozenset({"case reports", "case-report"}),
    frozenset(
        {"editorial", "comment", "letter", "news", "newspaper article", "interview", "personal narrative", "lecture"}
        | {"clinical trial protocol", "introductory journal article", "patient education handout", "biography"}
        | {"reply", "article-commentary", "discussion", "opinion", "book-review", "correspondence"}
        | {"retracted publication", "retraction of publication", "retraction notice", "expression of concern"}
        | {"published erratum", "retraction", "retracted-article", "expression-of-concern", "correction"}
    ),
)
UNKNOWN = 5
"""Level of a paper whose types name no design: the level of a review, below observational studies."""


def design_level(publication_types: Sequence[str]) -> int:
    """0 for the strongest design named, 7 for the weakest; `UNKNOWN` if none is named."""
    names = {name.casefold() for name in publication_types}
    return next((level for level, designs in enumerate(_LEVELS) if names & designs), UNKNOWN)


# What is plainly so of a source: its design or kind, whether it may be evidence, and where it can be read.

_KINDS = {
    "graph": "knowledge graph entry",
    "protein": "protein record",
    "guideline": "guideline",
    "book": "book",
    "wiki": "encyclopedia article",
    "web": "web page",
}
_ADDRESS = re.compile(r"https?://[^\s<>\"'\\`\[\]]+", re.IGNORECASE)
"""Web addresses that no output format can misread."""


def design(document: SourceDocument) -> str:
    """The strongest study design that a record names, or the kind of a source that is not a paper; else empty."""
    named = [t for t in document.publication_types if design_level([t]) != UNKNOWN or "review" in t.casefold()]
    if named:
        return clean(min(named, key=lambda t: design_level([t])).lower())
    return _KINDS.get(document.kind, "")


def state(document: SourceDocument) -> str:
    """What a reader must know of a document before trusting it; empty where there is nothing."""
    if aside := why_aside(document):
        return f"{'RETRACTED' if aside == RETRACTED else aside.capitalize()}: not used as evidence."
    if document.retraction == "concern":
        return "An expression of concern has been published about this paper."
    if why := doubt(document):
        return f"This record {why}; check it before you rely on it."
    return ""


def address(document: SourceDocument) -> str:
    """Where a document can be read, as its record says; else PubMed for a PMID; else empty."""
    return clean(document.url).strip() if document.url else in_pubmed(document.id)


def in_pubmed(document_id: str) -> str:
    """The address of a record in PubMed; empty if the id is no PMID."""
    prefix, _, number = document_id.partition(":")
    known = prefix == "PMID" and number.isascii() and number.isdigit()
    return f"https://pubmed.ncbi.nlm.nih.gov/{number}/" if known else ""


def is_web_address(text: str) -> bool:
    """Whether a text is an address that is safe to link to."""
    return _ADDRESS.fullmatch(text) is not None


def web_address(document: SourceDocument) -> str:
    """The address of a document if it is safe to link to; else empty."""
    found = address(document)
    return found if is_web_address(found) else ""
