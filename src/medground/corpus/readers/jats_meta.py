"""Authors and licences as JATS and BITS have them."""

from __future__ import annotations

import re
from textwrap import shorten

from medground.corpus.readers.xml import Element, flat_text

_HREF = "{http://www.w3.org/1999/xlink}href"


def authors_of(meta: Element) -> tuple[str, ...]:
    """`Family Initials`, as in MEDLINE, or the name of a group."""
    names = []
    for author in meta.iterfind("contrib-group/contrib"):
        if author.get("contrib-type", "author") == "author":
            family, given = flat_text(author.find("name/surname")), flat_text(author.find("name/given-names"))
            names.append(
                f"{family} {_initials(given)}".strip() or flat_text(author.find("collab"), leave_out=("contrib-group",))
            )
    return tuple(name for name in names if name)


def license_of(meta: Element) -> str | None:
    """The URL of the licence, or else its first words."""
    for found in meta.iterfind(".//license"):
        links = [found.get(_HREF), flat_text(found.find("license_ref"))]
        links += [link.get(_HREF) for link in found.iterfind(".//ext-link") if "licen" in (link.get(_HREF) or "")]
        return next(filter(None, links), None) or shorten(flat_text(found), 200) or None
    return None


def _initials(given: str) -> str:
    """`John A.` as `JA`; initials stay as they are."""
    parts = re.findall(r"[^\W\d_]+", given)
    return "".join(part if part.isupper() and len(part) < 4 else part[0].upper() for part in parts)
