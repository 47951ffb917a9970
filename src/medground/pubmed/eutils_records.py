"""Parse efetch responses with the same readers as files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from medground.corpus.readers.base import Item
from medground.corpus.readers.jats import read_jats
from medground.corpus.readers.medline import MEDLINE_ROOTS, read_medline
from medground.corpus.readers.xml import root_name
from medground.errors import BadDocument
from medground.pubmed.eutils_faults import damaged
from medground.pubmed.eutils_xml import read_tree

_NO_SUCH_IDS = re.compile(r"id list is empty|no correct ids", re.IGNORECASE)
"""Errors for a batch in which no ID is known."""
_FULL_TEXT_ROOTS = frozenset(["pmc-articleset", "article"])


def read_articles(path: Path) -> list[Item]:
    """Return all PubMed records of a response, or raise a Fault."""
    return _all(path, MEDLINE_ROOTS, read_medline)


def read_full_texts(path: Path) -> list[Item]:
    """Return all PMC articles of a response, or raise a Fault."""
    return _all(path, _FULL_TEXT_ROOTS, read_jats)


def _all(path: Path, roots: frozenset[str], read: Callable[[Path], Iterator[Item]]) -> list[Item]:
    try:
        if root_name(path) not in roots:
            read_tree(path, "eFetchResult", tolerated=_NO_SUCH_IDS)
            return []
        return [_named(item) for item in read(path)]
    except BadDocument as error:
        raise damaged(error.reason) from None


def _named(item: Item) -> Item:
    """Name a bad record by its position in the response, not by the temporary file."""
    return BadDocument(item.reason, file="efetch", position=item.position) if isinstance(item, BadDocument) else item
