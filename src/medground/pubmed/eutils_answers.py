"""E-utilities responses as typed values."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from medground.pubmed.eutils_xml import number, read_tree, texts


@dataclass(frozen=True)
class SearchResult:
    """The result of esearch: how many records match, the requested IDs in order, and phrases that match no record."""

    count: int
    ids: tuple[str, ...]
    not_found: tuple[str, ...] = ()


def read_search(path: Path) -> SearchResult:
    """Parse an esearch response."""
    tree = read_tree(path, "eSearchResult")
    messages = [child for name in ("ErrorList", "WarningList") for child in tree.iterfind(f"{name}/*")]
    not_found = ("PhraseNotFound", "QuotedPhraseNotFound")
    return SearchResult(
        count=number(tree, "Count"),
        ids=texts(tree.iterfind("IdList/Id")),
        not_found=texts(child for child in messages if child.tag in not_found),
    )


def read_count(path: Path) -> int:
    """Parse an esearch response to rettype=count."""
    return number(read_tree(path, "eSearchResult"), "Count")
