"""The utilities by name, and which requests to them are cheap."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from medground.pubmed.server import efetch, esearch, esummary, others
from medground.pubmed.server.parameters import Parameters
from medground.pubmed.server.reply import Context, Reply


@dataclass(frozen=True)
class Utility:
    """A utility: what answers, and the root element and document type of its responses, including errors."""

    answer: Callable[[Context, Parameters], Reply]
    root: str
    doctype: str


UTILITIES: Mapping[str, Utility] = MappingProxyType(
    {
        "esearch": Utility(esearch.esearch, "eSearchResult", esearch.DOCTYPE),
        "efetch": Utility(efetch.efetch, "eFetchResult", "<!DOCTYPE eFetchResult>"),
        "esummary": Utility(esummary.esummary, "eSummaryResult", esummary.DOCTYPE),
        "epost": Utility(others.epost, "ePostResult", others.POST),
        "einfo": Utility(others.einfo, "eInfoResult", others.INFO),
        "espell": Utility(others.espell, "eSpellResult", others.SPELL),
        "elink": Utility(others.elink, "eLinkResult", others.LINK),
    }
)
_CHEAP_CHARACTERS = 2000
_CHEAP_PIECES = 50
_PIECE = re.compile(r",|%2C|\*|%2A|&id=", re.IGNORECASE)
_STORED = re.compile(r"webenv|usehistory", re.IGNORECASE)


def is_cheap(name: str, query: str, body: str) -> bool:
    """Whether a request takes milliseconds, by its look: short, with few IDs and truncated words, and without the
    history. Each ID of an elink is a search.
    """
    if name == "elink" or len(query) + len(body) > _CHEAP_CHARACTERS:
        return False
    sent = f"{query}&{body}"
    return len(_PIECE.findall(sent)) <= _CHEAP_PIECES and _STORED.search(sent) is None


def is_instant(name: str) -> bool:
    """Whether a cheap request to this utility needs no index, and so no thread."""
    return name == "einfo"
