"""The ids of a paper, PMID, PMC id and DOI, in one form each: two records of the same paper share one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import unescape
from urllib.parse import unquote

KINDS = ("pmid", "pmc", "doi")
"""The ids by which records are joined, the surest first."""

_DOI = re.compile(r"10\.\d{4,9}/\S+")
_PMID = re.compile(
    r"(?:https?://(?:www\.)?(?:pubmed\.)?ncbi\.nlm\.nih\.gov/(?:pubmed/)?|pmid:?\s*)?0*([1-9]\d{0,9})(?:\.\d+)?/?",
    re.IGNORECASE,
)
_PMC = re.compile(r"(?:.*[:/\s])?PMC\s?0*([1-9]\d{0,9})(?:\.\d+)?/?", re.IGNORECASE | re.DOTALL)
_NUMBER = re.compile(r"0*([1-9]\d{0,9})")
_OPENING = {")": "(", "]": "[", "}": "{", ">": "<"}
_AFTER = ".,;:'\"\u201d\u2019"


def normal_doi(value: str) -> str | None:
    """A DOI as doi.org compares them: lower case, without its address, entities, escapes or the punctuation after it.

    A closing bracket belongs to a DOI only if its opening one does. None if there is no DOI in the value.
    """
    text = unescape(value)
    if "%" in text:
        text = unquote(text)
    found = _DOI.search(text.lower())
    if found is None:
        return None
    doi = found[0]
    while doi[-1] in _AFTER or doi.count(doi[-1]) > doi.count(_OPENING.get(doi[-1], doi[-1])):
        doi = doi[:-1]
    return doi if _DOI.fullmatch(doi) else None


def normal_pmid(value: str) -> str | None:
    """A PMID without its address, prefix, version or leading zeros; None if the value is not one."""
    found = _PMID.fullmatch(value.strip())
    return found[1] if found else None


def normal_pmc(value: str) -> str | None:
    """A PMC id such as `PMC123`, without its address or version; None if the value is not one."""
    text = value.strip()
    found = _PMC.fullmatch(text) or _NUMBER.fullmatch(text)
    return f"PMC{found[1]}" if found else None


_NORMAL = {"pmid": normal_pmid, "pmc": normal_pmc, "doi": normal_doi}


def normal_id(kind: str, value: str) -> str | None:
    """An id of one of `KINDS` in its normal form; None if the value is not one."""
    return _NORMAL[kind](value)


def paper_names(document_id: str, identifiers: Mapping[str, str]) -> tuple[str, ...]:
    """The names of the paper that a record is about: `pmid:1`, `pmc:PMC1`, `doi:10.1/x`, from its id and other ids."""
    prefix, _, name = document_id.partition(":")
    own = prefix.casefold()
    given = [(own, name)] if own in _NORMAL else []
    given += [(kind, identifiers[kind]) for kind in KINDS if kind in identifiers]
    found = [(kind, value) for kind, text in given if (value := _NORMAL[kind](text))]
    return tuple(dict.fromkeys(f"{kind}:{value}" for kind in KINDS for k, value in found if k == kind))
