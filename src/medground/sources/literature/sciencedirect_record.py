"""An article of ScienceDirect as a document: its entry in a search, and its core data with the abstract."""

from __future__ import annotations

import re

from medground.corpus.readers.compose import make_document
from medground.document import Document
from medground.identifiers import normal_doi
from medground.proteins.fields import Json, text
from medground.sources.literature.markup import abstract_of, plain

_YEAR = re.compile(r"([12]\d{3})(?:-|$)")
_LABEL = re.compile(r"\s*abstract\b[\s:.]*", re.IGNORECASE)
_PII = re.compile(r"[SB][0-9X]{15,17}")


def doi_of(entry: Json) -> str | None:
    """The DOI of an entry; None if it has none."""
    return normal_doi(text(entry, "prism:doi") or text(entry, "dc:identifier"))


def document_of(entry: Json, core: Json) -> Document | None:
    """The document; None if there is neither a title nor an abstract, or no DOI and no PII.

    Args:
        entry: an entry of a search.
        core: the `coredata` of the article; empty where it could not be read.
    """
    both = {**entry, **{name: value for name, value in core.items() if value}}
    doi, pii = doi_of(both), re.sub(r"[^0-9A-Z]", "", text(both, "pii"))
    name = f"DOI:{doi}" if doi else f"PII:{pii}" if _PII.fullmatch(pii) else None
    if name is None:
        return None
    title = plain(text(both, "dc:title"))
    abstract = abstract_of(_LABEL.sub("", text(both, "dc:description"), count=1))
    date = text(both, "prism:coverDate")
    year = _YEAR.match(date)
    kind = plain(text(both, "pubType"))
    pages = text(both, "prism:pageRange") or text(both, "prism:startingPage")
    imprint = {"volume": text(both, "prism:volume"), "issue": text(both, "prism:issueIdentifier"), "pages": pages}
    try:
        return make_document(
            {
                "id": name,
                "title": title,
                "text": abstract.text or title,
                "sections": abstract.sections,
                "year": int(year[1]) if year else None,
                "dates": {"published": date} if year else {},
                "journal": plain(text(both, "prism:publicationName")) or None,
                "authors": _authors(entry, core),
                "keywords": tuple(filter(None, map(plain, _marked(both.get("dcterms:subject"))))),
                "publication_types": (kind,) if kind else (),
                "identifiers": {"doi": doi} if doi else {},
                "imprint": {key: value for key, value in imprint.items() if value},
                "url": f"https://www.sciencedirect.com/science/article/pii/{pii}" if _PII.fullmatch(pii) else None,
                "license": text(both, "openaccessUserLicense") or None,
            }
        )
    except ValueError:
        return None


def _marked(value: object) -> list[str]:
    """The strings of `[{"$": "..."}]`, the form of lists that were XML; a single one may stand without its list."""
    rows = value if isinstance(value, list) else [value]
    found = [row.get("$") if isinstance(row, dict) else row for row in rows]
    return [one.strip() for one in found if isinstance(one, str) and one.strip()]


def _authors(entry: Json, core: Json) -> tuple[str, ...]:
    """`Family, Given` of the core data; else the names that the search shows."""
    listed = entry.get("authors")
    names = _marked(core.get("dc:creator"))
    names = names or _marked(listed.get("author") if isinstance(listed, dict) else None)
    return tuple(filter(None, map(plain, names or _marked(entry.get("dc:creator")))))
