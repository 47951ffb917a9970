"""ecitmatch: the PMIDs of citations, given as `journal|year|volume|first page|author|key|`."""

from __future__ import annotations

from medground.faces.eutils.exchange import Context, InvalidRequest, Parameters, Reply, text_reply
from medground.pubmed.citation import citation_terms

_MOST = 1000
"""Maximum citations of a request."""


def ecitmatch(context: Context, parameters: Parameters) -> Reply:
    """A line for each citation: itself, and its PMID or why it has none."""
    lines = [line.strip() for line in parameters.text("bdata").replace("\r", "\n").splitlines() if line.strip()]
    if not lines:
        raise InvalidRequest("Empty bdata; send journal|year|volume|first page|author|key|")
    if len(lines) > _MOST:
        raise InvalidRequest(f"More than {_MOST:,} citations; send them in parts", status=413)
    return text_reply("".join(f"{line.rstrip('|')}|{_match(context, line)}\n" for line in lines))


def _match(context: Context, line: str) -> str:
    terms = citation_terms(line)

    def search(term: str) -> tuple[int, tuple[str, ...]]:
        found = context.catalogue.search(term, None, "newest", start=0, limit=1, check=context.check)
        return found.count, found.ids

    count, ids = search(" AND ".join(terms)) if terms else (0, ())
    if count == 1:
        return ids[0]
    if count:
        return f"AMBIGUOUS ({count} citations)"
    return "NOT_FOUND" if not line.partition("|")[0].strip() or search(terms[0])[0] else "NOT_FOUND;INVALID_JOURNAL"
